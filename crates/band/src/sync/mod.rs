//! What the threads of this crate share is made of these, so that tests can try it in many orders of its steps.
//!
//! They are std's and tokio's, except in the unit tests behind the feature `shuttle`, which run threads as shuttle
//! tells them to: one step at a time, another thread after each. Such a test is in a module `interleavings` beside
//! the code; `cargo xtask shuttle` runs them all. Ordinary unit tests don't run with that feature.
//!
//! | shared | modelled |
//! |---|---|
//! | the mailbox of a room | whole, with tokio's `Notify` as it is |
//! | the gates to a platform | locks, waiting and a clock that moves when it is told to; tokio's semaphores as they are |
//! | the journal | whole, on a disk in memory |
//! | the log of working reports | whole, with its lines |
//! | the numbers of a turn's sends | whole |
//! | the roster and the ledger of a turn | no: one lock each, held for one call |
//! | the counters of metrics | no: each stands for itself |
//! | starts and stops of an agent | no: a semaphore of tokio and one lock around steps that need a network and a \
//! platform; its own tests and the simulator try their orders |
//! | `watch`, `JoinSet`, `CancellationToken` | no: tokio's, which tokio tries with loom |
//!
//! A call of tokio's `Notify` or `Semaphore` is one step here: shuttle can't look inside. It also takes every atomic
//! for sequentially consistent, so it finds wrong orders of steps, and no ordering that is too weak.

#[cfg(not(all(test, feature = "shuttle")))]
mod real {
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32};
    pub(crate) use std::sync::{Mutex, MutexGuard};

    pub(crate) use tokio::sync::Notify;
    pub(crate) use tokio::time::{Instant, sleep_until};
}
#[cfg(not(all(test, feature = "shuttle")))]
pub(crate) use real::*;

#[cfg(all(test, feature = "shuttle"))]
pub(crate) mod model;
#[cfg(all(test, feature = "shuttle"))]
pub(crate) use model::{AtomicBool, AtomicU32, Instant, Mutex, MutexGuard, Notify, sleep_until};
