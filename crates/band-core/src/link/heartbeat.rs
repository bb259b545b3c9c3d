//! Whether the socket is alive.
//!
//! A heartbeat goes out every 30 s. Only its own reply acknowledges it; without one for 60 s the socket is
//! dead. It is dead earlier, 10 s after a heartbeat, when nothing at all has come in since: a server that
//! lives answers something. A late reply to a join or a leave brings the next heartbeat forward, so that a
//! dead socket is noticed while someone waits for it.

use crate::Moment;
use crate::trial::{self, Fault};

use super::limits::{DEAD_AFTER, HEARTBEAT_EVERY, SILENT_AFTER};

/// What the heartbeat asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// Send a heartbeat, then call [`Heartbeat::sent`].
    Beat,
    /// Drop the socket.
    Dead,
}

/// The heartbeat that is not answered yet.
#[derive(Debug, Clone, Copy)]
struct Pending {
    reference: u64,
    /// None once anything came in.
    silent_at: Option<Moment>,
}

#[derive(Debug)]
pub(super) struct Heartbeat {
    beat_at: Moment,
    dead_at: Moment,
    pending: Option<Pending>,
}

impl Heartbeat {
    /// For a socket that opened just now.
    pub(super) fn new(now: Moment) -> Self {
        Self { beat_at: now + HEARTBEAT_EVERY, dead_at: now + DEAD_AFTER, pending: None }
    }

    /// Anything came in.
    pub(super) const fn heard(&mut self) {
        if let Some(pending) = &mut self.pending {
            pending.silent_at = None;
        }
    }

    /// A heartbeat went out.
    pub(super) fn sent(&mut self, now: Moment, reference: u64) {
        self.pending = Some(Pending { reference, silent_at: Some(now + SILENT_AFTER) });
        self.beat_at = now + HEARTBEAT_EVERY;
    }

    /// A reply on the topic of heartbeats came in.
    pub(super) fn replied(&mut self, now: Moment, reference: u64) {
        if self.pending.is_some_and(|pending| pending.reference == reference) {
            self.pending = None;
            self.dead_at = now + DEAD_AFTER;
        }
    }

    /// Brings the next heartbeat forward, unless one is under way.
    pub(super) const fn probe(&mut self, now: Moment) {
        if self.pending.is_none() {
            self.beat_at = now;
        }
    }

    /// When something is due, and whether that is the end.
    pub(super) fn deadline(&self) -> (Moment, Due) {
        if trial::has(Fault::HeartbeatOff) {
            return (self.beat_at + HEARTBEAT_EVERY * 1_000, Due::Beat);
        }
        let silent_at = self.pending.and_then(|pending| pending.silent_at);
        let dead_at = silent_at.map_or(self.dead_at, |silent_at| silent_at.min(self.dead_at));
        if dead_at <= self.beat_at { (dead_at, Due::Dead) } else { (self.beat_at, Due::Beat) }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn at(secs: u64) -> Moment {
        Moment::at(Duration::from_secs(secs))
    }

    #[test]
    fn the_first_beat_is_due_after_half_a_minute_and_then_each_half_minute() {
        let mut heartbeat = Heartbeat::new(at(0));
        for (number, beat) in (1..20).zip((30..).step_by(30)) {
            assert_eq!(heartbeat.deadline(), (at(beat), Due::Beat));
            heartbeat.sent(at(beat), number);
            heartbeat.heard();
            heartbeat.replied(at(beat), number);
        }
    }

    #[test]
    fn a_socket_that_falls_silent_is_dead_ten_seconds_after_the_beat() {
        let mut heartbeat = Heartbeat::new(at(0));
        heartbeat.sent(at(30), 1);
        assert_eq!(heartbeat.deadline(), (at(40), Due::Dead));
    }

    #[test]
    fn other_traffic_shows_life_but_acknowledges_nothing() {
        let mut heartbeat = Heartbeat::new(at(0));
        heartbeat.sent(at(30), 1);
        heartbeat.heard();
        assert_eq!(heartbeat.deadline(), (at(60), Due::Dead), "60 s without an acknowledged beat");
    }

    #[test]
    fn only_the_pending_beat_is_acknowledged() {
        let mut heartbeat = Heartbeat::new(at(0));
        heartbeat.sent(at(30), 7);
        heartbeat.heard();
        heartbeat.replied(at(31), 6);
        assert_eq!(heartbeat.deadline(), (at(60), Due::Dead));
        heartbeat.replied(at(32), 7);
        assert_eq!(heartbeat.deadline(), (at(60), Due::Beat));
        heartbeat.sent(at(60), 8);
        heartbeat.heard();
        assert_eq!(heartbeat.deadline(), (at(90), Due::Beat));
        heartbeat.sent(at(90), 9);
        heartbeat.heard();
        assert_eq!(heartbeat.deadline(), (at(92), Due::Dead));
    }

    #[test]
    fn a_probe_beats_at_once_and_never_twice() {
        let mut heartbeat = Heartbeat::new(at(0));
        heartbeat.probe(at(4));
        assert_eq!(heartbeat.deadline(), (at(4), Due::Beat));
        heartbeat.sent(at(4), 1);
        heartbeat.probe(at(5));
        assert_eq!(heartbeat.deadline(), (at(14), Due::Dead));
    }
}
