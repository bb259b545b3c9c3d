//! An agent: what it needs, and how it starts, runs and stops.

mod body;
mod builder;
mod cleanup;
mod failure;
pub(crate) mod hooks;
mod host;
mod metadata;
mod oneshot;
mod place;
mod registry;
mod run;
mod running;
mod shutdown;
mod signals;
mod start;

use std::fmt;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub use builder::AgentBuilder;
pub use cleanup::Cleanups;
pub use failure::{CleanupFailure, CleanupIncomplete, CleanupPhase};
pub(crate) use oneshot::{OneShotHost, Up};
pub use registry::running_agents;
pub use running::{Running, Stopped};
pub use shutdown::{GracefulShutdown, run_with_graceful_shutdown};
pub use signals::ShutdownSignal;

use self::hooks::Hooks;
use self::host::{Host, INSIDE, NotStopped};
use crate::adapter::{AdapterError, BoxedAdapter, EffectiveFeatures, FrameworkAdapter};
use crate::config::{AgentConfig, Credentials, EffectiveConfig, Endpoints, Env, SessionConfig};
use crate::contacts::ContactEventConfig;
use crate::error::{Error, Result};
use crate::health::Health;
use crate::metrics::Metrics;
use crate::sim::Seams;
use crate::tools::Tool;

/// An agent: its adapter, its key, its settings. Cheap to clone: all clones are one agent.
///
/// ```no_run
/// use band::{Agent, adapter_fn};
///
/// #[tokio::main]
/// async fn main() -> band::Result<()> {
///     band::logging::init();
///     let shout = adapter_fn(|turn| async move { turn.reply(turn.text().to_uppercase()).await });
///     Agent::from_config("my_agent", shout)?.run().await?;
///     Ok(())
/// }
/// ```
///
/// Nothing is sent before [`start`](Self::start) or [`run`](Self::run). A stopped agent can be started again.
#[derive(Clone)]
pub struct Agent {
    host: Arc<Host>,
}

/// What an agent is made of.
pub(crate) struct Setup {
    pub(crate) adapter: Arc<BoxedAdapter>,
    pub(crate) credentials: Credentials,
    pub(crate) endpoints: Endpoints,
    pub(crate) session: SessionConfig,
    pub(crate) config: AgentConfig,
    pub(crate) metrics: Metrics,
    pub(crate) health: Option<SocketAddr>,
    pub(crate) env: Env,
    /// What was chosen and is supported; the platform may not serve all of it.
    pub(crate) features: EffectiveFeatures,
    /// The adapter's own.
    pub(crate) tools: Vec<Tool>,
    pub(crate) hooks: Arc<Hooks>,
    pub(crate) contacts: ContactEventConfig,
    pub(crate) cleanups: Cleanups,
    /// Whether the adapter may block its thread.
    pub(crate) may_block: bool,
    pub(crate) seams: Seams,
}

impl Agent {
    /// Starts from an adapter; everything else is set on the builder, or comes from the environment.
    pub fn builder(adapter: impl FrameworkAdapter) -> AgentBuilder {
        AgentBuilder::new(BoxedAdapter::new(adapter))
    }

    /// An agent whose id and key stand under `name` in `agent_config.yaml` in the working directory.
    ///
    /// # Errors
    /// The file or the entry does not fit, or a setting in the environment does not.
    pub fn from_config(name: &str, adapter: impl FrameworkAdapter) -> Result<Self> {
        Self::builder(adapter).config(name).build()
    }

    /// The same, from another file.
    ///
    /// # Errors
    /// As [`from_config`](Self::from_config).
    pub fn from_config_file(name: &str, file: &Path, adapter: impl FrameworkAdapter) -> Result<Self> {
        Self::builder(adapter).config(name).config_file(file).build()
    }

    /// An agent whose id and key are in `BAND_AGENT_ID` and `BAND_API_KEY`.
    ///
    /// # Errors
    /// One of them is missing or does not fit, or a setting does not.
    pub fn from_env(adapter: impl FrameworkAdapter) -> Result<Self> {
        Self::builder(adapter).env().build()
    }

    /// Starts: takes the single-instance lock, asks the platform who the agent is, starts the adapter,
    /// connects, and joins the agent's rooms. Gives the running agent once all of that is done. What was
    /// said while the agent was away is handled in the background.
    ///
    /// Whoever calls this while a start is under way joins it and gets its outcome; on an agent that runs it
    /// gives another handle.
    ///
    /// # Errors
    /// Another process runs the agent; the key is wrong; the platform refuses or can't be reached for a
    /// minute; the agent has no description; the adapter refuses, or a one-shot host has it; a [`stop`](Self::stop) came in between.
    /// Everything is undone, and the agent can be started again. What can't be undone keeps the lock, the
    /// error says so, and until a stop has succeeded there is no other start.
    pub async fn start(&self) -> Result<Running> {
        self.host.start().await
    }

    /// Stops the agent, as [`Running::stop`] does, without a handle on its running. On one that does not run
    /// there is nothing to do. A start that is under way is undone, and not waited for here.
    ///
    /// # Errors
    /// Something could not be cleaned up; another stop tries what failed. Or it was called by a cleanup
    /// callback, which it would wait for.
    pub async fn stop(&self, timeout: Option<Duration>) -> Result<Stopped> {
        self.host.stop(None, timeout).await.map_err(|not| match not {
            NotStopped::Inside => Error::Config(INSIDE.to_owned()),
            NotStopped::Unclean(failures) => Error::Cleanup(failure::told(&failures)),
        })
    }

    /// Cuts off what a stop has left: whatever it could not clean up is not told any more.
    pub(crate) fn cut_off(&self) {
        self.host.cut_off_rest();
    }

    /// Registers something to be run when the agent has stopped and the adapter has cleaned up, see
    /// [`Cleanups`].
    ///
    /// # Errors
    /// The agent has started already.
    pub fn add_cleanup<F, Fut, E>(&self, name: impl Into<String>, callback: F) -> Result<()>
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<AdapterError>,
    {
        self.host.setup.cleanups.add(name, callback)
    }

    /// The agent's id.
    pub fn id(&self) -> band_wire::AgentId {
        self.host.setup.credentials.agent_id
    }

    /// Where the platform is.
    pub fn endpoints(&self) -> &Endpoints {
        &self.host.setup.endpoints
    }

    /// How it takes its place on the platform and on this host.
    pub fn config(&self) -> &AgentConfig {
        &self.host.setup.config
    }

    /// How it is.
    pub fn health(&self) -> Health {
        Health::of(self.id(), self.metrics())
    }

    /// What it does with contact events.
    pub fn contact_config(&self) -> &ContactEventConfig {
        &self.host.setup.contacts
    }

    /// What it counts, over all its runs.
    pub fn metrics(&self) -> &Metrics {
        &self.host.setup.metrics
    }

    /// Everything it goes by, to be shown.
    pub fn effective_config(&self) -> EffectiveConfig {
        self.host.setup.effective_config()
    }

    /// How it behaves in its rooms.
    pub fn session(&self) -> &SessionConfig {
        &self.host.setup.session
    }
}

impl Setup {
    fn effective_config(&self) -> EffectiveConfig {
        let Self { credentials, endpoints, env, config, session, contacts, .. } = self;
        EffectiveConfig::new(credentials, endpoints, env, *config, session.clone(), contacts.clone())
    }
}

/// Without the key.
impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("credentials", &self.host.setup.credentials)
            .field("endpoints", &self.host.setup.endpoints)
            .field("session", &self.host.setup.session)
            .finish_non_exhaustive()
    }
}
