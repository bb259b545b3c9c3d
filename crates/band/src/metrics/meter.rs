//! What one room, and the link, add to the numbers of its agent.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use band_core::link::{Counters, LinkEvent};

use super::{Metrics, add};
use crate::link::Pulse;

/// Counts one open room, with what waits in it, for as long as it lives.
#[derive(Debug)]
pub(crate) struct RoomMeter {
    metrics: Metrics,
    queued: u64,
    acks_owed: u64,
}

impl RoomMeter {
    pub(super) fn new(metrics: Metrics) -> Self {
        add(&metrics.0.rooms, 1);
        Self { metrics, queued: 0, acks_owed: 0 }
    }

    /// The agent's numbers.
    pub(crate) const fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// So many messages wait for their turn, and so many marks are owed.
    pub(crate) fn level(&mut self, queued: usize, acks_owed: usize) {
        let numbers = &self.metrics.0;
        for (all, own, now) in [
            (&numbers.queued, &mut self.queued, queued),
            (&numbers.acks_owed, &mut self.acks_owed, acks_owed),
        ] {
            let now = u64::try_from(now).unwrap_or(u64::MAX);
            // Around zero and back is fine: the sum over all rooms is right.
            add(all, now.wrapping_sub(*own));
            *own = now;
        }
    }
}

impl Drop for RoomMeter {
    fn drop(&mut self) {
        self.level(0, 0);
        add(&self.metrics.0.rooms, u64::MAX);
    }
}

/// Counts what happens to one link; it counts as gone when this is dropped.
#[derive(Debug)]
pub(crate) struct LinkMeter {
    metrics: Metrics,
    seen: Counters,
}

impl LinkMeter {
    pub(crate) fn new(metrics: Metrics, pulse: Pulse) -> Self {
        *metrics.0.pulse.lock().unwrap_or_else(PoisonError::into_inner) = Some(pulse);
        Self { metrics, seen: Counters::default() }
    }

    /// The rooms are joined, or a stop has begun.
    pub(crate) fn ready(&self, is_so: bool) {
        self.metrics.0.ready.store(is_so, Ordering::Relaxed);
    }

    /// Something happened; `counters` is what the link counted up to now.
    pub(crate) fn event(&mut self, event: &LinkEvent, counters: Counters) {
        match event {
            LinkEvent::Connected { reconnect } => self.metrics.connected(*reconnect),
            LinkEvent::Disconnected { .. } | LinkEvent::Ended(_) => self.metrics.disconnected(),
            _ => {}
        }
        let unread = |counters: &Counters| counters.malformed_frames + counters.invalid_events;
        self.metrics.malformed(unread(&counters).saturating_sub(unread(&self.seen)));
        self.metrics.dropped(counters.dropped_events.saturating_sub(self.seen.dropped_events));
        self.seen = counters;
    }
}

impl Drop for LinkMeter {
    fn drop(&mut self) {
        self.ready(false);
        self.metrics.disconnected();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rooms_add_up_and_take_their_share_with_them() {
        let metrics = Metrics::default();
        let (mut one, mut two) = (metrics.room(), metrics.room());
        one.level(3, 1);
        two.level(4, 0);
        one.level(1, 2);
        let seen = metrics.snapshot();
        assert_eq!((seen.rooms, seen.queued, seen.acks_owed), (2, 5, 2));
        drop(one);
        let seen = metrics.snapshot();
        assert_eq!((seen.rooms, seen.queued, seen.acks_owed), (1, 4, 0));
    }
}
