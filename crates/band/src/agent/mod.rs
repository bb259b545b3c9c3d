//! An agent: what it needs, and how it starts, runs and stops.

mod builder;
pub(crate) mod hooks;
mod metadata;
mod place;
mod run;
mod running;
mod start;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

pub use builder::AgentBuilder;
pub use running::{CleanupFailure, CleanupIncomplete, Running, Stopped};

use self::hooks::Hooks;
use crate::adapter::{BoxedAdapter, EffectiveFeatures, FrameworkAdapter};
use crate::config::{AgentConfig, Credentials, EffectiveConfig, Endpoints, Env, SessionConfig};
use crate::error::Result;
use crate::metrics::Metrics;
use crate::sim::Seams;

/// An agent that is not running: its adapter, its key, its settings.
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
pub struct Agent {
    setup: Setup,
}

/// What an agent is made of.
pub(crate) struct Setup {
    pub(crate) adapter: Arc<BoxedAdapter>,
    pub(crate) credentials: Credentials,
    pub(crate) endpoints: Endpoints,
    pub(crate) session: SessionConfig,
    pub(crate) config: AgentConfig,
    pub(crate) metrics: Metrics,
    pub(crate) env: Env,
    /// What was chosen and is supported; the platform may not serve all of it.
    pub(crate) features: EffectiveFeatures,
    pub(crate) hooks: Arc<Hooks>,
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

    /// The agent's id.
    pub fn id(&self) -> band_wire::AgentId {
        self.setup.credentials.agent_id
    }

    /// Where the platform is.
    pub fn endpoints(&self) -> &Endpoints {
        &self.setup.endpoints
    }

    /// How it takes its place on the platform and on this host.
    pub const fn config(&self) -> &AgentConfig {
        &self.setup.config
    }

    /// What it counts, over all its runs.
    pub const fn metrics(&self) -> &Metrics {
        &self.setup.metrics
    }

    /// Everything it goes by, to be shown.
    pub fn effective_config(&self) -> EffectiveConfig {
        let Setup { credentials, endpoints, env, config, session, .. } = &self.setup;
        EffectiveConfig::new(credentials, endpoints, env, *config, session.clone())
    }

    /// How it behaves in its rooms.
    pub fn session(&self) -> &SessionConfig {
        &self.setup.session
    }
}

/// Without the key.
impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("credentials", &self.setup.credentials)
            .field("endpoints", &self.setup.endpoints)
            .field("session", &self.setup.session)
            .finish_non_exhaustive()
    }
}
