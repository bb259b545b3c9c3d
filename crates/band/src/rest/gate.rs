//! The gates that every call passes: one of its client, one of its platform. They bound what is under way, and
//! the platform's keeps the pace that the platform asks for, for all clients of this process together.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, PoisonError, Weak};
use std::time::Duration;

use band_core::Moment;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::rate::Rate;
use crate::sync::{Instant, Mutex, MutexGuard, sleep_until};

/// Calls of one client that are under way at once. More wait here in order, before their clock runs, so
/// that a burst of rooms neither floods the platform nor times out in a pool.
pub(super) const IN_FLIGHT: usize = 128;
/// Reports of activity that are under way at once, beside the other calls: a platform that is slow with
/// them must not hold up the work.
pub(super) const REPORTS_IN_FLIGHT: usize = 32;
/// Calls of all clients of one platform. One client alone can't use them up.
pub(super) const ALL_IN_FLIGHT: usize = 512;
/// Reports of all clients of one platform.
const ALL_REPORTS_IN_FLIGHT: usize = 128;
/// First calls of agents that start. Few, so that a fleet learns the platform's pace from a few refusals.
const STARTS_IN_FLIGHT: usize = 8;

/// The gates to the platforms. Clients with the same set wait together when a platform they share is busy.
#[derive(Debug, Clone, Default)]
pub struct Gates(Arc<Mutex<BTreeMap<String, Weak<Platform>>>>);

impl Gates {
    /// Those that all clients of this process share unless they are told otherwise.
    pub fn of_process() -> Self {
        static SHARED: LazyLock<Gates> = LazyLock::new(Gates::default);
        SHARED.clone()
    }

    /// A client's gate to the platform at this address.
    pub(super) fn gate(&self, platform: &str) -> Gate {
        Gate { own: Lanes::new(IN_FLIGHT, REPORTS_IN_FLIGHT, IN_FLIGHT), platform: self.platform(platform) }
    }

    /// A platform is known for as long as it has a client.
    fn platform(&self, address: &str) -> Arc<Platform> {
        let mut known = lock(&self.0);
        known.retain(|_, platform| platform.strong_count() > 0);
        let address = address.to_ascii_lowercase();
        if let Some(platform) = known.get(&address).and_then(Weak::upgrade) {
            return platform;
        }
        let platform = Arc::new(Platform::new());
        known.insert(address, Arc::downgrade(&platform));
        platform
    }
}

/// Which calls wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lane {
    /// Everything that moves a message on.
    Work,
    /// The working indicator.
    Reports,
    /// The first call of an agent.
    Starts,
}

/// Places for calls that are under way.
#[derive(Debug)]
struct Lanes {
    work: Semaphore,
    reports: Semaphore,
    starts: Semaphore,
}

impl Lanes {
    const fn new(work: usize, reports: usize, starts: usize) -> Self {
        Self {
            work: Semaphore::const_new(work),
            reports: Semaphore::const_new(reports),
            starts: Semaphore::const_new(starts),
        }
    }

    const fn lane(&self, lane: Lane) -> &Semaphore {
        match lane {
            Lane::Work => &self.work,
            Lane::Reports => &self.reports,
            Lane::Starts => &self.starts,
        }
    }
}

/// What all clients of one platform share.
#[derive(Debug)]
struct Platform {
    lanes: Lanes,
    origin: Instant,
    /// Held for a few instructions.
    rate: Mutex<Rate>,
    /// Who may start next, when calls have to wait for each other. Whoever gives up leaves the line at once.
    turn: Semaphore,
}

impl Platform {
    fn new() -> Self {
        Self {
            lanes: Lanes::new(ALL_IN_FLIGHT, ALL_REPORTS_IN_FLIGHT, STARTS_IN_FLIGHT),
            origin: Instant::now(),
            rate: Mutex::default(),
            turn: Semaphore::const_new(1),
        }
    }

    fn now(&self) -> Moment {
        Moment::at(self.origin.elapsed())
    }

    /// Waits until a call may start.
    async fn wait(&self) {
        if !lock(&self.rate).is_limited(self.now()) {
            return;
        }
        // It fails only when it is closed, which it never is.
        let _turn = self.turn.acquire().await;
        loop {
            let Err(at) = lock(&self.rate).start(self.now()) else { return };
            match self.origin.checked_add(at.since_origin()) {
                Some(at) => sleep_until(at).await,
                None => std::future::pending().await,
            }
        }
    }
}

/// Who is silent for so long should say why.
const LONG: Duration = Duration::from_secs(30);

/// A client's gate to its platform.
#[derive(Debug)]
pub(super) struct Gate {
    own: Lanes,
    platform: Arc<Platform>,
}

/// The right to have one call under way.
#[derive(Debug)]
pub(super) struct Pass<'a> {
    _own: Option<SemaphorePermit<'a>>,
    _shared: Option<SemaphorePermit<'a>>,
}

impl Gate {
    /// Waits until a call may start.
    pub(super) async fn pass(&self, lane: Lane) -> Pass<'_> {
        let own = self.own.lane(lane).acquire().await.ok();
        let shared = self.platform.lanes.lane(lane).acquire().await.ok();
        // Last, with both places in hand: the platform may have closed while this call waited for one.
        self.platform.wait().await;
        Pass { _own: own, _shared: shared }
    }

    /// The platform answered a call.
    pub(super) fn answered(&self) {
        lock(&self.platform.rate).answered(self.platform.now());
    }

    /// The platform wants fewer calls: none starts for a while, whichever client of this process makes it, and
    /// then one after another.
    pub(super) fn limited(&self, wait: Option<Duration>) {
        let first = lock(&self.platform.rate).limited(self.platform.now(), wait);
        if let Some(wait) = wait.filter(|wait| first && *wait >= LONG) {
            tracing::warn!(target: "band.rest", ?wait, "the platform asks to be left alone: nothing is sent until then");
        }
    }
}

/// Nothing can panic under these locks, so what they guard is never half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[cfg(feature = "shuttle")]
mod interleavings;

#[cfg(test)]
mod tests {
    use tokio::task::JoinSet;

    use super::*;

    fn gate(platform: &str) -> Gate {
        Gates::of_process().gate(platform)
    }

    #[tokio::test(start_paused = true)]
    async fn a_closed_gate_opens_when_its_time_has_come() {
        let gate = gate("http://one");
        let start = Instant::now();
        gate.limited(Some(Duration::from_secs(120)));
        gate.limited(Some(Duration::from_secs(5)));
        gate.pass(Lane::Work).await;
        assert_eq!(start.elapsed().as_secs(), 120);
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_that_waited_for_a_place_heeds_a_gate_that_closed_meanwhile() {
        let gate = gate("http://two");
        let mut places = Vec::new();
        for _ in 0..IN_FLIGHT {
            places.push(gate.pass(Lane::Work).await);
        }
        let start = Instant::now();
        let next = gate.pass(Lane::Work);
        let limited = async {
            tokio::task::yield_now().await;
            gate.limited(Some(Duration::from_secs(30)));
            places.clear();
        };
        tokio::join!(next, limited);
        assert_eq!(start.elapsed().as_secs(), 30);
    }

    #[tokio::test(start_paused = true)]
    async fn all_clients_of_a_platform_wait_when_one_is_told_to_and_those_of_others_do_not() {
        let told = gate("https://busy.example");
        let other = gate("https://BUSY.example");
        let elsewhere = gate("https://idle.example");
        let start = Instant::now();
        told.limited(Some(Duration::from_secs(60)));
        elsewhere.pass(Lane::Work).await;
        assert_eq!(start.elapsed(), Duration::ZERO);
        other.pass(Lane::Work).await;
        assert!(start.elapsed() >= Duration::from_secs(60));
    }

    #[tokio::test(start_paused = true)]
    async fn two_sets_of_gates_know_nothing_of_each_other() {
        let (one, other) = (Gates::default().gate("http://x"), Gates::default().gate("http://x"));
        let start = Instant::now();
        one.limited(Some(Duration::from_secs(60)));
        other.pass(Lane::Work).await;
        assert_eq!(start.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn calls_that_waited_for_a_gate_do_not_start_all_at_once() {
        let gate = Arc::new(gate("http://three"));
        let start = Instant::now();
        (0..100).for_each(|_| gate.answered());
        gate.limited(Some(Duration::from_secs(10)));
        let mut calls = JoinSet::new();
        for _ in 0..IN_FLIGHT {
            let gate = Arc::clone(&gate);
            calls.spawn(async move {
                gate.pass(Lane::Work).await;
                start.elapsed().as_millis()
            });
        }
        let starts = calls.join_all().await;
        assert!(starts.iter().all(|at| (10_000..=12_000).contains(at)), "{starts:?}");
        let first_tenth = starts.iter().filter(|at| **at < 10_200).count();
        assert!(first_tenth < IN_FLIGHT / 4, "{first_tenth} at once");
    }

    #[tokio::test(start_paused = true)]
    async fn calls_that_give_up_while_they_wait_leave_the_line() {
        let gate = Arc::new(gate("http://four"));
        let start = Instant::now();
        gate.limited(Some(Duration::from_secs(10)));
        let mut calls = JoinSet::new();
        let mut givers_up = Vec::new();
        for n in 0..10_000 {
            let gate = Arc::clone(&gate);
            let call = calls.spawn(async move {
                gate.pass(Lane::Work).await;
            });
            if n >= 50 {
                givers_up.push(call);
            }
        }
        tokio::task::yield_now().await;
        givers_up.iter().for_each(tokio::task::AbortHandle::abort);
        while calls.join_next().await.is_some() {}
        // Fifty at the slowest pace, and not the ten thousand.
        assert!(start.elapsed() <= Duration::from_secs(21), "{:?}", start.elapsed());
        assert_eq!(gate.own.work.available_permits(), IN_FLIGHT);
        assert_eq!(gate.platform.lanes.work.available_permits(), ALL_IN_FLIGHT);
    }

    #[tokio::test(start_paused = true)]
    async fn one_client_can_not_use_up_what_all_share() {
        let gates = Gates::default();
        let (greedy, modest) = (Arc::new(gates.gate("http://five")), gates.gate("http://five"));
        let mut places = Vec::new();
        for _ in 0..IN_FLIGHT {
            places.push(greedy.pass(Lane::Work).await);
        }
        let mut calls = JoinSet::new();
        let more = Arc::clone(&greedy);
        calls.spawn(async move {
            more.pass(Lane::Work).await;
        });
        modest.pass(Lane::Work).await;
        assert!(calls.try_join_next().is_none());
    }
}
