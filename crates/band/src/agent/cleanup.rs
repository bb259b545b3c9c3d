//! Callbacks that release what an adapter uses and does not own.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use band_core::lifecycle::{HostId, Ownership, Refused};
use futures_util::FutureExt;

use super::failure::{CleanupFailure, CleanupPhase};
use crate::adapter::{AdapterError, AdapterResult};
use crate::error::{Error, Result};

tokio::task_local! {
    /// The host that is cleaned up by this task: it can't be stopped from in there.
    static CLEANING: HostId;
}

type Callback = Arc<dyn Fn() -> Pin<Box<dyn Future<Output = AdapterResult> + Send>> + Send + Sync>;

/// Callbacks that release what an adapter uses and does not own: a pool, a browser, a child process. They run
/// once, the last registered first, when the agent has stopped and the adapter has cleaned up. One that fails
/// is run again by the next stop, and the agent keeps its lock until then.
///
/// An adapter that has some serves one agent through one life: when they have run, it can't start again.
/// Clones are one registry.
///
/// ```
/// let cleanups = band::Cleanups::default();
/// cleanups.add("pool", || async { Ok::<(), String>(()) })?;
/// # Ok::<(), band::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Cleanups(Arc<Mutex<Registry>>);

#[derive(Default)]
struct Registry {
    ownership: Ownership,
    /// By the order in which they were registered, from 1.
    callbacks: BTreeMap<usize, (String, Callback)>,
    registered: usize,
}

impl Cleanups {
    /// Registers a callback. The name is for errors.
    ///
    /// # Errors
    /// An agent has started with these callbacks already.
    pub fn add<F, Fut, E>(&self, name: impl Into<String>, callback: F) -> Result<()>
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<AdapterError>,
    {
        let mut registry = self.lock();
        registry.ownership.register()?;
        registry.registered += 1;
        let boxed: Callback = Arc::new(move || {
            let running = callback();
            Box::pin(async move { running.await.map_err(Into::into) })
        });
        let number = registry.registered;
        registry.callbacks.insert(number, (name.into(), boxed));
        Ok(())
    }

    /// A host is about to start. Says whether it has callbacks to run at its end.
    pub(super) fn accept(&self, host: HostId) -> Result<bool, Refused> {
        let mut registry = self.lock();
        let has_callbacks = !registry.callbacks.is_empty();
        registry.ownership.accept(host, has_callbacks)
    }

    /// Whether the adapter may start now.
    pub(super) fn starts(&self) -> Result<(), Refused> {
        self.lock().ownership.starts()
    }

    /// Runs what has not run yet, the last registered first.
    pub(super) async fn dispose(&self, host: HostId) -> Vec<CleanupFailure> {
        if let Err(refused) = self.lock().ownership.dispose(host) {
            return vec![CleanupFailure::new(CleanupPhase::Callbacks, refused.to_string())];
        }
        let mut failures = Vec::new();
        let numbers: Vec<usize> = self.lock().callbacks.keys().rev().copied().collect();
        for number in numbers {
            let Some((name, callback)) = self.lock().callbacks.get(&number).cloned() else { continue };
            match guarded(host, async move { callback().await }).await {
                Ok(()) => drop(self.lock().callbacks.remove(&number)),
                Err(err) => {
                    let text = format!("{err} (Adapter cleanup registration {number}: {name})");
                    failures.push(CleanupFailure::new(CleanupPhase::Callbacks, text));
                }
            }
        }
        let mut registry = self.lock();
        if registry.callbacks.is_empty() {
            registry.ownership.disposed();
        }
        failures
    }

    fn lock(&self) -> MutexGuard<'_, Registry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a step of a host's cleanup. A panic in it is an error like others.
pub(super) async fn guarded(host: HostId, step: impl Future<Output = AdapterResult>) -> AdapterResult {
    CLEANING.scope(host, caught(step)).await
}

/// Runs a hook of an adapter. A panic in it is an error like others.
pub(super) async fn caught<T>(hook: impl Future<Output = AdapterResult<T>>) -> AdapterResult<T> {
    AssertUnwindSafe(hook).catch_unwind().await.unwrap_or_else(|_| Err("it panicked".into()))
}

/// Whether this task is cleaning that host up.
pub(super) fn is_cleaning(host: HostId) -> bool {
    CLEANING.try_with(|cleaning| *cleaning == host).unwrap_or(false)
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Incomplete => Self::Cleanup(refused.to_string()),
            Refused::TooLate
            | Refused::InUse
            | Refused::Disposed
            | Refused::NotOwned
            | Refused::Disposing => Self::Config(refused.to_string()),
        }
    }
}

impl fmt::Debug for Cleanups {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let registry = self.lock();
        let names: Vec<&str> = registry.callbacks.values().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Cleanups").field("callbacks", &names).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    const US: HostId = HostId(1);

    #[tokio::test]
    async fn the_last_registered_runs_first_and_only_what_failed_runs_again() {
        let ran = Arc::new(Mutex::new(Vec::new()));
        let broken = Arc::new(AtomicBool::new(true));
        let cleanups = Cleanups::default();
        for name in ["one", "two", "three"] {
            let (ran, broken) = (Arc::clone(&ran), Arc::clone(&broken));
            let callback = move || {
                let (ran, broken) = (Arc::clone(&ran), Arc::clone(&broken));
                async move {
                    ran.lock().unwrap().push(name);
                    assert!(name != "one" || !broken.load(Ordering::Relaxed), "on purpose");
                    if name == "three" && broken.load(Ordering::Relaxed) { Err("no") } else { Ok(()) }
                }
            };
            cleanups.add(name, callback).unwrap();
        }
        assert!(cleanups.accept(US).unwrap());
        let late = cleanups.add("four", || async { Ok::<(), String>(()) }).unwrap_err();
        assert_eq!(late.to_string(), "Register cleanup before starting the host");
        let failures = cleanups.dispose(US).await;
        assert_eq!(*ran.lock().unwrap(), ["three", "two", "one"]);
        let texts: Vec<&str> = failures.iter().map(|failure| failure.error.as_str()).collect();
        assert_eq!(
            texts,
            [
                "no (Adapter cleanup registration 3: three)",
                "it panicked (Adapter cleanup registration 1: one)"
            ]
        );
        assert_eq!(cleanups.accept(US), Err(Refused::Incomplete));
        broken.store(false, Ordering::Relaxed);
        assert!(cleanups.dispose(US).await.is_empty());
        assert_eq!(*ran.lock().unwrap(), ["three", "two", "one", "three", "one"]);
        assert_eq!(cleanups.accept(US), Err(Refused::Disposed));
    }
}
