//! What a room remembers of the messages it has seen.

use std::collections::BTreeMap;

use band_wire::MessageId;

use super::config::{ATTEMPTS_MAX, COMPLETED_MAX};

/// Handled messages and attempts, each bounded: the oldest is forgotten first.
#[derive(Debug)]
pub(super) struct Memory {
    completed: Recent<()>,
    tries: Recent<Tries>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tries {
    charged: u32,
    refused: u32,
}

impl Memory {
    pub(super) fn new() -> Self {
        Self { completed: Recent::new(COMPLETED_MAX), tries: Recent::new(ATTEMPTS_MAX) }
    }

    pub(super) fn complete(&mut self, id: MessageId) {
        self.tries.remove(id);
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

    #[test]
    fn the_message_completed_longest_ago_is_forgotten_first() {
        let mut memory = Memory::new();
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
        let mut memory = Memory::new();
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
