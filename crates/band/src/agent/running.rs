//! An agent that runs.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use band_wire::{AgentId, ChatId};
use tokio::sync::watch;

use super::failure::{CleanupFailure, CleanupIncomplete, CleanupPhase};
use super::host::{Host, INSIDE, NotStopped};
use crate::adapter::{EffectiveFeatures, Identity};
use crate::config::EffectiveConfig;
use crate::error::Result;
use crate::link::{LinkHandle, StopReason};
use crate::metrics::Metrics;
use crate::runtime::Closer;
use crate::tools::Offer;

/// A running agent. Cheap to clone, and usable from any runtime or thread. When the last handle is dropped
/// without [`stop`](Self::stop), everything is cut off at once: turns, connection, lock; the adapter is not
/// told.
#[derive(Clone)]
pub struct Running(pub(super) Arc<Lease>);

/// What all handles on one life of an agent share.
pub(crate) struct Lease {
    pub(super) host: Arc<Host>,
    /// Which of the agent's lives.
    pub(super) life: u64,
    pub(super) identity: Arc<Identity>,
    pub(super) features: Arc<Offer>,
    pub(super) config: EffectiveConfig,
    pub(super) ended: watch::Receiver<Option<StopReason>>,
    pub(super) rooms: watch::Receiver<Arc<Vec<ChatId>>>,
    pub(super) closer: Closer,
    pub(super) link: LinkHandle,
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

impl Running {
    /// The agent's id.
    pub fn id(&self) -> AgentId {
        self.0.identity.id
    }

    /// The agent's name.
    pub fn name(&self) -> &str {
        &self.0.identity.name
    }

    /// What the agent does.
    pub fn description(&self) -> &str {
        &self.0.identity.description
    }

    /// Who the agent is.
    pub fn identity(&self) -> &Identity {
        &self.0.identity
    }

    /// Everything it goes by: what was set, filled up from the environment and the defaults, without the key.
    pub fn effective_config(&self) -> &EffectiveConfig {
        &self.0.config
    }

    /// What its adapter posts and offers: what was chosen, less what the platform does not serve.
    pub fn features(&self) -> &EffectiveFeatures {
        &self.0.features
    }

    /// What it counts.
    pub fn metrics(&self) -> &Metrics {
        &self.0.host.setup.metrics
    }

    /// The rooms that it serves, in order of their ids.
    pub fn rooms(&self) -> Vec<ChatId> {
        self.0.rooms.borrow().as_ref().clone()
    }

    /// Whether it hears of its contacts right now: it wants to, and the topic is joined on the socket of now.
    pub fn is_contacts_subscribed(&self) -> bool {
        self.0.link.is_contacts_subscribed()
    }

    /// Whether it serves its rooms. False once a stop has begun, and after the connection ended for good:
    /// another process took over, say.
    pub fn is_running(&self) -> bool {
        self.0.host.is_up(self.0.life) && self.0.ended.borrow().is_none()
    }

    /// Resolves when the agent is over: the connection ended for good (another process took over, or the
    /// platform refuses the agent), or it was stopped through another handle. [`stop`](Self::stop) it in any
    /// case: it takes up nothing new any more, but has not cleaned up.
    pub async fn closed(&self) -> StopReason {
        self.watch().await
    }

    /// Why the connection has ended for good, if it has.
    pub(crate) fn end(&self) -> Option<StopReason> {
        self.0.ended()
    }

    /// As [`closed`](Self::closed), without keeping the agent alive.
    pub(crate) fn watch(&self) -> impl Future<Output = StopReason> + Send + use<> {
        until_ended(self.0.ended.clone())
    }

    /// Waits for the end as [`closed`](Self::closed) does. It installs no signal handlers.
    ///
    /// # Errors
    /// The platform ended the connection for good. That another process took over is no error.
    pub async fn run_forever(&self) -> Result<()> {
        let reason = self.closed().await;
        if reason.is_orderly() { Ok(()) } else { Err(reason.into()) }
    }

    pub(super) fn closer(&self) -> Closer {
        self.0.closer.clone()
    }

    /// Stops: nothing new is taken up; each turn may finish within `timeout`, all rooms at once, and is then
    /// cancelled. Without a timeout turns are cancelled at once. A message whose turn was cancelled stays
    /// open; the next start handles it again.
    ///
    /// Stops of one agent come one after another: a second one waits for the first, and can only shorten the
    /// time that turns have. A stop that is dropped leaves what it has not done to the next.
    ///
    /// # Errors
    /// Something could not be cleaned up. The handle comes back, and stopping it again tries what failed.
    pub async fn stop(self, timeout: Option<Duration>) -> Result<Stopped, CleanupIncomplete> {
        let failures = match self.0.host.stop(Some(self.0.life), timeout).await {
            Ok(stopped) => return Ok(stopped),
            Err(NotStopped::Unclean(failures)) => failures,
            Err(NotStopped::Inside) => {
                vec![CleanupFailure::new(CleanupPhase::Callbacks, INSIDE.to_owned())]
            }
        };
        Err(CleanupIncomplete { running: self, failures })
    }
}

async fn until_ended(mut ended: watch::Receiver<Option<StopReason>>) -> StopReason {
    match ended.wait_for(Option::is_some).await {
        Ok(reason) => reason.clone().unwrap_or(StopReason::Requested),
        // The runtime is gone, and did not break: a stop did that.
        Err(_) => StopReason::Requested,
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.host.cut_off(self.life);
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("identity", &self.0.identity)
            .field("is_running", &self.is_running())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease").field("life", &self.life).finish_non_exhaustive()
    }
}
