//! What this process has in hand, owes and has handled.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use band_wire::{ChatId, MessageId};

/// Ids of handled messages that are remembered for each room.
const COMPLETED_MAX: usize = 500;
/// Rooms of which handled messages are remembered; the one that was used longest ago is forgotten first.
const ROOMS_MAX: usize = 10_000;
/// Marks that are remembered as owed.
const OWED_MAX: usize = 10_000;

/// The ledger of one agent's messages. In hand, owed and handled do not exclude each other.
#[derive(Debug, Default)]
pub struct Claims {
    in_hand: BTreeSet<(ChatId, MessageId)>,
    owed: BTreeSet<(ChatId, MessageId)>,
    completed: BTreeMap<ChatId, VecDeque<MessageId>>,
    /// Oldest use first.
    rooms: VecDeque<ChatId>,
}

impl Claims {
    /// Nothing in hand.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a message in hand. False when it is already.
    pub fn try_claim(&mut self, room: ChatId, message: MessageId) -> bool {
        self.in_hand.insert((room, message))
    }

    /// Puts it back.
    pub fn release(&mut self, room: ChatId, message: MessageId) {
        self.in_hand.remove(&(room, message));
    }

    /// The platform is owed the processed mark: the message is not run again, whatever happens.
    pub fn remember_owed(&mut self, room: ChatId, message: MessageId) {
        self.owed.insert((room, message));
        if self.owed.len() > OWED_MAX {
            self.owed.pop_first();
        }
    }

    /// Whether the mark is owed.
    pub fn is_owed(&self, room: ChatId, message: MessageId) -> bool {
        self.owed.contains(&(room, message))
    }

    /// The message is handled, and nothing is owed for it any more.
    pub fn remember_completed(&mut self, room: ChatId, message: MessageId) {
        self.owed.remove(&(room, message));
        let completed = self.completed.entry(room).or_default();
        completed.retain(|known| *known != message);
        completed.push_back(message);
        if completed.len() > COMPLETED_MAX {
            completed.pop_front();
        }
        self.used(room);
    }

    /// Whether the message is handled, as far as is remembered.
    pub fn is_completed(&self, room: ChatId, message: MessageId) -> bool {
        self.completed.get(&room).is_some_and(|known| known.contains(&message))
    }

    /// The agent is out of the room: its handled messages are forgotten. What is owed stays.
    pub fn forget_room(&mut self, room: ChatId) {
        self.completed.remove(&room);
        self.rooms.retain(|known| *known != room);
    }

    fn used(&mut self, room: ChatId) {
        if self.rooms.back() == Some(&room) {
            return;
        }
        self.rooms.retain(|known| *known != room);
        self.rooms.push_back(room);
        if self.rooms.len() > ROOMS_MAX
            && let Some(oldest) = self.rooms.pop_front()
        {
            self.completed.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use band_wire::Id;
    use uuid::Uuid;

    use super::*;

    fn id<M>(number: u128) -> Id<M> {
        Id::new(Uuid::from_u128(number))
    }

    #[test]
    fn of_too_many_rooms_the_one_used_longest_ago_is_forgotten_and_what_is_owed_stays() {
        let mut claims = Claims::new();
        claims.remember_owed(id(0), id(1));
        for room in 0..=ROOMS_MAX as u128 {
            claims.remember_completed(id(room), id(2));
        }
        assert!(!claims.is_completed(id(0), id(2)) && claims.is_completed(id(1), id(2)));
        assert!(claims.is_owed(id(0), id(1)));
    }
}
