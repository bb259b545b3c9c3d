//! Threads that take turns as shuttle tells them to, and a clock that moves when it is told to.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};
use std::time::Duration;

pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicU32};
pub(crate) use shuttle::sync::{Mutex, MutexGuard};

use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, Runner};

/// Orders that each scheduler tries.
const RUNS: usize = 2_000;
/// Places at which a bug may need another thread to come in between; see PCT.
const DEPTH: usize = 3;

thread_local! {
    /// All threads of a model are run by one real thread.
    static NOW: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    static SLEEPERS: RefCell<Vec<(Duration, Waker)>> = const { RefCell::new(Vec::new()) };
}

/// Runs `body` in many orders of its threads' steps, chosen evenly and by priorities. The same ones each time, unless
/// `BAND_SHUTTLE_SEED` and `BAND_SHUTTLE_RUNS` say otherwise. A thread that waits for ever fails it.
pub(crate) fn orders(body: impl Fn() + Send + Sync + Copy + 'static) {
    let (seed, runs) = (number("BAND_SHUTTLE_SEED").unwrap_or(1), number("BAND_SHUTTLE_RUNS"));
    let runs = runs.map_or(RUNS, |runs| usize::try_from(runs).unwrap());
    run(RandomScheduler::new_from_seed(seed, runs), body);
    run(PctScheduler::new_from_seed(seed, DEPTH, runs), body);
}

fn run(scheduler: impl Scheduler + 'static, body: impl Fn() + Send + Sync + 'static) {
    let mut config = Config::new();
    config.silence_warnings = true;
    Runner::new(scheduler, config).run(move || {
        NOW.set(Duration::ZERO);
        SLEEPERS.take();
        body();
    });
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

/// Another thread may come in here.
pub(crate) fn step() {
    shuttle::thread::yield_now();
}

/// tokio's, with a step before and after.
#[derive(Debug, Default)]
pub(crate) struct Notify(tokio::sync::Notify);

impl Notify {
    pub(crate) fn notify_one(&self) {
        step();
        self.0.notify_one();
    }

    pub(crate) async fn notified(&self) {
        step();
        self.0.notified().await;
        step();
    }
}

/// A moment on the model's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instant(Duration);

impl Instant {
    pub(crate) fn now() -> Self {
        Self(NOW.get())
    }

    pub(crate) fn elapsed(self) -> Duration {
        NOW.get() - self.0
    }

    pub(crate) fn checked_add(self, time: Duration) -> Option<Self> {
        self.0.checked_add(time).map(Self)
    }
}

/// Sleeps until [`pass_time`] has come to that moment.
pub(crate) async fn sleep_until(at: Instant) {
    step();
    poll_fn(|cx| {
        if NOW.get() >= at.0 {
            return Poll::Ready(());
        }
        SLEEPERS.with_borrow_mut(|sleepers| sleepers.push((at.0, cx.waker().clone())));
        Poll::Pending
    })
    .await;
    step();
}

/// Goes on to the moment at which the next sleeper wakes, if there is one, and wakes it.
pub(crate) fn pass_time() {
    step();
    let due = SLEEPERS.with_borrow_mut(|sleepers| {
        let next = sleepers.iter().map(|(at, _)| *at).min()?;
        NOW.set(NOW.get().max(next));
        let (due, later) = std::mem::take(sleepers).into_iter().partition(|(at, _)| *at <= next);
        *sleepers = later;
        Some(due)
    });
    for (_, waker) in due.unwrap_or_else(Vec::new) {
        waker.wake();
    }
}
