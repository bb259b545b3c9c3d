//! What a link needs to know, and the address it connects to.

use band_wire::AgentId;
use band_wire::phx::VSN;
use http::Uri;
use http::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

use crate::error::{Error, Result};
use crate::rest::{BAD_PORT, has_bad_port, shown};

/// What to do when the agent is connected already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConflictPolicy {
    /// The new connection takes over, the old one is told and ends.
    #[default]
    Supersede,
    /// The new connection is refused. Holds for the first connect alone, so that a reconnect can take the
    /// place of the link's own half-dead socket.
    Reject,
}

/// What a link needs to know. `Debug` hides the key.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LinkConfig {
    /// The socket's address, used as it is: `wss://app.band.ai/api/v1/socket/websocket`.
    pub ws_url: String,
    /// The agent's key, or its owner's.
    pub api_key: SecretString,
    /// The agent.
    pub agent_id: AgentId,
    /// Default: supersede.
    pub on_conflict: ConflictPolicy,
    /// Whether contact events are wanted. Default: no.
    pub contacts: bool,
    /// Seed of the jitter. Default: another one for each link.
    pub seed: Option<u64>,
}

impl LinkConfig {
    /// The defaults, for this address, key and agent.
    pub fn new(ws_url: impl Into<String>, api_key: SecretString, agent_id: AgentId) -> Self {
        Self {
            ws_url: ws_url.into(),
            api_key,
            agent_id,
            on_conflict: ConflictPolicy::default(),
            contacts: false,
            seed: None,
        }
    }
}

/// Where a socket is opened, checked.
#[derive(Debug, Clone)]
pub(super) struct Target {
    pub(super) encrypted: bool,
    pub(super) host: String,
    pub(super) port: u16,
    /// Host, and port where the address names one.
    pub(super) authority: String,
    /// With the query that never changes.
    path: String,
    /// Marked as sensitive.
    pub(super) api_key: HeaderValue,
}

impl Target {
    /// # Errors
    /// The address is no ws(s) URL, carries a password, or the key is no header value.
    pub(super) fn new(config: &LinkConfig) -> Result<Self> {
        let text = config.ws_url.trim();
        let refuse = |why: &str| Error::Config(format!("ws_url {}: {why}", shown(text)));
        let uri: Uri = text.parse().map_err(|err| refuse(&format!("no URL: {err}")))?;
        let encrypted = match uri.scheme_str() {
            Some(scheme) if scheme.eq_ignore_ascii_case("ws") => false,
            Some(scheme) if scheme.eq_ignore_ascii_case("wss") => true,
            _ => return Err(refuse("must start with ws:// or wss://")),
        };
        let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(|| refuse("names no host"))?;
        let authority = uri.authority().map(http::uri::Authority::as_str).unwrap_or_default();
        if authority.contains('@') {
            return Err(refuse("must not hold a user or a password"));
        }
        if has_bad_port(&uri) {
            return Err(refuse(BAD_PORT));
        }
        let mut api_key = HeaderValue::from_str(config.api_key.expose_secret().trim())
            .map_err(|_| Error::Config("api_key: only visible ASCII is allowed".to_owned()))?;
        api_key.set_sensitive(true);
        let own = uri.query().map(|query| format!("{query}&")).unwrap_or_default();
        Ok(Self {
            encrypted,
            host: host.trim_start_matches('[').trim_end_matches(']').to_owned(),
            port: uri.port_u16().unwrap_or(if encrypted { 443 } else { 80 }),
            authority: authority.to_owned(),
            path: format!("{}?{own}vsn={VSN}&agent_id={}", uri.path(), config.agent_id),
            api_key,
        })
    }

    /// Path and query of an upgrade.
    pub(super) fn path(&self, reject: bool) -> String {
        format!("{}{}", self.path, if reject { "&on_conflict=reject" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn target(url: &str) -> Result<Target> {
        Target::new(&LinkConfig::new(url, "key".into(), AgentId::new(Uuid::nil())))
    }

    #[test]
    fn the_address_is_used_as_it_is_and_the_query_is_added_to_its_own() {
        let nil = Uuid::nil();
        for (url, host, port, authority, path) in [
            (
                "wss://app.band.ai/api/v1/socket/websocket",
                "app.band.ai",
                443,
                "app.band.ai",
                format!("/api/v1/socket/websocket?vsn=2.0.0&agent_id={nil}"),
            ),
            (
                "WSS://App.Band.AI/socket",
                "App.Band.AI",
                443,
                "App.Band.AI",
                format!("/socket?vsn=2.0.0&agent_id={nil}"),
            ),
            (
                "ws://[::1]:4000?region=eu",
                "::1",
                4000,
                "[::1]:4000",
                format!("/?region=eu&vsn=2.0.0&agent_id={nil}"),
            ),
        ] {
            let target = target(url).unwrap();
            assert_eq!((target.host.as_str(), target.port), (host, port));
            assert_eq!(target.authority, authority);
            assert_eq!(target.path(false), path);
            assert_eq!(target.path(true), format!("{path}&on_conflict=reject"));
        }
    }

    #[test]
    fn a_bad_address_is_named_without_its_secrets() {
        for (url, text) in [
            ("https://band.ai/?token=secret", "ws_url \"https://band.ai/\": must start with ws:// or wss://"),
            ("ws://ann:secret@band.ai/", "ws_url \"ws://band.ai/\": must not hold a user or a password"),
            (
                "ws://band.ai:99999/",
                "ws_url \"ws://band.ai:99999/\": the port must be a number from 1 to 65535",
            ),
            ("/socket", "ws_url \"/socket\": must start with ws:// or wss://"),
        ] {
            assert_eq!(target(url).unwrap_err().to_string(), text);
        }
    }

    #[test]
    fn neither_config_nor_target_shows_the_key() {
        let config = LinkConfig::new("ws://band.ai", "band_a_secret".into(), AgentId::new(Uuid::nil()));
        let shown = format!("{config:?} {:?}", Target::new(&config).unwrap());
        assert!(!shown.contains("band_a_secret"), "{shown}");
    }
}
