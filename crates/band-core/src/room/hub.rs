//! Messages that the agent puts into a room itself, so that a model sees what has no message on the platform.

use std::collections::VecDeque;

use band_wire::rest::Message;

use super::config::SYNTHETIC_MAX;
use super::io::Note;
use super::work::Origin;
use super::{Room, Why};
use crate::backoff::Backoff;
use crate::turn::Ruling;

/// Synthetic messages, oldest first. They are not claimed, marked, charged or judged, and they keep their own
/// order. Those of a stopped room wait.
#[derive(Debug)]
pub(super) struct Hub {
    waiting: VecDeque<Box<Message>>,
    resting: bool,
    backoff: Backoff,
}

impl Hub {
    pub(super) const fn new(backoff: Backoff) -> Self {
        Self { waiting: VecDeque::new(), resting: false, backoff }
    }

    pub(super) const fn wake(&mut self) {
        self.resting = false;
    }

    pub(super) fn clear(&mut self) {
        self.waiting.clear();
    }

    pub(super) fn has_more(&self) -> bool {
        !self.resting && !self.waiting.is_empty()
    }
}

impl Room {
    pub(super) fn synthetic(&mut self, message: Box<Message>) {
        if self.is_closing() {
            return;
        }
        if self.hub.waiting.len() >= SYNTHETIC_MAX {
            return self.note(Note::HubFull);
        }
        self.hub.waiting.push_back(message);
    }

    /// Begins the turn of the oldest synthetic message, if it may run now.
    pub(super) fn take_synthetic(&mut self) -> bool {
        // What the platform serves is begun when its answer comes, so nothing else may be at work then.
        if self.stopped || self.hub.resting || self.pass.is_asking() {
            return false;
        }
        let Some(message) = self.hub.waiting.pop_front() else { return false };
        self.begin(message, Origin::Synthetic);
        true
    }

    /// A synthetic message whose turn did not come about waits in front of the others.
    pub(super) fn keep_synthetic(&mut self, message: Box<Message>) {
        self.hub.waiting.push_front(message);
    }

    /// Its turn is over. There is nothing to mark, and nobody to tell.
    pub(super) fn synthetic_ruled(&mut self, message: Box<Message>, ruling: &Ruling) {
        match ruling {
            Ruling::Processed => self.hub.backoff.reset(),
            Ruling::Failed { .. } => self.note(Note::HubFailed(message.id)),
            Ruling::Later => self.rest_synthetic(message),
            Ruling::Paused => self.keep_synthetic(message),
            Ruling::Left => self.was_cancelled(),
        }
    }

    pub(super) fn rest_synthetic(&mut self, message: Box<Message>) {
        self.keep_synthetic(message);
        self.hub.resting = true;
        let wait = self.hub.backoff.next(&mut self.dice);
        self.timers.set(Why::Synthetic, self.now + wait);
    }
}
