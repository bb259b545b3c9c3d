//! The one gate that every call of a client passes: it bounds what is under way, and closes for a while
//! when the platform asks for it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until};

/// Calls of one client that are under way at once. More wait here in order, before their clock runs, so
/// that a burst of rooms neither floods the platform nor times out in a pool.
pub(super) const IN_FLIGHT: usize = 128;
/// Reports of activity that are under way at once, beside the other calls: a platform that is slow with
/// them must not hold up the work.
pub(super) const REPORTS_IN_FLIGHT: usize = 32;

/// Which calls wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// Everything that moves a message on.
    Work,
    /// The working indicator.
    Reports,
}

#[derive(Debug)]
pub(super) struct Gate {
    work: Semaphore,
    reports: Semaphore,
    closed_until: Mutex<Option<Instant>>,
}

impl Gate {
    pub(super) const fn new() -> Self {
        Self {
            work: Semaphore::const_new(IN_FLIGHT),
            reports: Semaphore::const_new(REPORTS_IN_FLIGHT),
            closed_until: Mutex::new(None),
        }
    }

    /// Waits until a call may start. `None` when the gate is gone, which it never is.
    pub(super) async fn pass(&self, lane: Lane) -> Option<SemaphorePermit<'_>> {
        let permits = match lane {
            Lane::Work => &self.work,
            Lane::Reports => &self.reports,
        };
        loop {
            let permit = permits.acquire().await.ok()?;
            // Asked with the permit in hand: the gate may have closed while this call waited for one.
            let Some(until) = self.closed_until() else { return Some(permit) };
            drop(permit);
            sleep_until(until).await;
        }
    }

    /// Lets no call start for a while.
    pub(super) fn close_for(&self, wait: Duration) {
        let Some(until) = Instant::now().checked_add(wait) else { return };
        let mut closed = self.closed_until.lock().unwrap_or_else(PoisonError::into_inner);
        *closed = Some(closed.map_or(until, |earlier| earlier.max(until)));
    }

    fn closed_until(&self) -> Option<Instant> {
        let closed = *self.closed_until.lock().unwrap_or_else(PoisonError::into_inner);
        closed.filter(|until| *until > Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_closed_gate_opens_when_its_time_has_come() {
        let gate = Gate::new();
        let start = Instant::now();
        gate.close_for(Duration::from_secs(120));
        gate.close_for(Duration::from_secs(5));
        assert!(gate.pass(Lane::Work).await.is_some());
        assert_eq!(start.elapsed().as_secs(), 120);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_waited_for_a_place_heeds_a_gate_that_closed_meanwhile() {
        let gate = Gate::new();
        let mut places = Vec::new();
        for _ in 0..IN_FLIGHT {
            places.push(gate.pass(Lane::Work).await);
        }
        let start = Instant::now();
        let next = gate.pass(Lane::Work);
        let limited = async {
            tokio::task::yield_now().await;
            gate.close_for(Duration::from_secs(30));
            places.clear();
        };
        let (passed, ()) = tokio::join!(next, limited);
        assert!(passed.is_some());
        assert_eq!(start.elapsed().as_secs(), 30);
    }
}
