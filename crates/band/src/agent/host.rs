//! The one who starts and stops an agent, one at a time, however many ask.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use band_core::lifecycle::HostId;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use super::body::{Body, deadline};
use super::cleanup::is_cleaning;
use super::failure::CleanupFailure;
use super::running::Lease;
use super::{Running, Setup, Stopped};
use crate::error::{Error, Result};
use crate::runtime::Closer;

static HOSTS: AtomicU64 = AtomicU64::new(0);

/// What a stop from within a callback is told.
pub(super) const INSIDE: &str =
    "Return from the cleanup callback; request host shutdown from outside this cleanup attempt";

/// What the second one of an agent and a one-shot host is told.
const IN_USE: &str = "the adapter is in use: another clone of this agent runs, or serves a OneShotInvoker; stop or \
    shut that down first, or build an agent with an adapter of its own";

/// An agent through all its starts.
pub(crate) struct Host {
    pub(super) id: HostId,
    pub(super) setup: Setup,
    /// One start or stop at a time.
    gate: Semaphore,
    /// One life at a time has the agent's place on this host; also one that was given up while it took it.
    pub(super) places: Arc<Semaphore>,
    /// One at a time starts the adapter and cleans it up, the agent or a one-shot host.
    adapter: Arc<Semaphore>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    life: Life,
    /// Counts starts.
    starts: u64,
    /// Counts starts that failed.
    failures: u64,
    /// What the latest of them said.
    failed: Option<Error>,
    /// How the latest life ended.
    ended: Option<(u64, Stopped)>,
}

#[derive(Debug, Default)]
enum Life {
    #[default]
    Down,
    Starting(CancellationToken),
    /// It runs.
    Up(Box<Body>),
    /// Something could not be cleaned up; the lock is held.
    Unclean(Box<Body>),
    /// A stop is at work.
    Stopping(Option<Closer>),
}

/// Why a stop did not do its work.
#[derive(Debug)]
pub(super) enum NotStopped {
    /// It was asked for by what it would wait for.
    Inside,
    /// These remain.
    Unclean(Vec<CleanupFailure>),
}

impl Host {
    pub(super) fn new(setup: Setup) -> Arc<Self> {
        Arc::new(Self {
            id: HostId(HOSTS.fetch_add(1, Ordering::Relaxed)),
            setup,
            gate: Semaphore::new(1),
            places: Arc::new(Semaphore::new(1)),
            adapter: Arc::new(Semaphore::new(1)),
            state: Mutex::default(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the adapter for as long as the body has something of it to clean up.
    pub(super) fn take_adapter(&self, body: &mut Body) -> Result<()> {
        if body.adapter.is_none() {
            let free = Arc::clone(&self.adapter).try_acquire_owned();
            body.adapter = Some(free.map_err(|_| Error::Config(IN_USE.to_owned()))?);
        }
        Ok(())
    }

    async fn enter(&self) -> SemaphorePermit<'_> {
        match self.gate.acquire().await {
            Ok(permit) => permit,
            // The gate is never closed.
            Err(_) => std::future::pending().await,
        }
    }

    /// Starts, or joins a start that is under way.
    pub(super) async fn start(self: &Arc<Self>) -> Result<Running> {
        let before = self.lock().failures;
        let (permit, joined) = match self.gate.try_acquire() {
            Ok(permit) => (permit, false),
            Err(_) => (self.enter().await, true),
        };
        let (starting, stop) = match self.begin(joined.then_some(before))? {
            Ok(running) => return Ok(running),
            Err(stop) => (Starting(self), stop),
        };
        let mut body = Box::<Body>::default();
        let outcome = self.take_steps(&mut body, &stop).await;
        let outcome = match outcome {
            Ok(lease) if !stop.is_cancelled() => Ok(lease),
            Ok(_) => Err(Error::Ended(crate::link::StopReason::Requested)),
            Err(err) => Err(err),
        };
        let result = match outcome {
            Ok(lease) => {
                body.lease = Arc::downgrade(&lease);
                self.lock().life = Life::Up(body);
                Ok(Running(lease))
            }
            Err(err) => Err(self.undo(body, err).await),
        };
        drop((starting, permit));
        result
    }

    /// The running agent; or the token of a new start.
    fn begin(self: &Arc<Self>, joined: Option<u64>) -> Result<Result<Running, CancellationToken>> {
        let mut state = self.lock();
        let running = match &state.life {
            Life::Up(body) => body.lease.upgrade(),
            Life::Unclean(_) => {
                let text = "Agent cleanup is incomplete; call stop() to retry it";
                return Err(Error::Cleanup(text.to_owned()));
            }
            Life::Down | Life::Starting(_) | Life::Stopping(_) => None,
        };
        if let Some(lease) = running {
            if joined.is_none() {
                tracing::warn!(target: "band.agent", "Agent already started");
            }
            return Ok(Ok(Running(lease)));
        }
        if let (Some(before), Some(err)) = (joined, &state.failed)
            && state.failures > before
        {
            return Err(err.again());
        }
        let stop = CancellationToken::new();
        state.starts += 1;
        state.life = Life::Starting(stop.clone());
        Ok(Err(stop))
    }

    /// Undoes a start that failed. What can't be undone keeps the lock, and the error says so.
    async fn undo(&self, mut body: Box<Body>, err: Error) -> Error {
        let failures = body.tear_down(self, None).await;
        if failures.is_empty() {
            body.leave().await;
        }
        let mut state = self.lock();
        let err = if failures.is_empty() {
            state.life = Life::Down;
            err
        } else {
            for failure in &failures {
                tracing::warn!(target: "band.agent", %failure, "a failed start could not be undone");
            }
            state.life = Life::Unclean(body);
            Error::Unclean(Box::new(err))
        };
        state.failures += 1;
        state.failed = Some(err.again());
        err
    }

    /// Stops the agent; of a certain life only, when one is given.
    pub(super) async fn stop(
        &self,
        life: Option<u64>,
        timeout: Option<Duration>,
    ) -> Result<Stopped, NotStopped> {
        if is_cleaning(self.id) {
            return Err(NotStopped::Inside);
        }
        if let Some(over) = self.over(life) {
            return Ok(over);
        }
        let _permit = match self.gate.try_acquire() {
            Ok(permit) => permit,
            Err(_) => {
                if let Life::Stopping(Some(closer)) = &self.lock().life {
                    // It can only become sooner.
                    closer.close(deadline(timeout));
                }
                self.enter().await
            }
        };
        let Some(body) = self.take(life) else { return Ok(self.over(life).unwrap_or(Stopped::AT_REST)) };
        let mut held = Held { host: self, body: Some(body) };
        let Some(body) = &mut held.body else { return Ok(Stopped::AT_REST) };
        let lease = body.lease.upgrade();
        let failures = body.tear_down(self, timeout).await;
        if !failures.is_empty() {
            return Err(NotStopped::Unclean(failures));
        }
        let stopped =
            Stopped { graceful: !body.cut_short, reason: lease.as_ref().and_then(|lease| lease.ended()) };
        // With it goes the lock.
        body.leave().await;
        held.body = None;
        self.put_down(&stopped);
        if let Some(lease) = lease {
            tracing::info!(
                target: "band.agent", "Agent stopped: {} (graceful={})", lease.identity.name, stopped.graceful,
            );
        }
        Ok(stopped)
    }

    fn put_down(&self, stopped: &Stopped) {
        let mut state = self.lock();
        state.life = Life::Down;
        state.ended = Some((state.starts, stopped.clone()));
    }

    /// What a stop of that life has to say at once, if there is nothing to stop.
    fn over(&self, life: Option<u64>) -> Option<Stopped> {
        let state = self.lock();
        let is_old = life.is_some_and(|life| life != state.starts);
        match &state.life {
            Life::Starting(stop) if !is_old => {
                stop.cancel();
                Some(Stopped::AT_REST)
            }
            Life::Up(_) | Life::Unclean(_) | Life::Stopping(_) if !is_old => None,
            _ => {
                let known = state.ended.as_ref().filter(|(at, _)| life.is_none_or(|life| life == *at));
                Some(known.map_or(Stopped::AT_REST, |(_, stopped)| stopped.clone()))
            }
        }
    }

    /// Takes what is to be stopped.
    fn take(&self, life: Option<u64>) -> Option<Box<Body>> {
        let mut state = self.lock();
        if life.is_some_and(|life| life != state.starts) {
            return None;
        }
        let held = match std::mem::take(&mut state.life) {
            Life::Up(body) | Life::Unclean(body) => Ok(body),
            other => Err(other),
        };
        match held {
            Ok(body) => {
                state.life = Life::Stopping(body.closer());
                Some(body)
            }
            Err(other) => {
                state.life = other;
                None
            }
        }
    }

    /// Whether that life goes on.
    pub(super) fn is_up(&self, life: u64) -> bool {
        let state = self.lock();
        state.starts == life && matches!(state.life, Life::Up(_))
    }

    /// The number of the life that is about to begin.
    pub(super) fn life(&self) -> u64 {
        self.lock().starts
    }

    /// What a stop has left is cut off, without another try.
    pub(crate) fn cut_off_rest(&self) {
        let mut state = self.lock();
        if matches!(state.life, Life::Unclean(_)) {
            let body = std::mem::take(&mut state.life);
            drop(state);
            drop(body);
        }
    }

    /// The last handle on a life is gone: everything is cut off.
    pub(super) fn cut_off(&self, life: u64) {
        let mut state = self.lock();
        if state.starts == life && matches!(state.life, Life::Up(_)) {
            let body = std::mem::take(&mut state.life);
            drop(state);
            drop(body);
        }
    }
}

/// A start under way. One that is dropped before its end leaves nothing.
struct Starting<'a>(&'a Host);

impl Drop for Starting<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        if matches!(state.life, Life::Starting(_)) {
            state.life = Life::Down;
        }
    }
}

/// What a stop works on. One that is dropped before its end leaves the rest to the next.
struct Held<'a> {
    host: &'a Host,
    body: Option<Box<Body>>,
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if let Some(body) = self.body.take() {
            self.host.lock().life = Life::Unclean(body);
        }
    }
}

impl Stopped {
    /// There was nothing to stop.
    pub(super) const AT_REST: Self = Self { graceful: true, reason: None };
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Lease {
    pub(super) fn ended(&self) -> Option<crate::link::StopReason> {
        self.ended.borrow().clone()
    }
}
