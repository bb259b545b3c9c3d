//! Explicit, else environment, else default.

use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use band_core::room::Member;
use band_wire::ChatId;
use secrecy::SecretString;

use super::hooks::Hooks;
use super::host::Host;
use super::{Agent, Setup};
use crate::adapter::{AdapterError, BoxedAdapter, FrameworkAdapter};
use crate::config::{AgentConfig, Credentials, Endpoints, Env, SessionConfig, load_agent_config};
use crate::contacts::ContactEventConfig;
use crate::error::{Error, Result};
use crate::link::ConflictPolicy;
use crate::metrics::Metrics;
use crate::preprocess::Preprocessor;
use crate::rest::HttpPool;
use crate::sim::Seams;
use crate::tools::{AgentTool, check_own};

/// Collects what an agent needs. What does not fit is told by [`build`](Self::build).
pub struct AgentBuilder {
    adapter: BoxedAdapter,
    identity: Source,
    config_file: Option<PathBuf>,
    rest_url: Option<String>,
    ws_url: Option<String>,
    session: Option<SessionConfig>,
    config: AgentConfig,
    metrics: Metrics,
    health: Option<SocketAddr>,
    hooks: Hooks,
    may_block: bool,
    contacts: ContactEventConfig,
    seams: Seams,
}

/// Where id and key come from.
enum Source {
    Unset,
    Given(String, SecretString),
    Config(String),
    Env,
}

impl AgentBuilder {
    pub(super) fn new(adapter: BoxedAdapter) -> Self {
        Self {
            adapter,
            identity: Source::Unset,
            config_file: None,
            rest_url: None,
            ws_url: None,
            session: None,
            config: AgentConfig::default(),
            metrics: Metrics::default(),
            health: None,
            hooks: Hooks::default(),
            may_block: false,
            contacts: ContactEventConfig::default(),
            seams: Seams::default(),
        }
    }

    /// The agent's id and key. The key may be the word `proxy-managed` when a trusted proxy puts in the real
    /// one.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "an id or a text, whichever the caller has")]
    pub fn credentials(mut self, agent_id: impl ToString, api_key: impl Into<SecretString>) -> Self {
        self.identity = Source::Given(agent_id.to_string(), api_key.into());
        self
    }

    /// Id and key stand under this name in `agent_config.yaml`.
    #[must_use]
    pub fn config(mut self, name: impl Into<String>) -> Self {
        self.identity = Source::Config(name.into());
        self
    }

    /// The file that [`config`](Self::config) reads, in place of `agent_config.yaml` in the working directory.
    #[must_use]
    pub fn config_file(mut self, file: impl AsRef<Path>) -> Self {
        self.config_file = Some(file.as_ref().to_owned());
        self
    }

    /// Id and key are in `BAND_AGENT_ID` and `BAND_API_KEY`.
    #[must_use]
    pub fn env(mut self) -> Self {
        self.identity = Source::Env;
        self
    }

    /// Where the REST API is, without `/api/v1`. Without it: `BAND_REST_URL`, or derived from the socket's
    /// address, or Band Cloud.
    #[must_use]
    pub fn rest_url(mut self, url: impl Into<String>) -> Self {
        self.rest_url = Some(url.into());
        self
    }

    /// Where the socket is. Without it: `BAND_WS_URL`, or derived from the address of the REST API, or Band
    /// Cloud.
    #[must_use]
    pub fn ws_url(mut self, url: impl Into<String>) -> Self {
        self.ws_url = Some(url.into());
        self
    }

    /// How the agent behaves in its rooms. Without it: the environment and the defaults.
    #[must_use]
    pub fn session(mut self, session: SessionConfig) -> Self {
        self.session = Some(session);
        self
    }

    /// How the agent takes its place: all three settings at once.
    #[must_use]
    pub const fn agent_config(mut self, config: AgentConfig) -> Self {
        self.config = config;
        self
    }

    /// What to do when the agent is connected already. Default: take over.
    #[must_use]
    pub const fn on_conflict(mut self, policy: ConflictPolicy) -> Self {
        self.config.conflict_policy = policy;
        self
    }

    /// Whether a second process on this host is refused. Default: yes.
    #[must_use]
    pub const fn single_instance(mut self, on: bool) -> Self {
        self.config.single_instance = on;
        self
    }

    /// Whether the rooms that the agent is in already are joined at the start. Default: yes.
    #[must_use]
    pub const fn auto_subscribe_existing_rooms(mut self, on: bool) -> Self {
        self.config.auto_subscribe_existing_rooms = on;
        self
    }

    /// What the agent counts. Without it: numbers of its own, see [`Agent::metrics`].
    #[must_use]
    pub fn metrics(mut self, metrics: Metrics) -> Self {
        self.metrics = metrics;
        self
    }

    /// What looks at each message before the adapter does. Default: nothing.
    #[must_use]
    pub fn preprocessor(mut self, preprocessor: impl Preprocessor) -> Self {
        self.hooks.set_preprocessor(preprocessor);
        self
    }

    /// Is told of everyone who comes to one of the agent's rooms. What it fails with is logged.
    #[must_use]
    pub fn on_participant_added<F, Fut, E>(mut self, callback: F) -> Self
    where
        F: Fn(ChatId, Member) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<AdapterError>,
    {
        self.hooks.participant_added = Some(Hooks::boxed(callback));
        self
    }

    /// Is told of everyone who leaves one of the agent's rooms. What it fails with is logged.
    #[must_use]
    pub fn on_participant_removed<F, Fut, E>(mut self, callback: F) -> Self
    where
        F: Fn(ChatId, Member) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<AdapterError>,
    {
        self.hooks.participant_removed = Some(Hooks::boxed(callback));
        self
    }

    /// One of many agents in this process: it shares their connections, and must not hold up their threads.
    pub(crate) fn hosted(mut self, pool: &Arc<HttpPool>) -> Self {
        if self.seams.transport.is_none() {
            self.seams.transport = Some(Arc::clone(pool) as _);
        }
        self.may_block = true;
        self
    }

    /// What to do with contact events. Default: nothing.
    ///
    /// ```
    /// # use band::{Agent, Turn, adapter_fn, contacts::{ContactEventConfig, ContactEvents}};
    /// # let adapter = adapter_fn(|turn: Turn| async move { turn.reply("hi").await });
    /// let events = ContactEvents::HubRoom { task_id: None };
    /// let builder = Agent::builder(adapter).contacts(ContactEventConfig::from(events).broadcast_changes(true));
    /// # let _ = builder;
    /// ```
    #[must_use]
    pub fn contacts(mut self, contacts: impl Into<ContactEventConfig>) -> Self {
        self.contacts = contacts.into();
        self
    }

    /// Puts a made-up world in place of the real one.
    #[doc(hidden)]
    #[must_use]
    pub fn seams(mut self, seams: Seams) -> Self {
        self.seams = seams;
        self
    }

    /// Where to tell, while the agent is started or runs, whether it is well and what it counted; see
    /// [`health`](crate::health). Default: nowhere.
    #[must_use]
    pub const fn health(mut self, address: SocketAddr) -> Self {
        self.health = Some(address);
        self
    }

    /// Reads what is not set from the environment of this process, and checks everything.
    ///
    /// # Errors
    /// The first thing that does not fit, by name.
    pub fn build(self) -> Result<Agent> {
        self.build_with(Env::of_process())
    }

    /// The same, with these variables.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_with(self, env: Env) -> Result<Agent> {
        let credentials = match self.identity {
            Source::Given(id, key) => Credentials::new(&id, key)?,
            Source::Config(name) => load_agent_config(&name, self.config_file.as_deref())?,
            Source::Env => Credentials::from_env(&env)?,
            Source::Unset => {
                return Err(Error::Config(
                    "the agent has no id and key: use credentials(..), config(..) or env()".to_owned(),
                ));
            }
        };
        let endpoints = Endpoints::resolve(self.rest_url.as_deref(), self.ws_url.as_deref(), &env)?;
        let session = match self.session {
            Some(session) => session,
            None => SessionConfig::from(&env)?,
        };
        let features = self.adapter.features().resolve(self.adapter.name(), &self.adapter.supported())?;
        let names: Vec<&str> = AgentTool::ALL.iter().map(|tool| tool.name()).collect();
        for unknown in features.unknown_names(&names) {
            tracing::warn!(target: "band.agent", unknown, "the tool filters name something that is no tool and no group");
        }
        let tools = self.adapter.tools();
        check_own(&tools)?;
        self.contacts.check()?;
        let cleanups = self.adapter.cleanups().cloned().unwrap_or_default();
        let setup = Setup {
            adapter: Arc::new(self.adapter),
            credentials,
            endpoints,
            session,
            config: self.config,
            metrics: self.metrics,
            health: self.health,
            env,
            features,
            tools,
            hooks: Arc::new(self.hooks),
            contacts: self.contacts,
            cleanups,
            may_block: self.may_block,
            seams: self.seams,
        };
        Ok(Agent { host: Host::new(setup) })
    }
}

/// Without the key.
impl fmt::Debug for AgentBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentBuilder")
            .field("rest_url", &self.rest_url)
            .field("ws_url", &self.ws_url)
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Turn, adapter_fn};

    fn builder() -> AgentBuilder {
        Agent::builder(adapter_fn(|turn: Turn| async move { turn.reply("hi").await }))
    }

    #[test]
    fn what_does_not_fit_is_told_when_it_is_built() {
        let table = [
            (builder(), "the agent has no id and key: use credentials(..), config(..) or env()"),
            (builder().credentials("x", "k"), "agent id must be a UUID, got \"x\""),
            (builder().env(), "BAND_AGENT_ID and BAND_API_KEY not set"),
        ];
        for (builder, text) in table {
            let err = builder.build_with(Env::default()).unwrap_err();
            assert!(err.to_string().starts_with(text), "{err}");
        }
    }

    #[test]
    fn an_agent_never_shows_its_key() {
        let agent = builder()
            .credentials("0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d", "band_a_secret")
            .rest_url("http://127.0.0.1:4000")
            .build_with(Env::default())
            .unwrap();
        assert_eq!(agent.endpoints().ws_url, "ws://127.0.0.1:4000/api/v1/socket/websocket");
        assert!(!format!("{agent:?}").contains("secret"));
    }
}
