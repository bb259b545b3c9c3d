//! The one gate that every call of a client passes: it bounds what is under way, and closes for a while
//! when the platform asks for it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until};

/// Calls of one client that are under way at once. More wait here in order, before their clock runs, so
/// that a burst of rooms neither floods the platform nor times out in a pool.
pub(super) const IN_FLIGHT: usize = 128;

#[derive(Debug)]
pub(super) struct Gate {
    permits: Semaphore,
    closed_until: Mutex<Option<Instant>>,
}

impl Gate {
    pub(super) const fn new() -> Self {
        Self { permits: Semaphore::const_new(IN_FLIGHT), closed_until: Mutex::new(None) }
    }

    /// Waits until a call may start. `None` when the gate is gone, which it never is.
    pub(super) async fn pass(&self) -> Option<SemaphorePermit<'_>> {
        while let Some(until) = self.closed_until() {
            sleep_until(until).await;
        }
        self.permits.acquire().await.ok()
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
        assert!(gate.pass().await.is_some());
        assert_eq!(start.elapsed().as_secs(), 120);
    }
}
