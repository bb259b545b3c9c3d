//! A room's past as a transcript.

use super::Transcript;
use super::entry::{Call, Entry, Exchange, Exchanged, Outcome};
use super::event::{parse_tool_call, parse_tool_result};
use crate::turn::Effect;

/// A message or an event of a room's past.
#[derive(Debug, Clone, Copy)]
pub struct Said<'a> {
    /// Whether the agent wrote it itself.
    pub is_own: bool,
    /// `text`, `tool_call`, `tool_result`; everything else is no conversation. Empty counts as `text`.
    pub message_type: &'a str,
    /// The name to show of whoever wrote it.
    pub speaker: &'a str,
    /// Its content.
    pub content: &'a str,
}

impl Transcript {
    /// Reads a room's past, oldest first. It can't fail: what can't be used is passed over.
    ///
    /// The agent's calls are put together with their results, whatever came between them: what was said meanwhile
    /// follows. A call without a result gets one that says so; a result without a call, and what others' tools did,
    /// is passed over, as are thoughts, errors and tasks. The agent's own words stay, unless a call says the same.
    pub fn from_past<'a>(past: impl IntoIterator<Item = Said<'a>>) -> Self {
        let mut reader = Reader::default();
        for step in pair(past) {
            match step {
                Step::Text { is_own: false, speaker, text } => reader.peer(speaker, text),
                Step::Text { is_own: true, text, .. } => reader.own(text),
                Step::Call { call, outcome } => reader.call(call, outcome),
                Step::Answered => reader.answered(),
            }
        }
        reader.finish()
    }
}

/// What a past amounts to, calls with the results they will get.
enum Step<'a> {
    Text {
        is_own: bool,
        speaker: &'a str,
        text: &'a str,
    },
    Call {
        call: Call,
        outcome: Option<Outcome>,
    },
    /// The result of one of the calls before.
    Answered,
}

/// Finds the result of each call: that of its id which comes first after it. Of several open calls with one id
/// the newest gets it.
fn pair<'a>(past: impl IntoIterator<Item = Said<'a>>) -> Vec<Step<'a>> {
    let mut steps: Vec<Step<'a>> = Vec::new();
    for Said { is_own, message_type, speaker, content } in past {
        match (message_type, is_own) {
            ("text" | "", _) => steps.push(Step::Text { is_own, speaker, text: content }),
            ("tool_call", true) => {
                let call = parse_tool_call(content);
                steps.extend(call.map(|call| Step::Call { call, outcome: None }));
            }
            ("tool_result", true) => {
                let Some((id, _, found)) = parse_tool_result(content) else { continue };
                let mut open = steps.iter_mut().rev().filter_map(|step| match step {
                    Step::Call { call, outcome: outcome @ None } if call.id == id => Some(outcome),
                    _ => None,
                });
                if let Some(outcome) = open.next() {
                    *outcome = Some(found);
                    steps.push(Step::Answered);
                }
            }
            _ => {}
        }
    }
    steps
}

/// Puts the steps in an order that every provider takes.
#[derive(Default)]
struct Reader<'a> {
    done: Transcript,
    /// Calls of the step that is being read.
    open: Vec<(Call, Option<Outcome>)>,
    /// How many of their results are still to come.
    waiting: usize,
    /// What was said meanwhile.
    held: Vec<(Option<&'a str>, &'a str)>,
}

impl<'a> Reader<'a> {
    fn peer(&mut self, speaker: &'a str, text: &'a str) {
        self.say(Some(speaker), text);
    }

    fn own(&mut self, text: &'a str) {
        // The call is the very act of saying it.
        let said_by_call = self.waiting > 0
            && self.open.iter().any(|(call, outcome)| {
                replies(call) && outcome.as_ref().is_some_and(|outcome| !outcome.is_error)
            });
        if !said_by_call {
            self.say(None, text);
        }
    }

    fn say(&mut self, speaker: Option<&'a str>, text: &'a str) {
        self.held.push((speaker, text));
        if self.waiting == 0 {
            self.close();
        }
    }

    fn call(&mut self, call: Call, outcome: Option<Outcome>) {
        self.waiting += usize::from(outcome.is_some());
        self.open.push((call, outcome));
    }

    fn answered(&mut self) {
        self.waiting = self.waiting.saturating_sub(1);
        if self.waiting == 0 {
            self.close();
        }
    }

    /// Everything that is open is in: the calls come first, then what was said meanwhile.
    fn close(&mut self) {
        let calls = self.open.drain(..).map(|(call, outcome)| match outcome {
            Some(outcome) => Exchanged::new(call, outcome),
            None => Exchanged::interrupted(call),
        });
        if let Some(exchange) = Exchange::new(calls) {
            let said_before = |last: &Entry| matches!(last, Entry::Own { text } if says(&exchange, text));
            if self.done.entries.last().is_some_and(said_before) {
                self.done.entries.pop();
            }
            self.done.push_exchange(exchange);
        }
        for (speaker, text) in std::mem::take(&mut self.held) {
            match (speaker, self.done.entries.last()) {
                (Some(speaker), _) => self.done.push_peer(speaker, text),
                (None, Some(Entry::Exchange(exchange))) if says(exchange, text) => {}
                (None, _) => self.done.push_own(text),
            }
        }
    }

    fn finish(mut self) -> Transcript {
        self.close();
        self.done
    }
}

fn replies(call: &Call) -> bool {
    Effect::of_tool(&call.name) == Effect::Reply
}

/// Whether one of the calls has said this in the room.
fn says(exchange: &Exchange, text: &str) -> bool {
    let calls = exchange.calls().filter(|one| replies(&one.call) && !one.outcome.is_error);
    let mut contents = calls.filter_map(|one| one.call.arguments.get("content")?.as_str());
    contents.any(|content| without_mentions(content) == without_mentions(text))
}

/// A text without the mentions it begins with: the platform may have put them there.
fn without_mentions(text: &str) -> &str {
    let text = text.trim();
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) if word.starts_with('@') => without_mentions(rest),
        _ => text,
    }
}
