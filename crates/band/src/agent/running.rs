//! An agent that runs, and its stop.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use band_wire::{AgentId, ChatId};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::place::Place;
use crate::adapter::{BoxedAdapter, FrameworkAdapter, Identity};
use crate::config::EffectiveConfig;
use crate::error::Error;
use crate::link::StopReason;
use crate::metrics::Metrics;
use crate::runtime::{Closer, RuntimeEnd, Watched};

/// A stop that may take longer than this is as good as one without an end.
const LONGEST_STOP: Duration = Duration::from_secs(365 * 24 * 3_600);

/// A running agent. When it is dropped without [`stop`](Self::stop), everything is cut off at once: turns,
/// connection, lock; the adapter is not told.
pub struct Running {
    identity: Arc<Identity>,
    adapter: Arc<BoxedAdapter>,
    place: Option<Place>,
    config: EffectiveConfig,
    metrics: Metrics,
    connected: Connected,
    pending: Pending,
}

/// The runtime in its task.
pub(super) struct Connected {
    pub(super) task: JoinSet<RuntimeEnd>,
    pub(super) watched: Watched,
}

/// What a stop still has to do.
#[derive(Debug)]
struct Pending {
    runtime: bool,
    rooms: Vec<ChatId>,
    adapter: bool,
    graceful: bool,
}

/// How an agent stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stopped {
    /// Every turn had finished; none was cancelled.
    pub graceful: bool,
    /// Why the connection had ended before, if it had.
    pub reason: Option<StopReason>,
}

/// Something could not be cleaned up. The agent keeps its lock; stopping it again tries what failed.
pub struct CleanupIncomplete {
    /// The agent, to stop again.
    pub running: Running,
    /// What failed.
    pub failures: Vec<CleanupFailure>,
}

/// One thing that could not be cleaned up.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CleanupFailure {
    /// The room that the adapter could not forget; none for the adapter as a whole.
    pub room: Option<ChatId>,
    /// What the adapter said.
    pub error: String,
}

impl Running {
    pub(super) const fn new(
        identity: Arc<Identity>,
        adapter: Arc<BoxedAdapter>,
        place: Place,
        config: EffectiveConfig,
        metrics: Metrics,
        connected: Connected,
    ) -> Self {
        let pending = Pending { runtime: true, rooms: Vec::new(), adapter: true, graceful: true };
        Self { identity, adapter, place: Some(place), config, metrics, connected, pending }
    }

    /// The agent's id.
    pub fn id(&self) -> AgentId {
        self.identity.id
    }

    /// The agent's name.
    pub fn name(&self) -> &str {
        &self.identity.name
    }

    /// What the agent does.
    pub fn description(&self) -> &str {
        &self.identity.description
    }

    /// Who the agent is.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Everything it goes by: what was set, filled up from the environment and the defaults, without the key.
    pub const fn effective_config(&self) -> &EffectiveConfig {
        &self.config
    }

    /// What it counts.
    pub const fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// The rooms that it serves, in order of their ids.
    pub fn rooms(&self) -> Vec<ChatId> {
        self.connected.watched.rooms.borrow().as_ref().clone()
    }

    /// Whether its connection has not ended for good. False after another process took over.
    pub fn is_running(&self) -> bool {
        self.pending.runtime && self.connected.watched.ended.borrow().is_none()
    }

    /// Resolves when the connection ends for good without a stop: another process took over, or the
    /// platform refuses the agent. [`stop`](Self::stop) it then: it takes up nothing new any more.
    pub async fn closed(&self) -> StopReason {
        let mut ended = self.connected.watched.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(reason) => reason.clone().unwrap_or(StopReason::Requested),
            // The runtime is gone, which only a stop does.
            Err(_) => StopReason::Requested,
        }
    }

    pub(super) fn closer(&self) -> Closer {
        self.connected.watched.closer.clone()
    }

    /// Stops: nothing new is taken up; each turn may finish within `timeout`, all rooms at once, and is then
    /// cancelled. Without a timeout turns are cancelled at once. A message whose turn was cancelled stays
    /// open; the next start handles it again.
    ///
    /// # Errors
    /// The adapter could not clean up. The handle comes back, and stopping it again tries what failed.
    pub async fn stop(mut self, timeout: Option<Duration>) -> Result<Stopped, CleanupIncomplete> {
        let mut failures = Vec::new();
        if std::mem::take(&mut self.pending.runtime) {
            let by = timeout.map(|timeout| Instant::now() + timeout.min(LONGEST_STOP));
            self.closer().close(by);
            match self.connected.task.join_next().await {
                Some(Ok(end)) => {
                    self.pending.graceful &= end.graceful;
                    self.pending.rooms = end.left.into_iter().collect();
                    failures.extend(self.forget_rooms().await);
                    for (room, error) in end.unforgotten {
                        self.pending.rooms.push(room);
                        failures.push(CleanupFailure { room: Some(room), error });
                    }
                }
                Some(Err(broken)) => {
                    self.pending.graceful = false;
                    failures
                        .push(CleanupFailure { room: None, error: format!("the runtime broke: {broken}") });
                }
                None => {}
            }
        } else {
            failures.extend(self.forget_rooms().await);
        }
        if self.pending.adapter {
            match failure(None, self.adapter.cleanup_all().await) {
                Some(failed) => failures.push(failed),
                None => self.pending.adapter = false,
            }
        }
        if !failures.is_empty() {
            return Err(CleanupIncomplete { running: self, failures });
        }
        drop(self.place.take());
        let graceful = self.pending.graceful;
        tracing::info!(target: "band.agent", "Agent stopped: {} (graceful={graceful})", self.identity.name);
        let reason = self.connected.watched.ended.borrow().clone();
        Ok(Stopped { graceful, reason })
    }

    /// Has the adapter forget the rooms that it could not forget before.
    async fn forget_rooms(&mut self) -> Vec<CleanupFailure> {
        let mut failures = Vec::new();
        for room in std::mem::take(&mut self.pending.rooms) {
            if let Some(failed) = failure(Some(room), self.adapter.on_cleanup(room).await) {
                self.pending.rooms.push(room);
                failures.push(failed);
            }
        }
        failures
    }
}

fn failure(room: Option<ChatId>, outcome: crate::adapter::AdapterResult) -> Option<CleanupFailure> {
    outcome.err().map(|err| CleanupFailure { room, error: err.to_string() })
}

impl fmt::Display for CleanupIncomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Agent cleanup remains incomplete")?;
        for (index, CleanupFailure { room, error }) in self.failures.iter().enumerate() {
            f.write_str(if index == 0 { ": " } else { "; " })?;
            match room {
                Some(room) => write!(f, "room {room}: {error}")?,
                None => f.write_str(error)?,
            }
        }
        Ok(())
    }
}

impl std::error::Error for CleanupIncomplete {}

impl From<CleanupIncomplete> for Error {
    fn from(incomplete: CleanupIncomplete) -> Self {
        Self::Cleanup(incomplete.to_string())
    }
}

impl fmt::Debug for CleanupIncomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CleanupIncomplete").field("failures", &self.failures).finish_non_exhaustive()
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("identity", &self.identity)
            .field("pending", &self.pending)
            .finish_non_exhaustive()
    }
}
