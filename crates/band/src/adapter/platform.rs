//! Where the agent is connected to, for adapters that need a connection of their own.

use std::fmt;

use band_wire::AgentId;
use secrecy::SecretString;

use crate::rest::RestClient;

/// The platform an agent is connected to. `Debug` hides the key.
#[derive(Clone)]
#[non_exhaustive]
pub struct PlatformConnection {
    /// The agent.
    pub agent_id: AgentId,
    /// Its key.
    pub api_key: SecretString,
    /// Of the REST API, without `/api/v1`.
    pub rest_url: String,
    /// Of the socket.
    pub ws_url: String,
    rest: RestClient,
}

impl PlatformConnection {
    pub(crate) const fn new(
        agent_id: AgentId,
        api_key: SecretString,
        rest_url: String,
        ws_url: String,
        rest: RestClient,
    ) -> Self {
        Self { agent_id, api_key, rest_url, ws_url, rest }
    }

    /// A client of the Agent API. All of an agent's clients share one pool and one patience.
    pub fn rest_client(&self) -> RestClient {
        self.rest.clone()
    }
}

impl fmt::Debug for PlatformConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlatformConnection")
            .field("agent_id", &self.agent_id)
            .field("rest_url", &self.rest_url)
            .field("ws_url", &self.ws_url)
            .finish_non_exhaustive()
    }
}
