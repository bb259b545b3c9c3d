//! Which connections nobody is served on, and for how long: they make room for others.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::listener::FIRST_HEAD_TIMEOUT;

/// The connections that are idle, oldest first.
#[derive(Debug, Clone, Default)]
pub(super) struct Idle(Arc<Mutex<Order>>);

#[derive(Debug, Default)]
struct Order {
    next: u64,
    /// Held for a few instructions.
    seats: BTreeMap<u64, Arc<Notify>>,
}

/// One connection's place in that order. It begins idle.
#[derive(Debug)]
pub(super) struct Seat {
    idle: Idle,
    number: Mutex<Option<u64>>,
    /// Somebody else needs the place.
    wanted: Arc<Notify>,
    /// A request has come.
    heard: CancellationToken,
}

impl Idle {
    /// A place for a new connection.
    pub(super) fn seat(&self) -> Seat {
        let (wanted, heard) = (Arc::default(), CancellationToken::new());
        let seat = Seat { idle: self.clone(), number: Mutex::new(None), wanted, heard };
        seat.rest();
        seat
    }

    /// Has those end that have been idle for longest.
    pub(super) fn make_room(&self, count: usize) {
        let mut order = lock(&self.0);
        for _ in 0..count {
            let Some((_, wanted)) = order.seats.pop_first() else { return };
            wanted.notify_one();
        }
    }
}

impl Seat {
    /// A request has come.
    pub(super) fn begin(&self) {
        self.heard.cancel();
        if let Some(number) = lock(&self.number).take() {
            lock(&self.idle.0).seats.remove(&number);
        }
    }

    /// It is answered.
    pub(super) fn rest(&self) {
        let mut order = lock(&self.idle.0);
        let number = order.next;
        order.next = number.saturating_add(1);
        order.seats.insert(number, Arc::clone(&self.wanted));
        drop(order);
        *lock(&self.number) = Some(number);
    }

    /// Resolves when the connection has to make room. A request that came just then is answered first.
    pub(super) async fn is_wanted(&self) {
        loop {
            self.wanted.notified().await;
            if lock(&self.number).is_some() {
                return;
            }
        }
    }

    /// Resolves when the first request has not come in time.
    pub(super) async fn is_late(&self) {
        if tokio::time::timeout(FIRST_HEAD_TIMEOUT, self.heard.cancelled()).await.is_ok() {
            std::future::pending::<()>().await;
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.begin();
    }
}

/// Nothing can panic under these locks.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn the_one_that_has_been_idle_for_longest_goes_first_and_none_at_work() {
        let idle = Idle::default();
        let seats: Vec<Seat> = (0..4).map(|_| idle.seat()).collect();
        seats[0].begin();
        seats[1].begin();
        seats[1].rest();
        idle.make_room(2);
        let is_wanted = |seat: &Seat| seat.is_wanted().now_or_never().is_some();
        assert_eq!(seats.iter().map(is_wanted).collect::<Vec<_>>(), [false, false, true, true]);
        idle.make_room(16);
        // A request came just then.
        seats[1].begin();
        assert!(!is_wanted(&seats[1]) && !is_wanted(&seats[0]));
        drop(seats);
        assert!(lock(&idle.0).seats.is_empty());
    }
}
