//! Administration over HTTP, of the server that runs on a data directory.

use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use band_server::server::ServerFile;
use band_wire::rest::{Body, Data, ErrorEnvelope, FromBody};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A server on this machine answers at once or not at all.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The admin routes of a running server.
#[derive(Debug)]
pub(crate) struct Running {
    http: reqwest::Client,
    base_url: String,
    token: SecretString,
}

impl Running {
    pub(crate) fn new(server: &ServerFile) -> Result<Self> {
        // The program chooses the provider for encrypted connections; these are not, but the client asks.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .no_proxy()
            .timeout(TIMEOUT)
            .build()
            .context("cannot set up the HTTP client")?;
        Ok(Self { http, base_url: server.url(), token: server.admin_token.clone() })
    }

    /// The platform's address.
    pub(crate) fn base_url(&self) -> &str {
        &self.base_url
    }

    pub(crate) async fn post<B, T>(&self, path: &str, body: &B) -> Result<T>
    where
        B: FromBody + Serialize,
        T: DeserializeOwned,
    {
        let lost = || {
            let base = &self.base_url;
            format!("the server at {base} does not answer; stop it and start it again, or look at its log")
        };
        let request = self.http.post(format!("{}{path}", self.base_url));
        let request = request.bearer_auth(self.token.expose_secret()).json(&Body(body));
        let response = request.send().await.map_err(reqwest::Error::without_url).with_context(lost)?;
        let status = response.status();
        let bytes = response.bytes().await.map_err(reqwest::Error::without_url).with_context(lost)?;
        if status.is_success() {
            let data: Data<T> = serde_json::from_slice(&bytes).with_context(|| {
                format!("the server's answer to {path} can't be read; is it another version?")
            })?;
            return Ok(data.data);
        }
        Err(refused(status.as_u16(), &bytes))
    }
}

/// The server's refusal in its own words, with the exit code that goes with it.
fn refused(status: u16, body: &[u8]) -> anyhow::Error {
    let Ok(ErrorEnvelope { error }) = serde_json::from_slice(body) else {
        return anyhow!("the server answered {status} without saying why; look at its log");
    };
    super::refusal(status, &error.message, error.details.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::{Exit, exit_of};

    #[test]
    fn a_refusal_is_told_in_the_servers_words() {
        let body =
            br#"{"error":{"code":"validation_error","message":"Request validation failed","request_id":"r",
            "details":{"/agent/description":["should be at least 10 character(s)"]}}}"#;
        let error = refused(422, body);
        assert_eq!(error.to_string(), "description should be at least 10 character(s)");
        assert_eq!(exit_of(&error), Exit::Usage);
        let body = br#"{"error":{"code":"forbidden","message":"not from there","request_id":"r"}}"#;
        assert_eq!(exit_of(&refused(403, body)), Exit::Refused);
        assert_eq!(exit_of(&refused(500, b"oops")), Exit::Error);
    }
}
