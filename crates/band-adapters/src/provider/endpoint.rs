//! One address of a provider, and how it is asked.

use std::sync::OnceLock;
use std::time::Duration;

use band::rest::retry_after;
use band::{Error, Result, Usage};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::time::{sleep, timeout};

use super::failure::{FailureKind, ProviderFailure};
use super::retry::Again;
use super::sse::{SseEvent, SseReader};

/// The longest answer that is read, in bytes.
const ANSWER_MAX: usize = 64 * 1024 * 1024;
/// The longest body of a refusal that is read, in bytes.
const REFUSAL_MAX: usize = 64 * 1024;
/// What stands where a secret stood.
const REDACTED: &str = "[REDACTED]";

/// How long a provider may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// One answer, from the first byte of the request to the last of the answer.
    pub(crate) answer: Duration,
    /// The time in which nothing of a stream arrives.
    pub(crate) stall: Duration,
    /// All pauses between attempts together.
    pub(crate) pauses: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            answer: Duration::from_secs(300),
            stall: Duration::from_secs(60),
            pauses: Duration::from_secs(120),
        }
    }
}

/// Puts an answer together.
pub(crate) trait Gather: Send {
    /// What comes of it.
    type Done: Send;

    /// Takes an event of a stream. True when it is the last.
    ///
    /// # Errors
    /// The event can't be read, or is the provider's word that it failed.
    fn event(&mut self, event: &SseEvent) -> Result<bool, ProviderFailure>;

    /// Takes an answer in one piece.
    ///
    /// # Errors
    /// It can't be read.
    fn whole(&mut self, body: &Value) -> Result<(), ProviderFailure>;

    /// What has been used so far.
    fn usage(&self) -> Usage;

    /// The answer.
    ///
    /// # Errors
    /// It broke off.
    fn finish(self) -> Result<Self::Done, ProviderFailure>;
}

/// How a provider writes a refusal: its words for it, and whether it means that the conversation is too long.
pub(crate) type ReadRefusal = fn(&Value) -> Refusal;

/// A refusal, read.
#[derive(Debug, Default)]
pub(crate) struct Refusal {
    pub(crate) text: String,
    pub(crate) is_too_long: bool,
    /// Asking again does not help, whatever the status says: there is no money left.
    pub(crate) is_final: bool,
}

/// How a provider is asked.
#[derive(Debug)]
pub(crate) struct Endpoint {
    http: OnceLock<reqwest::Client>,
    /// A header that names the agent's owner, and its value.
    key: Option<(HeaderName, SecretString)>,
    headers: HeaderMap,
    limits: Limits,
    seed: u64,
    refusal: ReadRefusal,
}

impl Endpoint {
    pub(crate) fn new(refusal: ReadRefusal) -> Self {
        use std::hash::{BuildHasher, RandomState};
        let seed = RandomState::new().hash_one("pauses between attempts");
        let (http, headers, limits) = (OnceLock::new(), HeaderMap::new(), Limits::default());
        Self { http, key: None, headers, limits, seed, refusal }
    }

    pub(crate) fn set_client(&mut self, client: reqwest::Client) {
        self.http = OnceLock::from(client);
    }

    pub(crate) fn set_key(&mut self, header: HeaderName, value: SecretString) {
        self.key = Some((header, value));
    }

    pub(crate) const fn limits_mut(&mut self) -> &mut Limits {
        &mut self.limits
    }

    pub(crate) fn set_fixed(&mut self, name: &'static str, value: &'static str) {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }

    /// # Errors
    /// The name or the value is none of a header.
    pub(crate) fn set_header(&mut self, name: &str, value: &str) -> Result<()> {
        let problem = |_| Error::Config(format!("headers: {name:?} can't be sent as a header"));
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| problem(()))?;
        let mut value = HeaderValue::from_str(value).map_err(|_| problem(()))?;
        value.set_sensitive(true);
        self.headers.insert(header, value);
        Ok(())
    }

    /// Sets the client up, if none was given.
    ///
    /// # Errors
    /// This machine has no TLS to set up.
    pub(crate) fn ready(&self, url: &str) -> Result<()> {
        if self.http.get().is_none() {
            // Who was faster has made the same.
            let _ = self.http.set(super::http::client(url.starts_with("https://"))?);
        }
        Ok(())
    }

    /// Asks, and puts the answer together. Rate limits and passing failures are waited out, within bounds.
    ///
    /// # Errors
    /// There is no answer.
    pub(crate) async fn ask<G: Gather>(
        &self,
        url: &str,
        body: &Value,
        gather: impl Fn() -> G + Send + Sync,
    ) -> Result<G::Done, ProviderFailure> {
        self.ready(url)
            .map_err(|err| ProviderFailure::new(FailureKind::Connection, "setup", err.to_string()))?;
        let bytes = serde_json::to_vec(body).map_err(|err| ProviderFailure::unreadable(err.to_string()))?;
        let mut again = Again::within(self.limits.pauses, self.seed);
        let mut used = Usage::default();
        loop {
            let limited = timeout(self.limits.answer, self.attempt(url, bytes.clone(), gather()));
            let failure = match limited.await {
                Ok(Ok(done)) => return Ok(done),
                Ok(Err(failure)) => failure,
                Err(_) => self.late("no answer", self.limits.answer),
            };
            used += failure.usage;
            let Some(pause) = again.after(&failure) else { return Err(failure.with_usage(used)) };
            tracing::warn!(target: "band.model", %failure, ?pause, "asking the model again");
            sleep(pause).await;
        }
    }

    async fn attempt<G: Gather>(
        &self,
        url: &str,
        body: Vec<u8>,
        mut gather: G,
    ) -> Result<G::Done, ProviderFailure> {
        let Some(http) = self.http.get() else { return Err(ProviderFailure::unreadable("no client")) };
        let mut request =
            http.post(url).header(CONTENT_TYPE, "application/json").headers(self.headers.clone()).body(body);
        if let Some((name, key)) = &self.key {
            let mut value = HeaderValue::from_str(key.expose_secret()).map_err(|_| {
                ProviderFailure::new(FailureKind::Refused, "key", "the key can't be sent as a header")
            })?;
            value.set_sensitive(true);
            request = request.header(name, value);
        }
        let mut answer = request.send().await.map_err(|err| self.lost(&err))?;
        if !answer.status().is_success() {
            return Err(self.refused(answer).await);
        }
        let kind = answer.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let read = if kind.starts_with("text/event-stream") {
            self.read_events(&mut answer, &mut gather).await
        } else {
            self.read_whole(&mut answer, &mut gather).await
        };
        read.map_err(|failure| self.scrubbed(failure.with_usage(gather.usage())))?;
        gather.finish().map_err(|failure| self.scrubbed(failure))
    }

    async fn read_events(
        &self,
        answer: &mut reqwest::Response,
        gather: &mut impl Gather,
    ) -> Result<(), ProviderFailure> {
        let mut reader = SseReader::default();
        let mut count = 0_usize;
        while let Some(piece) = self.piece(answer).await? {
            count += piece.len();
            if count > ANSWER_MAX {
                return Err(ProviderFailure::unreadable("the answer is too long"));
            }
            let events = reader.push(&piece).map_err(|err| ProviderFailure::unreadable(err.to_string()))?;
            for event in events {
                if gather.event(&event)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    async fn read_whole(
        &self,
        answer: &mut reqwest::Response,
        gather: &mut impl Gather,
    ) -> Result<(), ProviderFailure> {
        let mut bytes = Vec::new();
        while let Some(piece) = answer.chunk().await.map_err(|err| self.lost(&err))? {
            bytes.extend_from_slice(&piece);
            if bytes.len() > ANSWER_MAX {
                return Err(ProviderFailure::unreadable("the answer is too long"));
            }
        }
        let body: Value = serde_json::from_slice(&bytes)
            .map_err(|err| ProviderFailure::unreadable(format!("the answer is no JSON: {err}")))?;
        gather.whole(&body)
    }

    async fn piece(&self, answer: &mut reqwest::Response) -> Result<Option<bytes::Bytes>, ProviderFailure> {
        match timeout(self.limits.stall, answer.chunk()).await {
            Ok(piece) => piece.map_err(|err| self.lost(&err)),
            Err(_) => Err(self.late("the stream stood still", self.limits.stall)),
        }
    }

    fn late(&self, what: &str, limit: Duration) -> ProviderFailure {
        let _ = self;
        ProviderFailure::new(FailureKind::Timeout, "timeout", format!("{what} for {} s", limit.as_secs()))
    }

    async fn refused(&self, mut answer: reqwest::Response) -> ProviderFailure {
        let status = answer.status().as_u16();
        let wait = retry_after(answer.headers());
        let mut bytes = Vec::new();
        while let Ok(Some(piece)) = answer.chunk().await {
            bytes.extend_from_slice(&piece);
            if bytes.len() > REFUSAL_MAX {
                break;
            }
        }
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let refusal = (self.refusal)(&body);
        let kind = match status {
            413 => FailureKind::TooLong,
            _ if refusal.is_too_long => FailureKind::TooLong,
            408 | 409 | 425 | 429 | 500.. if !refusal.is_final => FailureKind::Passing,
            _ => FailureKind::Refused,
        };
        let code = if kind == FailureKind::TooLong {
            "context_length_exceeded".to_owned()
        } else {
            status.to_string()
        };
        let mut failure = ProviderFailure::new(kind, code, self.scrub(&refusal.text));
        failure.retry_after = wait;
        failure
    }

    fn lost(&self, err: &reqwest::Error) -> ProviderFailure {
        let mut detail = err.to_string();
        let mut cause = std::error::Error::source(err);
        while let Some(deeper) = cause {
            detail = format!("{detail}: {deeper}");
            cause = deeper.source();
        }
        let (kind, code) = if err.is_timeout() {
            (FailureKind::Timeout, "timeout")
        } else {
            (FailureKind::Connection, "connection")
        };
        ProviderFailure::new(kind, code, self.scrub(&detail))
    }

    fn scrubbed(&self, mut failure: ProviderFailure) -> ProviderFailure {
        failure.code = self.scrub(&failure.code);
        failure.detail = self.scrub(&failure.detail);
        failure
    }

    /// A provider may quote the key back, or a header that was set.
    fn scrub(&self, text: &str) -> String {
        let key = self.key.as_ref().map(|(_, key)| key.expose_secret());
        let key = key.map(|key| key.strip_prefix("Bearer ").unwrap_or(key));
        let headers = self.headers.values().filter(|value| value.is_sensitive());
        let headers =
            headers.filter_map(|value| value.to_str().ok()).filter(|value| value.len() >= HEADER_MIN);
        let secrets = key.into_iter().chain(headers).filter(|secret| !secret.is_empty());
        secrets.fold(text.to_owned(), |text, secret| without(&text, secret))
    }
}

/// The shortest value of a header that is taken for a secret, in bytes: `true` and `2024` are none.
const HEADER_MIN: usize = 8;
/// The shortest start of a secret that is taken for one, in bytes.
const START_MIN: usize = 4;

/// The text without the secret, and without its start where the text was cut in the midst of it.
fn without(text: &str, secret: &str) -> String {
    let text = text.replace(secret, REDACTED);
    let starts = (START_MIN..secret.len()).rev().filter_map(|length| secret.get(..length));
    let kept =
        starts.filter_map(|start| text.strip_suffix(start)).next().map(|kept| format!("{kept}{REDACTED}"));
    kept.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_that_come_back_are_taken_out_of_whatever_a_failure_says() {
        let mut endpoint = Endpoint::new(|_| Refusal::default());
        endpoint.set_key(HeaderName::from_static("authorization"), "Bearer sk-12345".to_owned().into());
        endpoint.set_header("x-team", "team-secret").unwrap();
        endpoint.set_fixed("x-version", "2023");
        let quoted = "key sk-12345 of team-secret in 2023".to_owned();
        let cut = format!("{}sk-12345", "x".repeat(494));
        for (code, said, expected) in [
            ("sk-12345", quoted, "key [REDACTED] of [REDACTED] in 2023".to_owned()),
            ("error", cut, format!("{}[REDACTED]", "x".repeat(494))),
        ] {
            let failure = endpoint.scrubbed(ProviderFailure::new(FailureKind::Refused, code, said));
            assert_eq!(failure.detail, expected);
            assert!(!failure.code.contains("sk-"), "{}", failure.code);
        }
    }
}
