//! What a REST client needs to know.

use std::sync::Arc;
use std::time::Duration;

use http::Uri;
use secrecy::SecretString;

use super::gate::Gates;
use super::transport::Transport;
use crate::error::{Error, Result};

/// What a [`RestClient`](super::RestClient) needs to know. `Debug` hides the key.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RestConfig {
    /// The platform, without `/api/v1`: `https://app.band.ai`.
    pub base_url: String,
    /// The agent's key.
    pub api_key: SecretString,
    /// How long one attempt of a call may take. Default 60 s.
    pub timeout: Duration,
    /// How long one attempt at a delivery mark may take. Default 15 s: a mark that hangs holds up its room,
    /// and saying it again does no harm.
    pub mark_timeout: Duration,
    /// What carries the requests. Default: a pool of connections of its own. Agents of one process may share one
    /// [`HttpPool`](super::HttpPool).
    pub transport: Option<Arc<dyn Transport>>,
    /// Whom it waits with when a platform is busy. Default: all clients of this process.
    pub gates: Gates,
    /// Seed of the jitter, and of keys that are made up. Default: another one for each client.
    pub seed: Option<u64>,
    /// Whether the platform honours idempotency keys. Default: no, until [`me`](super::RestClient::me) has told.
    pub honours_keys: bool,
}

impl RestConfig {
    /// The defaults, for this platform and key.
    pub fn new(base_url: impl Into<String>, api_key: SecretString) -> Self {
        Self {
            base_url: base_url.into(),
            api_key,
            timeout: Duration::from_secs(60),
            mark_timeout: Duration::from_secs(15),
            transport: None,
            gates: Gates::of_process(),
            seed: None,
            honours_keys: false,
        }
    }

    /// Has the requests carried by this.
    #[must_use]
    pub fn transport(mut self, transport: Arc<dyn Transport>) -> Self {
        self.transport = Some(transport);
        self
    }
}

/// The platform's address, checked.
#[derive(Debug, Clone)]
pub(super) struct BaseUrl {
    /// Without a slash at the end.
    pub(super) text: String,
    pub(super) uri: Uri,
}

impl BaseUrl {
    /// # Errors
    /// The text is no http(s) URL, or carries a password or a query.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let refuse = |why: &str| Error::Config(format!("rest_url {}: {why}", shown(text)));
        let uri: Uri = text.trim().parse().map_err(|err| refuse(&format!("no URL: {err}")))?;
        let is_known =
            |scheme: &str| ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
        if !uri.scheme_str().is_some_and(is_known) {
            return Err(refuse("must start with http:// or https://"));
        }
        if uri.host().is_none_or(str::is_empty) {
            return Err(refuse("names no host"));
        }
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(refuse("must not hold a user or a password"));
        }
        if has_bad_port(&uri) {
            return Err(refuse(BAD_PORT));
        }
        if uri.query().is_some() {
            return Err(refuse("must not hold a query"));
        }
        let text = text.trim().trim_end_matches('/').to_owned();
        Ok(Self { text, uri })
    }
}

/// What is wrong with an address for which [`has_bad_port`] holds.
pub(crate) const BAD_PORT: &str = "the port must be a number from 1 to 65535";

/// Whether something stands behind the host that is no port one can connect to.
pub(crate) fn has_bad_port(uri: &Uri) -> bool {
    let Some(authority) = uri.authority() else { return false };
    let port = authority.as_str().strip_prefix(authority.host()).unwrap_or_default();
    !port.is_empty() && authority.port_u16().is_none_or(|port| port == 0)
}

/// A URL as an error may show it: in quotes, without user, password and query.
pub(crate) fn shown(url: &str) -> String {
    format!("{:?}", bare(url))
}

/// A URL without user, password and query.
pub(crate) fn bare(url: &str) -> String {
    let bare = url.split(['?', '#']).next().unwrap_or_default();
    match (bare.split_once("://"), bare.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        (None, Some((_, host))) => host.to_owned(),
        (_, None) => bare.to_owned(),
    }
}

/// Whether a host of a URL is this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare.eq_ignore_ascii_case("localhost")
        || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_without_its_last_slash() {
        let url = BaseUrl::parse("https://app.band.ai/").unwrap();
        assert_eq!(url.text, "https://app.band.ai");
        // Scheme and host are the same in any case (RFC 3986, 6.2.2.1).
        for capital in ["HTTP://App.Band.AI/", "Https://APP.band.ai"] {
            assert_eq!(
                BaseUrl::parse(capital).unwrap().uri.host().map(str::to_lowercase).unwrap(),
                "app.band.ai"
            );
        }
    }

    #[test]
    fn this_machine_is_known_by_its_names() {
        for (host, here) in
            [("127.0.0.1", true), ("[::1]", true), ("localhost", true), ("app.band.ai", false)]
        {
            assert_eq!(is_loopback(host), here, "{host}");
        }
    }

    #[test]
    fn a_bad_address_is_named_without_its_secrets() {
        for (url, text) in [
            ("app.band.ai", "rest_url \"app.band.ai\": must start with http:// or https://"),
            ("wss://app.band.ai", "rest_url \"wss://app.band.ai\": must start with http:// or https://"),
            (
                "https://ann:secret@band.ai",
                "rest_url \"https://band.ai\": must not hold a user or a password",
            ),
            (
                "http://127.0.0.1:99999",
                "rest_url \"http://127.0.0.1:99999\": the port must be a number from 1 to 65535",
            ),
            ("http://[::1]:0/", "rest_url \"http://[::1]:0/\": the port must be a number from 1 to 65535"),
            ("https://band.ai/?key=secret", "rest_url \"https://band.ai/\": must not hold a query"),
        ] {
            assert_eq!(BaseUrl::parse(url).unwrap_err().to_string(), text);
        }
    }
}
