//! What was said in a room, as a model is to see it, for every provider alike.
//!
//! A [`Transcript`] holds a conversation in which nothing can be out of place: a call of a tool stands together
//! with its result, so that none is ever unanswered; no two calls have the same id; nothing is empty. It comes
//! from a room's past ([`Transcript::from_past`]) or grows while a turn runs. Each provider has a renderer that
//! writes it down in its own form, and every transcript has one.

mod cut;
mod entry;
mod event;
mod ids;
mod past;
mod replay;
mod state;

pub use cut::Cut;
pub use entry::{Block, Call, Entry, Exchange, Exchanged, INTERRUPTED, Opaque, Outcome};
pub use event::{ToolEvent, parse_tool_call, parse_tool_result};
pub use past::Said;
pub use state::{TaskEvent, latest_task_metadata};

use crate::platform::text::has_visible;

/// A conversation, oldest first. Every sequence of calls of its methods leaves it in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Transcript {
    entries: Vec<Entry>,
    /// Whether something older was left out.
    shortened: bool,
}

/// A place in a transcript to go back to: see [`Transcript::mark`].
#[derive(Debug, Clone, PartialEq)]
pub struct Mark(Transcript);

impl Transcript {
    /// Nothing was said yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was said.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Someone else said this. A text with nothing to see is passed over.
    pub fn push_peer(&mut self, speaker: impl Into<String>, text: impl Into<String>) {
        let text = text.into();
        if has_visible(&text) {
            self.entries.push(Entry::Peer { speaker: speaker.into(), text });
        }
    }

    /// The platform has news: who is in the room, say. A text with nothing to see is passed over.
    pub fn push_update(&mut self, text: impl Into<String>) {
        let text = text.into();
        if has_visible(&text) {
            self.entries.push(Entry::Update { text });
        }
    }

    /// The agent said this, or wrote it as its final text. A text with nothing to see is passed over.
    pub fn push_own(&mut self, text: impl Into<String>) {
        let text = text.into();
        if has_visible(&text) {
            self.entries.push(Entry::Own { text });
        }
    }

    /// The model called tools, and this came of it. A call whose id is taken gets another one; see
    /// [`admit`](Self::admit).
    pub fn push_exchange(&mut self, mut exchange: Exchange) {
        self.give_ids(exchange.calls_mut().map(|one| &mut one.call));
        self.entries.push(Entry::Exchange(exchange));
    }

    /// Remembers how it stands, for a turn that may fail before the model has answered.
    pub fn mark(&self) -> Mark {
        Mark(self.clone())
    }

    /// Goes back to how it stood.
    pub fn restore(&mut self, mark: Mark) {
        *self = mark.0;
    }

    /// Drops what providers wanted back within a turn: their next turn does not need it.
    pub fn end_turn(&mut self) {
        for entry in &mut self.entries {
            if let Entry::Exchange(exchange) = entry {
                exchange.forget_opaque();
            }
        }
    }

    /// What a renderer puts before the first entry, as an update: that something older was left out. Needed too
    /// where the first entry is the agent's own, since providers want a conversation to begin with the other side.
    pub fn preface(&self) -> Option<&'static str> {
        const SHORTENED: &str = "Older parts of this conversation were left out.";
        let own_first = matches!(self.entries.first(), Some(Entry::Own { .. } | Entry::Exchange(_)));
        (self.shortened || own_first).then_some(SHORTENED)
    }

    /// Notes that the room's past goes back further than this.
    pub const fn note_shortened(&mut self) {
        self.shortened = true;
    }
}

#[cfg(test)]
mod tests;
