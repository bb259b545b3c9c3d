//! What an agent counts while it works: cheap enough to be always on, and shown as text that Prometheus reads.
//!
//! Each [`Agent`](crate::Agent) has its own [`Metrics`]; [`render`] shows those of several together, told apart
//! by a label.

mod histogram;
mod meter;
mod text;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What a turn counts as.
pub use band_core::turn::Outcome as TurnOutcome;

use self::histogram::Histogram;
pub(crate) use self::meter::{LinkMeter, RoomMeter};
pub use self::text::{CONTENT_TYPE, render};
use crate::link::Pulse;

/// An agent's numbers. Cheap to clone: all clones count together.
#[derive(Debug, Clone, Default)]
pub struct Metrics(Arc<Numbers>);

/// All outcomes, in the order of their numbers, with their labels.
const OUTCOMES: [(TurnOutcome, &str); 4] = [
    (TurnOutcome::Processed, "processed"),
    (TurnOutcome::Failed, "failed"),
    (TurnOutcome::Cancelled, "cancelled"),
    (TurnOutcome::Deferred, "deferred"),
];

#[derive(Debug, Default)]
struct Numbers {
    turns_started: AtomicU64,
    turns_ended: [AtomicU64; OUTCOMES.len()],
    turn_seconds: Histogram,
    claim_seconds: Histogram,
    rooms: AtomicU64,
    queued: AtomicU64,
    acks_owed: AtomicU64,
    connected: AtomicU64,
    ready: AtomicBool,
    pulse: Mutex<Option<Pulse>>,
    reconnects: AtomicU64,
    dropped: AtomicU64,
    malformed: AtomicU64,
}

/// What was counted up to a moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// Turns that began.
    pub turns_started: u64,
    /// Turns that ended, by outcome; see [`Metrics::turns_ended`].
    pub turns_ended: u64,
    /// Rooms that are open.
    pub rooms: u64,
    /// Messages that wait for their turn.
    pub queued: u64,
    /// Marks that the platform is still owed.
    pub acks_owed: u64,
    /// Whether the socket is open.
    pub is_connected: bool,
    /// Connections made again after the first.
    pub reconnects: u64,
    /// Events dropped because a queue was full; each is followed by a look at the platform.
    pub dropped: u64,
}

impl Metrics {
    /// A turn began.
    pub fn turn_started(&self) {
        add(&self.0.turns_started, 1);
    }

    /// A turn ended after so long.
    pub fn turn_ended(&self, outcome: TurnOutcome, took: Duration) {
        if let Some(count) = self.0.turns_ended.get(outcome as usize) {
            add(count, 1);
        }
        self.0.turn_seconds.observe(took);
    }

    /// A claim was answered after so long.
    pub fn claimed(&self, took: Duration) {
        self.0.claim_seconds.observe(took);
    }

    /// The socket is open, again or for the first time of a start.
    pub fn connected(&self, again: bool) {
        self.0.connected.store(1, Ordering::Relaxed);
        add(&self.0.reconnects, again.into());
    }

    /// The socket is gone.
    pub fn disconnected(&self) {
        self.0.connected.store(0, Ordering::Relaxed);
    }

    /// Events were dropped because a queue was full.
    pub fn dropped(&self, events: u64) {
        add(&self.0.dropped, events);
    }

    /// A frame or an event could not be read.
    pub fn malformed(&self, frames: u64) {
        add(&self.0.malformed, frames);
    }

    /// How many turns ended like this.
    pub fn turns_ended(&self, outcome: TurnOutcome) -> u64 {
        self.0.turns_ended.get(outcome as usize).map_or(0, get)
    }

    /// What was counted so far.
    pub fn snapshot(&self) -> Snapshot {
        let numbers = &self.0;
        Snapshot {
            turns_started: get(&numbers.turns_started),
            turns_ended: numbers.turns_ended.iter().map(get).sum(),
            rooms: get(&numbers.rooms),
            queued: get(&numbers.queued),
            acks_owed: get(&numbers.acks_owed),
            is_connected: get(&numbers.connected) == 1,
            reconnects: get(&numbers.reconnects),
            dropped: get(&numbers.dropped),
        }
    }

    /// Whether the rooms are joined, and no stop has begun.
    pub fn is_ready(&self) -> bool {
        self.0.ready.load(Ordering::Relaxed)
    }

    /// How long the platform has not been heard on the socket; none when it never was.
    pub fn silent_for(&self) -> Option<Duration> {
        self.0.pulse.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.silent_for()
    }

    /// A meter for a room that opens; the room counts until it is dropped.
    pub(crate) fn room(&self) -> RoomMeter {
        RoomMeter::new(self.clone())
    }
}

fn add(count: &AtomicU64, more: u64) {
    count.fetch_add(more, Ordering::Relaxed);
}

fn get(count: &AtomicU64) -> u64 {
    count.load(Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_count_together_and_each_outcome_by_itself() {
        let metrics = Metrics::default();
        let clone = metrics.clone();
        clone.turn_started();
        clone.turn_ended(TurnOutcome::Failed, Duration::from_secs(1));
        assert_eq!(metrics.turns_ended(TurnOutcome::Failed), 1);
        assert_eq!(metrics.turns_ended(TurnOutcome::Processed), 0);
        let seen = metrics.snapshot();
        assert_eq!((seen.turns_started, seen.turns_ended, seen.is_connected), (1, 1, false));
    }

    #[test]
    fn the_first_connection_is_no_reconnect() {
        let metrics = Metrics::default();
        metrics.connected(false);
        assert_eq!(metrics.snapshot().reconnects, 0);
        metrics.disconnected();
        metrics.connected(true);
        assert_eq!((metrics.snapshot().reconnects, metrics.snapshot().is_connected), (1, true));
    }
}
