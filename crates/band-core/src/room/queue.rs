//! Pushes that wait for their turn.

use std::collections::{BTreeSet, VecDeque};

use band_wire::MessageId;
use band_wire::rest::Message;

use super::config::QUEUE_MAX;
use crate::trial::{self, Fault};

/// A bounded queue that holds each message once.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: VecDeque<Box<Message>>,
    ids: BTreeSet<MessageId>,
}

impl Queue {
    /// Appends a message, unless it waits already. False when there is no place.
    pub(super) fn push(&mut self, message: Box<Message>) -> bool {
        if self.ids.contains(&message.id) {
            return true;
        }
        if self.waiting.len() >= trial::queue_max(QUEUE_MAX) && !trial::has(Fault::QueueUnbounded) {
            return false;
        }
        self.ids.insert(message.id);
        self.waiting.push_back(message);
        trial::note_depth(self.waiting.len());
        true
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn pop(&mut self) -> Option<Box<Message>> {
        let message = self.waiting.pop_front()?;
        self.ids.remove(&message.id);
        Some(message)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Box<Message>> {
        self.waiting.iter()
    }

    /// Takes a message out, wherever it stands; the order of the others is kept.
    pub(super) fn forget(&mut self, id: MessageId) {
        if self.ids.remove(&id) {
            self.waiting.retain(|message| message.id != id);
        }
    }

    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.ids.clear();
    }
}
