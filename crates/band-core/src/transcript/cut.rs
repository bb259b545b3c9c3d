//! Making a transcript fit a model's context.

use super::Transcript;
use super::entry::{Block, Entry, Outcome};

/// What an image counts as, in bytes of text.
const IMAGE_SIZE: usize = 6_000;
/// What an entry counts as beside its texts.
const ENTRY_SIZE: usize = 20;
/// Outputs up to this length are not worth cutting, in bytes.
const OUTPUT_KEPT: usize = 200;

/// What was left out of a transcript to make it fit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cut {
    /// Outputs of tools, in part or as a whole.
    pub outputs: usize,
    /// Entries of the oldest turns.
    pub entries: usize,
    /// Whether it fits now. If not, the newest turn alone is too long.
    pub fits: bool,
}

impl Cut {
    /// What people are told, if something was left out.
    pub fn note(self) -> Option<String> {
        let outputs = (self.outputs > 0).then(|| format!("the output of {} tool call(s)", self.outputs));
        let entries = (self.entries > 0).then(|| format!("{} of the oldest entries", self.entries));
        let parts: Vec<String> = outputs.into_iter().chain(entries).collect();
        let parts = parts.join(" and ");
        (!parts.is_empty())
            .then(|| format!("The conversation was too long for the model. Left out of its view: {parts}."))
    }
}

impl Transcript {
    /// About how long it is, in bytes of text; a token is three or four of them.
    pub fn size(&self) -> usize {
        self.entries.iter().map(size).sum()
    }

    /// Makes it fit a size in bytes: first the oldest outputs of tools go, save those of the newest calls; then
    /// the oldest turns, save the one that is under way; then the middle of the longest outputs that are left; then
    /// messages before the newest one that nobody has answered. Calls and their results stay together throughout.
    pub fn cut_to(&mut self, most: usize) -> Cut {
        let mut cut = Cut::default();
        let mut over = self.size().saturating_sub(most);
        let newest = self.entries.len().saturating_sub(1);
        for entry in self.entries.iter_mut().take(newest) {
            for outcome in outcomes(entry) {
                if over > 0 && output_size(outcome) > OUTPUT_KEPT {
                    over = over.saturating_sub(drop_output(outcome));
                    cut.outputs += 1;
                }
            }
        }
        while over > 0 && self.drop_oldest_turn(&mut cut, &mut over) {}
        if over > 0 {
            self.cut_longest(&mut cut, &mut over);
        }
        while over > 0 && self.drop_unanswered(&mut cut, &mut over) {}
        cut.fits = over == 0;
        cut
    }

    fn drop_oldest_turn(&mut self, cut: &mut Cut, over: &mut usize) -> bool {
        let mut pairs = self.entries.iter().zip(self.entries.iter().skip(1));
        let Some(end) = pairs.position(|(before, next)| before.is_own() && !next.is_own()) else {
            return false;
        };
        self.drop_first(end + 1, cut, over);
        true
    }

    /// Drops the oldest of several messages that nobody has answered. The newest stays, and the news right before it.
    fn drop_unanswered(&mut self, cut: &mut Cut, over: &mut usize) -> bool {
        let newest =
            self.entries.iter().rposition(|entry| matches!(entry, Entry::Peer { .. })).unwrap_or_default();
        let before = self.entries.iter().take(newest).rev();
        let kept =
            newest.saturating_sub(before.take_while(|entry| matches!(entry, Entry::Update { .. })).count());
        if kept == 0 || self.entries.first().is_none_or(Entry::is_own) {
            return false;
        }
        self.drop_first(1, cut, over);
        true
    }

    fn drop_first(&mut self, count: usize, cut: &mut Cut, over: &mut usize) {
        let dropped: usize = self.entries.drain(..count).map(|entry| size(&entry)).sum();
        cut.entries += count;
        *over = over.saturating_sub(dropped);
        self.shortened = true;
    }

    fn cut_longest(&mut self, cut: &mut Cut, over: &mut usize) {
        let mut all: Vec<&mut Outcome> = self.entries.iter_mut().flat_map(outcomes).collect();
        all.sort_by_key(|outcome| std::cmp::Reverse(output_size(outcome)));
        for outcome in all {
            let before = output_size(outcome);
            if *over == 0 || before <= OUTPUT_KEPT {
                break;
            }
            let text = keep_ends(&outcome.as_text(), before.saturating_sub(*over).max(OUTPUT_KEPT));
            outcome.blocks = vec![Block::Text(text)];
            *over = over.saturating_sub(before.saturating_sub(output_size(outcome)));
            cut.outputs += 1;
        }
    }
}

fn outcomes(entry: &mut Entry) -> Vec<&mut Outcome> {
    match entry {
        Entry::Exchange(exchange) => exchange.calls_mut().map(|one| &mut one.outcome).collect(),
        Entry::Peer { .. } | Entry::Update { .. } | Entry::Own { .. } => Vec::new(),
    }
}

fn size(entry: &Entry) -> usize {
    let text = match entry {
        Entry::Peer { speaker, text } => speaker.len() + text.len(),
        Entry::Update { text } | Entry::Own { text } => text.len(),
        Entry::Exchange(exchange) => {
            let calls = exchange.calls().map(|one| {
                let arguments = serde_json::to_string(&one.call.arguments).map_or(0, |json| json.len());
                ENTRY_SIZE + one.call.name.len() + arguments + output_size(&one.outcome)
            });
            exchange.text().map_or(0, str::len) + exchange.opaque_size() + calls.sum::<usize>()
        }
    };
    ENTRY_SIZE + text
}

fn output_size(outcome: &Outcome) -> usize {
    let blocks = outcome.blocks.iter().map(|block| match block {
        Block::Text(text) => text.len(),
        Block::Image { .. } => IMAGE_SIZE,
    });
    blocks.sum()
}

/// Says how much that has saved.
fn drop_output(outcome: &mut Outcome) -> usize {
    let before = output_size(outcome);
    outcome.blocks = vec![Block::Text(format!("[{before} bytes of output left out]"))];
    before.saturating_sub(output_size(outcome))
}

/// Head and tail of a text, so many bytes at most together with what stands between them.
fn keep_ends(text: &str, most: usize) -> String {
    const GAP: &str = "\n[…]\n";
    if text.len() <= most {
        return text.to_owned();
    }
    let half = most.saturating_sub(GAP.len()) / 2;
    let head = text.get(..text.floor_char_boundary(half)).unwrap_or_default();
    let tail = text.get(text.ceil_char_boundary(text.len().saturating_sub(half))..).unwrap_or_default();
    format!("{head}{GAP}{tail}")
}
