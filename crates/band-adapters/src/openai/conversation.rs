//! What each room has said so far, as the model sees it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use band_wire::ChatId;

use super::wire::Entry;

/// Entries of a room that are kept. Older ones go first, whole exchanges at a time.
const ENTRIES_MAX: usize = 400;

/// The conversations of all rooms. Only sequences that a provider accepts get in: a call of a tool together
/// with its result.
#[derive(Debug, Default)]
pub(super) struct Conversations(Mutex<BTreeMap<ChatId, Vec<Arc<Entry>>>>);

impl Conversations {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<ChatId, Vec<Arc<Entry>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a room's conversation over.
    pub(super) fn begin(&self, room: ChatId, entries: Vec<Entry>) {
        self.lock().insert(room, Vec::new());
        self.extend(room, entries);
    }

    pub(super) fn extend(&self, room: ChatId, entries: impl IntoIterator<Item = Entry>) {
        let mut rooms = self.lock();
        let kept = rooms.entry(room).or_default();
        kept.extend(entries.into_iter().map(Arc::new));
        if kept.len() > ENTRIES_MAX {
            let surplus = kept.len() - ENTRIES_MAX;
            let is_start = |entry: &Arc<Entry>| matches!(**entry, Entry::User { .. });
            let cut = kept.iter().skip(surplus).position(is_start).map_or(kept.len(), |at| surplus + at);
            kept.drain(..cut);
        }
    }

    pub(super) fn of(&self, room: ChatId) -> Vec<Arc<Entry>> {
        self.lock().get(&room).cloned().unwrap_or_default()
    }

    /// Puts a room's conversation back to what it was.
    pub(super) fn restore(&self, room: ChatId, entries: Vec<Arc<Entry>>) {
        self.lock().insert(room, entries);
    }

    pub(super) fn forget(&self, room: ChatId) {
        self.lock().remove(&room);
    }

    pub(super) fn forget_all(&self) {
        self.lock().clear();
    }
}

#[cfg(test)]
mod tests {
    use band_wire::Id;
    use uuid::Uuid;

    use super::super::wire::ToolCall;
    use super::*;

    #[test]
    fn a_long_conversation_loses_its_oldest_exchanges_whole() {
        let conversations = Conversations::default();
        let room = Id::new(Uuid::nil());
        for n in 0..200 {
            let call = ToolCall::new(n.to_string(), "f".into(), "{}".into());
            conversations.extend(
                room,
                [
                    Entry::User { content: n.to_string() },
                    Entry::Assistant { content: None, tool_calls: vec![call] },
                    Entry::Tool { tool_call_id: n.to_string(), content: "r".into() },
                ],
            );
        }
        let kept = conversations.of(room);
        assert!(kept.len() <= ENTRIES_MAX && kept.len() > ENTRIES_MAX - 3);
        assert!(matches!(*kept[0], Entry::User { .. }));
        assert!(matches!(*kept[kept.len() - 1], Entry::Tool { .. }));
        conversations.forget(room);
        assert!(conversations.of(room).is_empty());
    }
}
