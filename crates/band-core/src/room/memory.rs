//! What a room remembers of the messages it has seen.

use std::collections::BTreeMap;

use band_wire::MessageId;

use super::config::{ATTEMPTS_MAX, COMPLETED_MAX};

/// Handled messages and attempts, each bounded: the oldest is forgotten first.
#[derive(Debug)]
pub(super) struct Memory {
    completed: Recent<()>,
    tries: Recent<Tries>,
    /// Starts of earlier processes that ended without a verdict.
    started: BTreeMap<MessageId, u32>,
    given_up: Recent<()>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tries {
    charged: u32,
    refused: u32,
}

impl Memory {
    /// What earlier stays in the room left behind.
    pub(super) fn resume(
        handled: Vec<MessageId>,
        started: Vec<(MessageId, u32)>,
        given_up: Vec<MessageId>,
    ) -> Self {
        let completed = Recent::of(COMPLETED_MAX, handled);
        let given_up = Recent::of(ATTEMPTS_MAX, given_up);
        let started = started.into_iter().collect();
        Self { completed, tries: Recent::new(ATTEMPTS_MAX), started, given_up }
    }

    /// How often a turn was started on a message by earlier processes and ended without a verdict.
    pub(super) fn started(&self, id: MessageId) -> u32 {
        self.started.get(&id).copied().unwrap_or_default()
    }

    /// The message has a verdict: its starts do not count any more.
    pub(super) fn ruled(&mut self, id: MessageId) {
        self.started.remove(&id);
    }

    pub(super) fn give_up(&mut self, id: MessageId) {
        self.started.remove(&id);
        self.given_up.put(id, ());
    }

    pub(super) fn is_given_up(&self, id: MessageId) -> bool {
        self.given_up.get(id).is_some()
    }

    pub(super) fn complete(&mut self, id: MessageId) {
        self.tries.remove(id);
        self.started.remove(&id);
        self.given_up.remove(id);
        self.completed.put(id, ());
    }

    pub(super) fn is_complete(&self, id: MessageId) -> bool {
        self.completed.get(id).is_some()
    }

    /// Attempts charged for a message.
    pub(super) fn attempts(&self, id: MessageId) -> u32 {
        self.tries.get(id).map_or(0, |tries| tries.charged)
    }

    pub(super) fn charge(&mut self, id: MessageId) {
        self.given_up.remove(id);
        let charged = self.attempts(id).saturating_add(1);
        self.tries.put(id, Tries { charged, refused: 0 });
    }

    /// Gives an attempt back: the turn was not the message's fault.
    pub(super) fn uncharge(&mut self, id: MessageId) {
        match self.attempts(id).saturating_sub(1) {
            0 => self.tries.remove(id),
            charged => self.tries.put(id, Tries { charged, refused: 0 }),
        }
    }

    /// Notes a claim that was refused; gives how many were in a row.
    pub(super) fn refused(&mut self, id: MessageId) -> u32 {
        let mut tries = self.tries.get(id).copied().unwrap_or_default();
        tries.refused = tries.refused.saturating_add(1);
        self.tries.put(id, tries);
        tries.refused
    }
}

/// A map that forgets the entry that was put longest ago.
#[derive(Debug)]
struct Recent<V> {
    most: usize,
    clock: u64,
    entries: BTreeMap<MessageId, (u64, V)>,
    order: BTreeMap<u64, MessageId>,
}

impl Recent<()> {
    /// The newest of these, oldest first.
    fn of(most: usize, ids: Vec<MessageId>) -> Self {
        let mut recent = Self::new(most);
        ids.into_iter().for_each(|id| recent.put(id, ()));
        recent
    }
}

impl<V> Recent<V> {
    const fn new(most: usize) -> Self {
        Self { most, clock: 0, entries: BTreeMap::new(), order: BTreeMap::new() }
    }

    fn get(&self, id: MessageId) -> Option<&V> {
        self.entries.get(&id).map(|(_, value)| value)
    }

    fn put(&mut self, id: MessageId, value: V) {
        self.remove(id);
        self.clock += 1;
        self.entries.insert(id, (self.clock, value));
        self.order.insert(self.clock, id);
        if self.entries.len() > self.most
            && let Some((_, oldest)) = self.order.pop_first()
        {
            self.entries.remove(&oldest);
        }
    }

    fn remove(&mut self, id: MessageId) {
        if let Some((at, _)) = self.entries.remove(&id) {
            self.order.remove(&at);
        }
    }
}

#[cfg(test)]
mod tests {
    use band_wire::Id;
    use uuid::Uuid;

    use super::*;

    fn id(n: usize) -> MessageId {
        Id::new(Uuid::from_u128(n as u128))
    }

    fn memory() -> Memory {
        Memory::resume(Vec::new(), Vec::new(), Vec::new())
    }

    #[test]
    fn the_message_completed_longest_ago_is_forgotten_first() {
        let mut memory = memory();
        for n in 0..COMPLETED_MAX {
            memory.complete(id(n));
        }
        memory.complete(id(0));
        memory.complete(id(COMPLETED_MAX));
        assert!(memory.is_complete(id(0)) && memory.is_complete(id(COMPLETED_MAX)));
        assert!(!memory.is_complete(id(1)), "it was the oldest");
        assert!(memory.is_complete(id(2)));
    }

    #[test]
    fn attempts_are_charged_and_given_back_never_below_zero() {
        let mut memory = memory();
        memory.uncharge(id(1));
        memory.charge(id(1));
        memory.charge(id(1));
        memory.uncharge(id(1));
        assert_eq!(memory.attempts(id(1)), 1);
        assert_eq!((memory.refused(id(1)), memory.refused(id(1))), (1, 2));
        assert_eq!(memory.attempts(id(1)), 1);
        memory.complete(id(1));
        assert_eq!(memory.attempts(id(1)), 0);
    }
}
