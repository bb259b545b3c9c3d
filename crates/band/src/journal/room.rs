//! The journal's part of one room.

use std::sync::Arc;

use band_core::room::{Record, Recovered};
use band_wire::{ChatId, Id, MessageId};
use uuid::Uuid;

use super::{Journal, lock};
use crate::sync::Mutex;

/// The journal of one room. Clones are the same one. Nothing of it fails, or waits for anything but the disk.
#[derive(Debug, Clone)]
pub struct RoomJournal {
    journal: Journal,
    room: ChatId,
    /// What all processes together have recorded.
    sum: Arc<Mutex<Recovered>>,
}

impl RoomJournal {
    pub(super) const fn new(journal: Journal, room: ChatId, sum: Arc<Mutex<Recovered>>) -> Self {
        Self { journal, room, sum }
    }

    /// One that writes nothing: what was recorded is known as long as it lives.
    pub fn none() -> Self {
        Self { journal: Journal::none(), room: Id::new(Uuid::nil()), sum: Arc::default() }
    }

    /// Writes down what happened, before whatever depends on it is done. A disk that fails is logged and counted,
    /// and costs the record.
    pub fn record(&self, record: &Record) {
        // Held until it is written: a turn and its room record at once, and the file must tell it in this order.
        let mut sum = lock(&self.sum);
        sum.apply(record.clone());
        self.journal.record(self.room, record);
        drop(sum);
    }

    /// The reply that this send of a message's turn has left on the platform, in this process or an earlier one.
    pub fn posted(&self, message: MessageId, ordinal: u32) -> Option<MessageId> {
        lock(&self.sum).posted(message, ordinal)
    }

    /// Whether the platform is owed a mark.
    pub fn owes(&self) -> bool {
        !lock(&self.sum).debts.is_empty()
    }

    /// The sum of all that was recorded, by this process and those before it.
    pub fn recovered(&self) -> Recovered {
        lock(&self.sum).clone()
    }
}
