//! Where the platform is.

use super::Env;
use crate::error::{Error, Result};
use crate::rest::shown;

/// The two addresses of a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Endpoints {
    /// Of the REST API, without `/api/v1`.
    pub rest_url: String,
    /// Of the socket, path included.
    pub ws_url: String,
    /// Something to tell the user about them: they name different hosts.
    pub warning: Option<String>,
}

const CLOUD_REST: &str = "https://app.band.ai";
const SOCKET_PATH: &str = "/api/v1/socket/websocket";

impl Endpoints {
    /// Settles both addresses. Each is taken from the argument, or else from `BAND_REST_URL` and
    /// `BAND_WS_URL`. When only one is known the other is derived from it; when none is, it is Band Cloud.
    ///
    /// # Errors
    /// The one that is known can't be turned into the other: the text says to give both.
    pub fn resolve(rest_url: Option<&str>, ws_url: Option<&str>, env: &Env) -> Result<Self> {
        let given = |argument: Option<&str>, name| {
            argument.filter(|url| !url.is_empty()).or_else(|| env.get(name)).map(str::to_owned)
        };
        match (given(rest_url, "BAND_REST_URL"), given(ws_url, "BAND_WS_URL")) {
            (Some(rest_url), Some(ws_url)) => {
                let hosts = (host(&rest_url, ["http", "https"]), host(&ws_url, ["ws", "wss"]));
                // One that is no address at all gets its own error, when it is used.
                let do_differ = matches!(hosts, (Some(rest), Some(socket)) if rest != socket);
                let warning = do_differ.then(|| {
                    format!(
                        "rest_url {} and ws_url {} name different hosts: the agent may authenticate on one \
                         platform and listen on another",
                        shown(&rest_url),
                        shown(&ws_url)
                    )
                });
                Ok(Self { rest_url, ws_url, warning })
            }
            (Some(rest_url), None) => Ok(Self { ws_url: socket_of(&rest_url)?, rest_url, warning: None }),
            (None, Some(ws_url)) => Ok(Self { rest_url: rest_of(&ws_url)?, ws_url, warning: None }),
            (None, None) => {
                Ok(Self { ws_url: socket_of(CLOUD_REST)?, rest_url: CLOUD_REST.to_owned(), warning: None })
            }
        }
    }
}

fn socket_of(rest_url: &str) -> Result<String> {
    let rest = rest_url.trim().trim_end_matches('/');
    let swapped = swap(rest, [("https://", "wss://"), ("http://", "ws://")]);
    swapped.map(|base| format!("{base}{SOCKET_PATH}")).ok_or_else(|| {
        Error::Config(format!(
            "rest_url {} must start with http:// or https://: the socket's address follows from it",
            shown(rest_url)
        ))
    })
}

fn rest_of(ws_url: &str) -> Result<String> {
    let base = ws_url.trim().trim_end_matches('/').strip_suffix(SOCKET_PATH);
    base.and_then(|base| swap(base, [("wss://", "https://"), ("ws://", "http://")])).ok_or_else(|| {
        Error::Config(format!(
            "ws_url {} must start with ws:// or wss:// and end with {SOCKET_PATH} for the address of the REST \
             API to follow from it; otherwise give rest_url (BAND_REST_URL) too",
            shown(ws_url)
        ))
    })
}

fn swap(url: &str, schemes: [(&str, &str); 2]) -> Option<String> {
    schemes.into_iter().find_map(|(from, to)| {
        let (scheme, rest) = url.split_at_checked(from.len())?;
        (scheme.eq_ignore_ascii_case(from) && !rest.is_empty()).then(|| format!("{to}{rest}"))
    })
}

/// Host and port, in lower case; a port that the scheme implies is left out. None for what is no URL of these schemes.
fn host(url: &str, [plain, encrypted]: [&str; 2]) -> Option<String> {
    let (scheme, rest) = url.trim().split_once("://")?;
    let implied = if scheme.eq_ignore_ascii_case(encrypted) {
        ":443"
    } else if scheme.eq_ignore_ascii_case(plain) {
        ":80"
    } else {
        return None;
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default().to_lowercase();
    let host = authority.strip_suffix(implied).unwrap_or(&authority);
    (!host.is_empty()).then(|| host.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(rest: Option<&str>, ws: Option<&str>, env: &[(&str, &str)]) -> Result<Endpoints> {
        Endpoints::resolve(rest, ws, &env.iter().copied().collect())
    }

    #[test]
    fn one_address_gives_the_other() {
        let table = [
            (None, None, "https://app.band.ai", "wss://app.band.ai/api/v1/socket/websocket"),
            (
                Some("http://127.0.0.1:4000/"),
                None,
                "http://127.0.0.1:4000/",
                "ws://127.0.0.1:4000/api/v1/socket/websocket",
            ),
            (
                Some(""),
                Some("wss://band.example/x/api/v1/socket/websocket"),
                "https://band.example/x",
                "wss://band.example/x/api/v1/socket/websocket",
            ),
            (
                Some("HTTPS://Band.Example/X"),
                None,
                "HTTPS://Band.Example/X",
                "wss://Band.Example/X/api/v1/socket/websocket",
            ),
            (
                None,
                Some("WS://Band.Example/api/v1/socket/websocket"),
                "http://Band.Example",
                "WS://Band.Example/api/v1/socket/websocket",
            ),
        ];
        for (rest, ws, expected_rest, expected_ws) in table {
            let ends = resolve(rest, ws, &[]).unwrap();
            assert_eq!((ends.rest_url.as_str(), ends.ws_url.as_str()), (expected_rest, expected_ws));
            assert_eq!(ends.warning, None);
        }
    }

    #[test]
    fn arguments_win_over_the_environment_and_the_environment_over_the_cloud() {
        let env = [("BAND_REST_URL", "http://a"), ("BAND_WS_URL", "")];
        assert_eq!(resolve(None, None, &env).unwrap().ws_url, "ws://a/api/v1/socket/websocket");
        assert_eq!(resolve(Some("http://b"), None, &env).unwrap().rest_url, "http://b");
    }

    #[test]
    fn two_hosts_that_differ_are_told_and_kept() {
        let ends = resolve(Some("https://a"), Some("wss://b/api/v1/socket/websocket"), &[]).unwrap();
        let warning = ends.warning.unwrap();
        assert!(warning.contains("https://a") && warning.contains("wss://b"), "{warning}");
        for (rest, socket) in [
            ("https://A:443/x", "wss://a/api"),
            ("HTTP://a:80", "Ws://A/api"),
            // No address: its own error is all there is to say.
            ("https://a", "b.example"),
            ("https://a", "https://b/api"),
            ("a", "wss://b"),
        ] {
            assert_eq!(resolve(Some(rest), Some(socket), &[]).unwrap().warning, None, "{rest} {socket}");
        }
    }

    #[test]
    fn no_text_about_an_address_shows_a_secret_in_it() {
        let warning =
            resolve(Some("https://ann:secret@a"), Some("wss://b/?api_key=secret"), &[]).unwrap().warning;
        let refused = [
            resolve(Some("ftp://ann:secret@a"), None, &[]).unwrap_err().to_string(),
            resolve(None, Some("wss://ann:secret@b/other"), &[]).unwrap_err().to_string(),
        ];
        for text in refused.iter().chain(&warning) {
            assert!(!text.contains("secret"), "{text}");
        }
        assert!(warning.is_some());
    }

    #[test]
    fn what_gives_nothing_is_refused_with_the_way_out() {
        let err = resolve(Some("app.band.ai"), None, &[]).unwrap_err().to_string();
        assert!(err.contains("\"app.band.ai\"") && err.contains("https://"), "{err}");
        let err = resolve(None, Some("wss://b/other"), &[]).unwrap_err().to_string();
        assert!(err.contains("BAND_REST_URL"), "{err}");
    }
}
