//! What an agent goes by, to be shown.

use std::path::PathBuf;

use band_wire::AgentId;
use secrecy::ExposeSecret;
use serde::Serialize;

use super::{AgentConfig, Credentials, Endpoints, Env, SessionConfig, state_dir};
use crate::contacts::ContactEventConfig;
use crate::rest::bare;

/// The key that stands in for the real one where a trusted proxy puts that in.
pub const PROXY_MANAGED: &str = "proxy-managed";

/// What an agent goes by, once arguments, environment and defaults are settled. Holds no secret, so that it may
/// be printed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EffectiveConfig {
    /// The agent.
    pub agent_id: AgentId,
    /// `proxy-managed` where that is the key; else only that there is one.
    pub api_key: &'static str,
    /// Where the REST API is; without user, password and query.
    pub rest_url: String,
    /// Where the socket is; likewise.
    pub ws_url: String,
    /// Where all agents of this host keep what outlives their processes; none when no place is known.
    pub state_dir: Option<PathBuf>,
    /// How the agent takes its place.
    pub agent: AgentConfig,
    /// How it behaves in its rooms.
    pub session: SessionConfig,
    /// What it does with contact events.
    pub contacts: ContactEventConfig,
}

impl EffectiveConfig {
    pub(crate) fn new(
        credentials: &Credentials,
        endpoints: &Endpoints,
        env: &Env,
        agent: AgentConfig,
        session: SessionConfig,
        contacts: ContactEventConfig,
    ) -> Self {
        let is_stand_in = credentials.api_key.expose_secret() == PROXY_MANAGED;
        Self {
            agent_id: credentials.agent_id,
            api_key: if is_stand_in { PROXY_MANAGED } else { "(set)" },
            rest_url: bare(&endpoints.rest_url),
            ws_url: bare(&endpoints.ws_url),
            state_dir: state_dir(env).ok(),
            agent,
            session,
            contacts,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_holds_no_secret_but_the_stand_in_for_one() {
        let env: Env = [("BAND_STATE_DIR", "/s"), ("BAND_REST_URL", "https://ann:secret@a/x?k=secret")]
            .into_iter()
            .collect();
        let ends = Endpoints::resolve(None, Some("wss://a/api/v1/socket/websocket?k=secret"), &env).unwrap();
        let shown = |key: &str| {
            let credentials = Credentials::new("0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d", key).unwrap();
            EffectiveConfig::new(
                &credentials,
                &ends,
                &env,
                AgentConfig::default(),
                SessionConfig::default(),
                ContactEventConfig::default(),
            )
        };
        let text =
            format!("{} {:?}", serde_json::to_string(&shown("band_a_secret")).unwrap(), shown("secret"));
        assert!(!text.contains("secret"), "{text}");
        assert_eq!(shown("proxy-managed").api_key, "proxy-managed");
        assert_eq!((shown("k").rest_url.as_str(), shown("k").state_dir), ("https://a/x", Some("/s".into())));
    }
}
