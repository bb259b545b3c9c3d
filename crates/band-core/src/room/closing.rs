//! The end of a room: the turn may finish, the last calls go out, and that is all.

use super::config::FLUSH;
use super::io::Output;
use super::{Room, Why};
use crate::Moment;
use crate::turn::Cancel;

/// How far a room's life has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    Open,
    Closing {
        /// Until when the turn, and after it the last calls, may take.
        by: Moment,
        graceful: bool,
    },
    Closed,
}

impl Room {
    pub(super) fn is_closing(&self) -> bool {
        self.life != Life::Open
    }

    pub(super) fn close(&mut self, by: Option<Moment>) {
        let mut by = by.unwrap_or(self.now).max(self.now);
        match &mut self.life {
            Life::Closed => return,
            // Said again, it can only become sooner.
            Life::Closing { by: known, .. } => {
                by = by.min(*known);
                *known = by;
            }
            Life::Open => self.life = Life::Closing { by, graceful: true },
        }
        self.drop_prepared();
        self.owed.last_tries();
        self.working.no_more();
        self.queue.clear();
        self.hub.clear();
        self.timers.clear(Why::Synthetic);
        self.timers.clear(Why::Resync);
        self.timers.clear(Why::Retry);
        if by <= self.now { self.stop_turn() } else { self.timers.set(Why::StopBy, by) }
    }

    /// The turn has had its time.
    pub(super) fn stop_turn(&mut self) {
        self.cancel(Cancel::Shutdown);
        self.cancel_detached();
    }

    /// A turn was cancelled because the room closes.
    pub(super) const fn was_cancelled(&mut self) {
        if let Life::Closing { graceful, .. } = &mut self.life {
            *graceful = false;
        }
    }

    /// Closes when nothing is left to do; otherwise sees to it that the wait has an end.
    pub(super) fn finish_closing(&mut self) {
        let Life::Closing { by, .. } = self.life else { return };
        if self.work.is_some() || !self.detached.is_empty() {
            return;
        }
        let is_busy = self.owed.is_hopeful()
            || !self.late_claims.is_empty()
            || !self.notices.is_empty()
            || !self.working.is_quiet();
        if is_busy {
            let most = by.max(self.now + FLUSH);
            let known = self.timers.get(Why::FlushBy);
            self.timers.set(Why::FlushBy, known.map_or(most, |known| known.min(most)));
        } else {
            self.close_now();
        }
    }

    pub(super) fn close_now(&mut self) {
        if let Life::Closing { graceful, .. } = self.life {
            self.life = Life::Closed;
            self.timers.clear_all();
            self.out.push_back(Output::Closed { graceful });
        }
    }
}
