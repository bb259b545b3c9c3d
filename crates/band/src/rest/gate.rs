//! The one gate that every call of a client passes: it bounds what is under way, and closes for a while
//! when the platform asks for it. The gates of all clients of one platform in this process close together.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use band_core::backoff::Dice;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until};

/// Calls of one client that are under way at once. More wait here in order, before their clock runs, so
/// that a burst of rooms neither floods the platform nor times out in a pool.
pub(super) const IN_FLIGHT: usize = 128;
/// Reports of activity that are under way at once, beside the other calls: a platform that is slow with
/// them must not hold up the work.
pub(super) const REPORTS_IN_FLIGHT: usize = 32;

/// Calls that waited for a gate to open start within this time, and not all at once.
const SPREAD: Duration = Duration::from_secs(2);

/// The gates to the platforms. Clients with the same set wait together when a platform they share is busy.
#[derive(Debug, Clone, Default)]
pub struct Gates(Arc<Shutters>);

/// The shutter of each platform that has a client, by its address.
type Shutters = Mutex<BTreeMap<String, Weak<Shutter>>>;

/// Until when a platform wants no calls.
#[derive(Debug, Default)]
struct Shutter(Mutex<Option<Instant>>);

impl Gates {
    /// Those that all clients of this process share unless they are told otherwise.
    pub fn of_process() -> Self {
        static SHARED: LazyLock<Gates> = LazyLock::new(Gates::default);
        SHARED.clone()
    }

    /// A gate to the platform at this address. The seed is for jitter.
    pub(super) fn gate(&self, platform: &str, seed: u64) -> Gate {
        Gate {
            work: Semaphore::const_new(IN_FLIGHT),
            reports: Semaphore::const_new(REPORTS_IN_FLIGHT),
            shutter: self.shutter(platform),
            dice: Mutex::new(Dice::new(seed)),
        }
    }

    fn shutter(&self, platform: &str) -> Arc<Shutter> {
        let mut known = lock(&self.0);
        known.retain(|_, shutter| shutter.strong_count() > 0);
        let platform = platform.to_ascii_lowercase();
        if let Some(shutter) = known.get(&platform).and_then(Weak::upgrade) {
            return shutter;
        }
        let shutter = Arc::<Shutter>::default();
        known.insert(platform, Arc::downgrade(&shutter));
        shutter
    }
}

/// Nothing can panic under these locks, so what they guard is never half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

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
    shutter: Arc<Shutter>,
    dice: Mutex<Dice>,
}

impl Gate {
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
            let late = lock(&self.dice).up_to(SPREAD);
            sleep_until(until + late).await;
        }
    }

    /// Lets no call to the platform start for a while, whichever client of this process makes it.
    pub(super) fn close_for(&self, wait: Duration) {
        let Some(until) = Instant::now().checked_add(wait) else { return };
        let mut closed = lock(&self.shutter.0);
        *closed = Some(closed.map_or(until, |earlier| earlier.max(until)));
    }

    fn closed_until(&self) -> Option<Instant> {
        let closed = *lock(&self.shutter.0);
        closed.filter(|until| *until > Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_closed_gate_opens_when_its_time_has_come() {
        let gate = Gates::of_process().gate("http://one", 1);
        let start = Instant::now();
        gate.close_for(Duration::from_secs(120));
        gate.close_for(Duration::from_secs(5));
        assert!(gate.pass(Lane::Work).await.is_some());
        assert!((120..=122).contains(&start.elapsed().as_secs()), "{:?}", start.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_waited_for_a_place_heeds_a_gate_that_closed_meanwhile() {
        let gate = Gates::of_process().gate("http://two", 1);
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
        assert!((30..=32).contains(&start.elapsed().as_secs()), "{:?}", start.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn all_clients_of_a_platform_wait_when_one_is_told_to_and_those_of_others_do_not() {
        let told = Gates::of_process().gate("https://busy.example", 1);
        let other = Gates::of_process().gate("https://BUSY.example", 2);
        let elsewhere = Gates::of_process().gate("https://idle.example", 3);
        let start = Instant::now();
        told.close_for(Duration::from_secs(60));
        assert!(elsewhere.pass(Lane::Work).await.is_some());
        assert_eq!(start.elapsed(), Duration::ZERO);
        assert!(other.pass(Lane::Work).await.is_some());
        assert!(start.elapsed() >= Duration::from_secs(60));
    }

    #[tokio::test(start_paused = true)]
    async fn calls_that_waited_for_a_gate_do_not_start_all_at_once() {
        let gate = Arc::new(Gates::of_process().gate("http://three", 1));
        let start = Instant::now();
        gate.close_for(Duration::from_secs(10));
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..IN_FLIGHT {
            let gate = Arc::clone(&gate);
            calls.spawn(async move {
                gate.pass(Lane::Work).await;
                start.elapsed().as_millis()
            });
        }
        let starts = calls.join_all().await;
        assert!(starts.iter().all(|at| (10_000..=12_001).contains(at)), "{starts:?}");
        let first_tenth = starts.iter().filter(|at| **at < 10_200).count();
        assert!(first_tenth < IN_FLIGHT / 4, "{first_tenth} at once");
    }
}
