//! Start, events, shutdown.

use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use band_core::oneshot::{Claims, DRAIN_MAX, Envelope, Outcome, PAGES_KEPT, Route, Start, route};
use band_wire::event::{Issue, IssueCode, ValidationError};
use band_wire::{ChatId, Id};
use futures_util::FutureExt;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::calls::Invocation;
use super::{Event, Handled, OneShotError};
use crate::adapter::{AdapterError, FrameworkAdapter, Identity};
use crate::agent::{Agent, OneShotHost, Up};
use crate::error::Result;

tokio::task_local! {
    /// The invoker whose event this task handles.
    static HANDLING: usize;
}

/// Runs an ordinary adapter for one event at a time, without a socket. See the [module](super).
///
/// There is no single-instance lock: several of these may serve one agent, and the platform says who has a
/// message. Within one, events may come side by side.
pub struct OneShotInvoker {
    host: OneShotHost,
    drain_cap: u32,
    history_page_cap: usize,
    claims: Arc<Mutex<Claims>>,
    /// One start or shutdown at a time.
    gate: tokio::sync::Mutex<()>,
    state: Mutex<State>,
    shutting_down: AtomicBool,
}

#[derive(Default)]
struct State {
    up: Option<Arc<Up>>,
    events: TaskTracker,
}

impl OneShotInvoker {
    /// For an agent that is not started otherwise. Its adapter, key, addresses and settings count; its lock,
    /// journal and socket are not used. A clone of the agent can't run at the same time, nor serve another invoker:
    /// they would share one adapter. An invoker that is dropped leaves it to the next.
    #[expect(clippy::needless_pass_by_value, reason = "it is this invoker's from here on")]
    pub fn new(agent: Agent) -> Self {
        Self {
            host: agent.one_shot(),
            drain_cap: DRAIN_MAX,
            history_page_cap: PAGES_KEPT,
            claims: Arc::default(),
            gate: tokio::sync::Mutex::new(()),
            state: Mutex::default(),
            shutting_down: AtomicBool::new(false),
        }
    }

    /// How many messages that came in during a turn, and that the model saw, are marked with it. Default: 50.
    #[must_use]
    pub const fn drain_cap(mut self, most: u32) -> Self {
        self.drain_cap = most;
        self
    }

    /// How many pages of a room's past, of 50 entries each, a turn gets at most: the newest. Default: 20.
    #[must_use]
    pub const fn history_page_cap(mut self, most: usize) -> Self {
        self.history_page_cap = most;
        self
    }

    /// Asks the platform who the agent is, once, and starts the adapter. Callers that come meanwhile wait for
    /// it; on an invoker that is started there is nothing to do. An agent without a description is fine here.
    ///
    /// # Errors
    /// The key is wrong, the platform refuses or can't be reached, the adapter refuses, a shutdown came in
    /// between: the adapter is cleaned up again. Or a clone of the agent has the adapter, which goes on.
    pub async fn startup(&self) -> Result<(), OneShotError> {
        let _gate = self.gate.lock().await;
        if self.lock().up.is_some() {
            return Ok(());
        }
        if self.host.is_unclean().await {
            return Err(OneShotError::CleanupPending);
        }
        self.shutting_down.store(false, Ordering::Release);
        match self.host.start().await {
            Ok(up) if !self.shutting_down.load(Ordering::Acquire) => {
                let mut state = self.lock();
                state.events = TaskTracker::new();
                state.up = Some(Arc::new(up));
                Ok(())
            }
            started => {
                let failed = started.err().map_or(OneShotError::ShutDownDuringStartup, OneShotError::from);
                if let Err(left) = self.host.clean_up().await {
                    tracing::warn!(target: "band.oneshot", %left, "the adapter could not be cleaned up");
                }
                Err(failed)
            }
        }
    }

    /// Takes no more events, waits for those that were taken, and cleans the adapter up. On an invoker that is
    /// not started there is nothing to do.
    ///
    /// # Errors
    /// Something could not be cleaned up: call it again. Or it was called by an event's own handler.
    pub async fn shutdown(&self) -> Result<(), OneShotError> {
        if HANDLING.try_with(|handling| *handling == self.number()).unwrap_or(false) {
            return Err(OneShotError::InsideEvent);
        }
        self.shutting_down.store(true, Ordering::Release);
        let _gate = self.gate.lock().await;
        let events = {
            let mut state = self.lock();
            state.up = None;
            state.events.close();
            state.events.clone()
        };
        events.wait().await;
        self.host.clean_up().await.map_err(OneShotError::CleanupIncomplete)
    }

    /// Handles one event. Dropped, it gives up: what was claimed stays claimed on the platform, which serves it
    /// again.
    ///
    /// # Errors
    /// The envelope does not fit; the platform refused a call; the adapter failed. After a failed turn the
    /// message is marked failed. Nothing is said in the room.
    pub async fn handle_event(&self, event: &Event) -> Result<Handled, OneShotError> {
        let (up, _accepted) = self.accept()?;
        HANDLING.scope(self.number(), self.handle(&up, event)).await.map(Handled)
    }

    /// Who the agent is, once started.
    pub fn identity(&self) -> Option<Arc<Identity>> {
        self.lock().up.as_ref().map(|up| Arc::clone(&up.identity))
    }

    fn accept(&self) -> Result<(Arc<Up>, TaskTrackerToken), OneShotError> {
        let state = self.lock();
        let up = state.up.clone().ok_or(OneShotError::NotStarted)?;
        Ok((up, state.events.token()))
    }

    async fn handle(&self, up: &Arc<Up>, event: &Event) -> Result<Outcome, OneShotError> {
        let own = up.identity.id;
        if let Some(given) = event.agent_id.as_ref().filter(|given| !given.is_empty())
            && given.parse() != Ok(own)
        {
            return Err(OneShotError::AnotherAgent { given: given.clone(), own });
        }
        let envelope =
            Envelope { event: &event.event_type, room: event.room_id.as_deref(), payload: &event.payload };
        match route(envelope, &own.to_string())? {
            Route::Ignored => Ok(Outcome::Ignored { event: event.event_type.clone() }),
            Route::SkipSelf { message, .. } => Ok(Outcome::SkippedSelf { message: id("id", &message)? }),
            Route::Cleanup { room } => self.cleanup(event, id("room_id", &room)?).await,
            Route::Invocation { room, message } => {
                let start = Start {
                    agent: own,
                    room: id("room_id", &room)?,
                    message: id("id", &message)?,
                    drain_max: self.drain_cap,
                    pages_kept: self.history_page_cap,
                };
                Invocation::new(self.host.clone(), Arc::clone(up), Arc::clone(&self.claims), start)
                    .run()
                    .await
            }
        }
    }

    async fn cleanup(&self, event: &Event, room: ChatId) -> Result<Outcome, OneShotError> {
        caught(self.host.adapter().on_cleanup(room)).await.map_err(OneShotError::Adapter)?;
        self.claims.lock().unwrap_or_else(PoisonError::into_inner).forget_room(room);
        Ok(Outcome::CleanedUp { event: event.event_type.clone(), room })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells this invoker from others, as long as it lives.
    fn number(&self) -> usize {
        Arc::as_ptr(&self.claims).addr()
    }
}

impl fmt::Debug for OneShotInvoker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OneShotInvoker")
            .field("drain_cap", &self.drain_cap)
            .field("history_page_cap", &self.history_page_cap)
            .finish_non_exhaustive()
    }
}

/// A step of the adapter; a panic in it is an error like others.
pub(super) async fn caught<T>(
    step: impl Future<Output = Result<T, AdapterError>>,
) -> Result<T, AdapterError> {
    let caught = AssertUnwindSafe(step).catch_unwind().await;
    caught.unwrap_or_else(|_| Err("the adapter panicked".into()))
}

/// Ids on this platform are UUIDs.
fn id<M: band_wire::id::Marker>(path: &str, text: &str) -> Result<Id<M>, ValidationError> {
    text.parse().map_err(|err: band_wire::id::ParseIdError| ValidationError {
        issues: vec![Issue {
            path: path.to_owned(),
            code: IssueCode::InvalidValue,
            message: err.to_string(),
        }],
    })
}
