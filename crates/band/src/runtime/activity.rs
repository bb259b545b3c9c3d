//! What the log says of working reports.

use std::sync::PoisonError;

use band_wire::ChatId;
use band_wire::rest::code;

use crate::error::{Error, Result};
use crate::sync::Mutex;

/// Working reports of all rooms: that they fail is logged once, and once that they work again.
#[derive(Debug, Default)]
pub(super) struct ActivityLog {
    /// Held while that is said, so that the newest line says what holds.
    failing: Mutex<bool>,
}

impl ActivityLog {
    pub(super) fn note(&self, room: ChatId, told: &Result<bool>) {
        if let Err(err) = told
            && is_about_the_room(err)
        {
            tracing::debug!(target: "band.room", %room, %err, "nobody is at work there any more");
            return;
        }
        self.heard(told.is_err(), |was_failing| say(room, told, was_failing));
    }

    /// `say` is told whether they failed before.
    fn heard(&self, is_failing: bool, say: impl FnOnce(bool)) {
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        say(std::mem::replace(&mut *failing, is_failing));
    }
}

/// Whether only the agent's place in this room is gone: it was taken out, and its room is about to end.
fn is_about_the_room(err: &Error) -> bool {
    err.api().is_some_and(|api| api.status_code == 404 && api.code == code::NOT_FOUND)
}

fn say(room: ChatId, told: &Result<bool>, was_failing: bool) {
    match told {
        Ok(_) if was_failing => {
            tracing::info!(target: "band.room", %room, "working reports get through again");
        }
        Ok(_) => {}
        Err(err) if was_failing => {
            tracing::debug!(target: "band.room", %room, %err, "a working report failed");
        }
        Err(err) => {
            tracing::warn!(target: "band.room", %room, %err, "working reports fail; turns go on without");
        }
    }
}

#[cfg(test)]
#[cfg(feature = "shuttle")]
mod interleavings;
