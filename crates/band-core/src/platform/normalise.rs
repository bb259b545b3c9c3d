//! Mentions in a text become tokens: `@[[uuid]]`.
//!
//! One pass from left to right. At each `@` the longest handle of the mentioned participants that stands
//! there wins, then the longest display name; both in any case, and only at boundaries: `mail a@bob` and
//! `@bobby` name nobody called bob, and `@ann/bot` is not `@ann`. A run of `@` counts as one. Tokens that
//! are there already stay. Those of kind mention whom the text does not refer to get their token put in
//! front.

use std::collections::BTreeSet;

use band_wire::ParticipantId;

use super::mention::Mention;

/// The text as it is stored.
pub fn normalise(content: &str, mentions: &[Mention<'_>]) -> String {
    let names = Names::new(mentions);
    let mut seen = BTreeSet::new();
    let mut text = String::with_capacity(content.len() + mentions.len() * TOKEN_LEN);
    let mut rest = content;
    while let Some(at) = rest.find('@') {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        text.push_str(before);
        rest = match step(from, &text, &names) {
            Step::Token(id, after) => {
                seen.insert(id);
                push_token(&mut text, id);
                after
            }
            Step::Text(taken, after) => {
                text.push_str(taken);
                after
            }
        };
    }
    text.push_str(rest);
    let mut front = String::new();
    for mention in mentions {
        if mention.routes() && !seen.contains(&mention.member.id) {
            push_token(&mut front, mention.member.id);
            front.push(' ');
        }
    }
    front + &text
}

/// A stored text without its tokens, as a title or a plain line would show it.
pub fn without_tokens(content: &str) -> String {
    let mut text = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(at) = rest.find('@') {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        text.push_str(before);
        rest = if let Some((_, after)) = token(from) {
            after
        } else {
            text.push('@');
            from.strip_prefix('@').unwrap_or_default()
        };
    }
    text.push_str(rest);
    text
}

/// `@[[`, 36 characters, `]]`, and the space that follows a token in front.
const TOKEN_LEN: usize = 42;

enum Step<'t> {
    Token(ParticipantId, &'t str),
    Text(&'t str, &'t str),
}

/// Decides what stands at an `@`; `before` is the text so far.
fn step<'t>(from: &'t str, before: &str, names: &Names) -> Step<'t> {
    if let Some((id, after)) = token(from) {
        return Step::Token(id, after);
    }
    let run = from.len() - from.trim_start_matches('@').len();
    let (run, name) = from.split_at_checked(run).unwrap_or((from, ""));
    if name.starts_with("[[") {
        // The last of the run may begin a token: leave it for the next step.
        let (taken, last) = from.split_at_checked(run.len() - 1).unwrap_or((from, ""));
        let here = if taken.is_empty() { split_char(from) } else { (taken, last) };
        return Step::Text(here.0, here.1);
    }
    if may_start(before)
        && let Some((id, after)) = names.find(name)
    {
        return Step::Token(id, after);
    }
    Step::Text(run, name)
}

/// Reads a token at the start of a text.
fn token(from: &str) -> Option<(ParticipantId, &str)> {
    let (id, after) = from.strip_prefix("@[[")?.split_at_checked(36)?;
    let after = after.strip_prefix("]]")?;
    Some((id.parse().ok()?, after))
}

fn split_char(text: &str) -> (&str, &str) {
    let len = text.chars().next().map_or(0, char::len_utf8);
    text.split_at_checked(len).unwrap_or((text, ""))
}

fn push_token(text: &mut String, id: ParticipantId) {
    text.push_str("@[[");
    text.push_str(&id.to_string());
    text.push_str("]]");
}

/// Whether a mention may begin after this text: not within a word, and not within the brackets of a token.
fn may_start(before: &str) -> bool {
    if before.ends_with("[[") {
        return false;
    }
    !before.chars().next_back().is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.'))
}

/// Whether a name may end before this text.
fn may_end(after: &str) -> bool {
    let mut chars = after.chars();
    match chars.next() {
        Some(c) if c.is_alphanumeric() || c == '_' => false,
        Some('-' | '/' | '.' | '@') => !chars.next().is_some_and(|c| c.is_alphanumeric() || c == '_'),
        None | Some(_) => true,
    }
}

/// What the mentioned are called: handles before names.
struct Names {
    handles: Sorted,
    names: Sorted,
}

impl Names {
    fn new(mentions: &[Mention<'_>]) -> Self {
        let handle = |mention: &Mention<'_>| (mention.member.id, mention.member.handle.clone());
        let name = |mention: &Mention<'_>| (mention.member.id, mention.member.name.trim().to_owned());
        Self { handles: mentions.iter().map(handle).collect(), names: mentions.iter().map(name).collect() }
    }

    fn find<'t>(&self, text: &'t str) -> Option<(ParticipantId, &'t str)> {
        self.handles.longest(text).or_else(|| self.names.longest(text))
    }
}

/// Names in lower case, sorted, so that those a text begins with are found letter by letter: the effort does
/// not grow with how many are mentioned.
struct Sorted(Vec<(Vec<char>, ParticipantId)>);

impl FromIterator<(ParticipantId, String)> for Sorted {
    fn from_iter<I: IntoIterator<Item = (ParticipantId, String)>>(names: I) -> Self {
        let fold = |name: &str| name.chars().flat_map(char::to_lowercase).collect::<Vec<char>>();
        let names = names.into_iter().filter(|(_, name)| !name.is_empty());
        let mut names: Vec<_> = names.map(|(id, name)| (fold(&name), id)).collect();
        // A stable sort: of equal names the one that is mentioned first stays first.
        names.sort_by(|(one, _), (other, _)| one.cmp(other));
        Self(names)
    }
}

impl Sorted {
    /// The longest name, in any case, that the text begins with and that may end there.
    fn longest<'t>(&self, text: &'t str) -> Option<(ParticipantId, &'t str)> {
        let mut left = self.0.as_slice();
        let mut depth = 0;
        let mut found = None;
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            for lower in c.to_lowercase() {
                left = narrow(left, depth, lower);
                depth += 1;
            }
            let Some((name, id)) = left.first() else { break };
            if name.len() == depth && may_end(rest.as_str()) {
                found = Some((*id, rest.as_str()));
            }
        }
        found
    }
}

/// Those of a sorted list, all alike up to a place, that have this letter there.
fn narrow(names: &[(Vec<char>, ParticipantId)], place: usize, letter: char) -> &[(Vec<char>, ParticipantId)] {
    let start = names.partition_point(|(name, _)| name.get(place).is_none_or(|c| *c < letter));
    let names = names.split_at_checked(start).map_or(names, |(_, from)| from);
    let end = names.partition_point(|(name, _)| name.get(place) == Some(&letter));
    names.split_at_checked(end).map_or(names, |(alike, _)| alike)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::platform::Member;
    use crate::platform::test_site::{agent, person};
    use band_wire::rest::MentionKind;

    fn mentions(members: &[Member]) -> Vec<Mention<'_>> {
        members.iter().map(|member| Mention { member, kind: MentionKind::Mention }).collect()
    }

    fn run(content: &str, members: &[Member]) -> String {
        let text = normalise(content, &mentions(members));
        members.iter().enumerate().fold(text, |text, (index, member)| {
            text.replace(&format!("@[[{}]]", member.id), &format!("<{index}>"))
        })
    }

    #[test]
    fn handles_and_names_become_tokens_at_boundaries() {
        let echo = agent(2, "Weather Bot", 1);
        let table = [
            ("@ann/weather-bot hello", "<0> hello"),
            ("hi @Ann/WEATHER-bot.", "hi <0>."),
            ("@Weather Bot, hi", "<0>, hi"),
            ("(@weather bot)", "(<0>)"),
            ("@@ann/weather-bot", "<0>"),
            ("@ann/weather-bot's @ann/weather-bot-", "<0>'s <0>-"),
            ("hello", "<0> hello"),
            ("a@ann/weather-bot", "<0> a@ann/weather-bot"),
            ("x-@ann/weather-bot", "<0> x-@ann/weather-bot"),
            ("@ann/weather-bots", "<0> @ann/weather-bots"),
            ("@ann/weather-bot/x", "<0> @ann/weather-bot/x"),
            ("@ann/weather-bot@example.org", "<0> @ann/weather-bot@example.org"),
            ("@ann", "<0> @ann"),
            ("@", "<0> @"),
            ("", "<0> "),
            ("@[[@ann/weather-bot]]", "<0> @[[@ann/weather-bot]]"),
        ];
        for (content, wanted) in table {
            assert_eq!(run(content, std::slice::from_ref(&echo)), wanted, "{content}");
        }
    }

    #[test]
    fn the_longest_handle_wins_in_any_order_of_mentions() {
        let ann = person(1, "Ann");
        let bot = agent(2, "b", 1);
        let longer = agent(3, "b-c", 1);
        let text = "@ann @ann/b @ann/b-c @ann/b-d";
        assert_eq!(run(text, &[ann.clone(), bot.clone(), longer.clone()]), "<0> <1> <2> @ann/b-d");
        assert_eq!(run(text, &[longer, ann, bot]), "<1> <2> <0> @ann/b-d");
    }

    #[test]
    fn tokens_that_are_there_stay_and_count_as_references() {
        let echo = agent(2, "Echo", 1);
        let token = format!("@[[{}]]", echo.id);
        assert_eq!(run(&format!("x {token} y"), std::slice::from_ref(&echo)), "x <0> y");
        assert_eq!(run(&format!("@@{token}"), std::slice::from_ref(&echo)), "@@<0>");
        let stranger = "@[[00000000-0000-0000-0000-0000000000ff]]";
        assert_eq!(run(stranger, &[echo]), format!("<0> {stranger}"));
    }

    #[test]
    fn of_equal_names_the_first_mentioned_is_meant_and_the_other_is_put_in_front() {
        let (one, other) =
            (agent(2, "Bot", 1), Member { handle: "bob/bot".to_owned(), ..agent(3, "Bot", 1) });
        assert_eq!(run("hi @bot", &[one.clone(), other.clone()]), "<1> hi <0>");
        assert_eq!(run("hi @bot", &[other, one]), "<1> hi <0>");
    }

    #[test]
    fn a_reference_is_replaced_but_never_put_in_front() {
        let echo = agent(2, "Echo", 1);
        let reference = [Mention { member: &echo, kind: MentionKind::Reference }];
        assert_eq!(normalise("no name", &reference), "no name");
        assert_eq!(normalise("as @echo said", &reference), format!("as @[[{}]] said", echo.id));
    }

    #[test]
    fn a_text_without_tokens_keeps_the_rest() {
        let token = format!("@[[{}]]", agent(2, "Echo", 1).id);
        assert_eq!(without_tokens(&format!("{token} hello a@b {token}@[[x]]")), " hello a@b @[[x]]");
    }

    fn text() -> impl Strategy<Value = String> {
        let pieces = prop_oneof![
            Just("@".to_owned()),
            Just("[[".to_owned()),
            Just("]]".to_owned()),
            Just(" ".to_owned()),
            Just("@ann".to_owned()),
            Just("@Ann/B".to_owned()),
            Just("@ann/b-c".to_owned()),
            Just("@İ ẞ".to_owned()),
            Just(format!("@[[{}]]", agent(2, "b", 1).id)),
            Just("@[[00000000-0000-0000-0000-0000000000ff]]".to_owned()),
            ".{0,6}",
        ];
        prop::collection::vec(pieces, 0..12).prop_map(|pieces| pieces.concat())
    }

    fn tokens(text: &str) -> usize {
        text.matches("@[[00000000-").count()
    }

    proptest! {
        #[test]
        fn everyone_mentioned_has_a_token_and_no_token_is_nested(content in text()) {
            let members = [person(1, "Ann"), agent(2, "b", 1), agent(3, "b-c", 1), agent(4, "İ ß", 1)];
            let result = normalise(&content, &mentions(&members));
            for member in &members {
                prop_assert!(result.contains(&format!("@[[{}]]", member.id)), "{result}");
            }
            let mut whole = 0;
            let mut rest = result.as_str();
            while let Some(at) = rest.find("@[[00000000-") {
                let (_, from) = rest.split_at(at);
                let (_, after) = token(from).expect("a whole token");
                whole += 1;
                rest = after;
            }
            prop_assert_eq!(whole, tokens(&result));
        }

        #[test]
        fn a_second_pass_changes_nothing(content in text()) {
            let members = [person(1, "Ann"), agent(2, "b", 1), agent(3, "b-c", 1)];
            let once = normalise(&content, &mentions(&members));
            prop_assert_eq!(normalise(&once, &mentions(&members)), once);
        }

        #[test]
        fn no_text_panics(content in any::<String>(), name in any::<String>(), handle in any::<String>()) {
            let mut member = agent(2, &name, 1);
            member.handle = handle;
            let result = normalise(&content, &mentions(&[member]));
            prop_assert!(result.contains("@[["));
            without_tokens(&result);
        }
    }
}
