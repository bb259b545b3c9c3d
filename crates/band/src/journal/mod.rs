//! What outlives a process, room by room.

use std::sync::{Arc, Mutex, PoisonError};

use band_core::room::{Record, Recovered};
use band_wire::{ChatId, MessageId};

/// The journals of an agent's rooms.
#[derive(Debug, Clone, Default)]
pub(crate) struct Journal(());

impl Journal {
    /// Nothing is written to a disk: what is known of a room lives as long as this process.
    pub(crate) const fn none() -> Self {
        Self(())
    }

    /// The journal of one room.
    pub(crate) fn room(&self, _room: ChatId) -> RoomJournal {
        RoomJournal::none()
    }
}

/// The journal of one room. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct RoomJournal(Arc<Mutex<Recovered>>);

impl RoomJournal {
    /// One that remembers as long as this process lives.
    pub(crate) fn none() -> Self {
        Self::default()
    }

    /// Writes something down, before what depends on it is done.
    pub(crate) fn record(&self, record: &Record) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).apply(record.clone());
    }

    /// The reply that is stored already as this send of the message's turn.
    pub(crate) fn posted(&self, message: MessageId, ordinal: u32) -> Option<MessageId> {
        let sum = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sum.posted.get(&(message, ordinal)).copied()
    }

    /// All that was written down, summed up.
    pub(crate) fn recovered(&self) -> Recovered {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
