//! What echo reads from a message.

use band_wire::ParticipantId;
use band_wire::rest::MentionRecord;

/// The longest nap, in milliseconds.
const MAX_SLEEP: u64 = 3_600_000;

/// What a message asks of a drill.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Drill {
    pub(super) sleep_millis: Option<u64>,
    pub(super) fail: bool,
}

/// Reads the marks. A mark that does not read is plain text.
pub(super) fn drill(text: &str) -> Drill {
    let sleeps = text.split("[[sleep:").skip(1);
    let millis = sleeps.filter_map(|rest| rest.split_once("]]")?.0.trim().parse::<u64>().ok()).next();
    Drill { sleep_millis: millis.map(|millis| millis.min(MAX_SLEEP)), fail: text.contains("[[fail]]") }
}

/// The text without mention tokens and without the handles of those it mentions, trimmed.
pub(super) fn without_mentions(text: &str, mentions: &[MentionRecord]) -> String {
    let mut rest = without_tokens(text);
    let mut handles: Vec<&str> = mentions.iter().filter_map(|mention| mention.handle.as_deref()).collect();
    handles.sort_by_key(|handle| std::cmp::Reverse(handle.len()));
    for handle in handles {
        rest = without_handle(&rest, handle.trim_start_matches('@'));
    }
    rest.trim().to_owned()
}

/// Takes `@[[uuid]]` out, with the space after it.
fn without_tokens(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("@[[") {
        kept.push_str(before);
        match after.split_once("]]") {
            Some((id, tail)) if id.parse::<ParticipantId>().is_ok() => {
                rest = tail.strip_prefix(' ').unwrap_or(tail);
            }
            _ => {
                kept.push_str("@[[");
                rest = after;
            }
        }
    }
    kept.push_str(rest);
    kept
}

/// Takes `@handle` out where it stands as a word, with the space after it.
fn without_handle(text: &str, handle: &str) -> String {
    if handle.is_empty() {
        return text.to_owned();
    }
    let wanted = format!("@{handle}");
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(wanted.as_str()) {
        let is_word = !after.starts_with(is_handle_char);
        kept.push_str(before);
        if is_word {
            rest = after.strip_prefix(' ').unwrap_or(after);
        } else {
            kept.push_str(&wanted);
            rest = after;
        }
    }
    kept.push_str(rest);
    kept
}

fn is_handle_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '-' | '_' | '/')
}

#[cfg(test)]
mod tests {
    use band_wire::Id;
    use uuid::Uuid;

    use super::*;

    fn mention(handle: &str) -> MentionRecord {
        serde_json::from_value(serde_json::json!({ "id": Uuid::nil(), "handle": handle })).unwrap()
    }

    #[test]
    fn marks_are_read_and_odd_ones_are_plain_text() {
        let table = [
            ("x", None, false),
            ("[[sleep:250]] x [[fail]]", Some(250), true),
            ("[[sleep:]] [[sleep:-1]] [[sleep: 7 ]]", Some(7), false),
            ("[[sleep:99999999999]]", Some(MAX_SLEEP), false),
            ("[[sleep:99999999999999999999999]] [[sleep", None, false),
        ];
        for (text, sleep_millis, fail) in table {
            assert_eq!(drill(text), Drill { sleep_millis, fail }, "{text}");
        }
    }

    #[test]
    fn tokens_and_handles_of_the_mentions_go_and_nothing_else() {
        let id: ParticipantId = Id::new(Uuid::nil());
        let mentions = [mention("ada"), mention("ada/echo")];
        let table = [
            (format!("@[[{id}]] hi @[[{id}]] there"), "hi there"),
            ("@ada/echo hello".to_owned(), "hello"),
            ("hi @ada, and @adam or @ada/other".to_owned(), "hi , and @adam or @ada/other"),
            ("@[[x]] @bob".to_owned(), "@[[x]] @bob"),
            ("  @ada  ".to_owned(), ""),
        ];
        for (text, expected) in table {
            assert_eq!(without_mentions(&text, &mentions), expected, "{text}");
        }
    }
}
