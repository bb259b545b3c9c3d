//! Asking the model.

use std::time::Duration;

use band::{AgentFailure, Result};
use reqwest::header::RETRY_AFTER;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::time::sleep;

use super::config::ChatConfig;
use super::wire::{Entry, Refusal, Request, Response, Said};

/// Attempts at one completion.
const ATTEMPTS: u32 = 4;
/// A provider that wants to be left alone for longer than this ends the turn instead.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// The longest text of a provider that is kept, in characters.
const TEXT_MAX: usize = 500;

/// Why there is no completion.
#[derive(Debug, thiserror::Error)]
#[error("the model gave no answer ({code}): {detail}")]
pub(super) struct ProviderError {
    /// The HTTP status, or a word.
    code: String,
    /// For the log and the failed mark. Holds no key.
    detail: String,
    /// Worth another attempt, after this long if the provider says so.
    again: Option<Option<Duration>>,
}

impl ProviderError {
    /// What the room is told: that it failed and with which code, nothing that the provider wrote.
    pub(super) fn to_failure(&self) -> AgentFailure {
        let text = match self.code.as_str() {
            "timeout" => "The model did not answer in time.".to_owned(),
            "connection" => "The model provider can't be reached.".to_owned(),
            "unreadable" => "The model provider sent an answer that can't be read.".to_owned(),
            status => format!("The model provider refused the request with status {status}."),
        };
        AgentFailure::new("openai", text).code(&self.code)
    }
}

/// A client for one endpoint and model.
#[derive(Debug)]
pub(super) struct Client {
    http: reqwest::Client,
    endpoint: String,
    model: String,
    api_key: Option<SecretString>,
}

impl Client {
    pub(super) fn new(config: &ChatConfig) -> Result<Self> {
        let endpoint = config.endpoint();
        Ok(Self {
            http: crate::http::client(endpoint.starts_with("https://"), config.timeout)?,
            endpoint,
            model: config.model.clone(),
            api_key: config.api_key.clone(),
        })
    }

    /// One completion. Rate limits and passing failures are waited out, within bounds.
    pub(super) async fn complete(&self, messages: Vec<&Entry>, tools: &Value) -> Result<Said, ProviderError> {
        let body = serde_json::to_vec(&Request { model: &self.model, messages, tools })
            .map_err(|err| failed("unreadable", err.to_string()))?;
        let mut wait = Duration::from_secs(1);
        for _ in 1..ATTEMPTS {
            let error = match self.attempt(body.clone()).await {
                Ok(said) => return Ok(said),
                Err(error) => error,
            };
            let Some(asked) = error.again else { return Err(error) };
            let pause = asked.unwrap_or(wait);
            if pause > LONGEST_WAIT {
                return Err(error);
            }
            tracing::warn!(target: "band.openai", %error, ?pause, "asking the model again");
            sleep(pause).await;
            wait *= 2;
        }
        self.attempt(body).await
    }

    async fn attempt(&self, body: Vec<u8>) -> Result<Said, ProviderError> {
        let mut request =
            self.http.post(&self.endpoint).header("content-type", "application/json").body(body);
        if let Some(key) = &self.api_key {
            request = request.bearer_auth(key.expose_secret());
        }
        let answer = request.send().await.map_err(|err| self.lost(&err))?;
        let status = answer.status();
        let retry_after = answer
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok()?.trim().parse().ok())
            .map(Duration::from_secs);
        let text = answer.bytes().await.map_err(|err| self.lost(&err))?;
        if !status.is_success() {
            let is_passing = matches!(status.as_u16(), 408 | 409 | 429 | 500..);
            let refusal = serde_json::from_slice::<Refusal>(&text).unwrap_or_default().error;
            let said = [refusal.kind, refusal.code.map(|code| code.to_string()), refusal.message];
            let detail = said.into_iter().flatten().collect::<Vec<_>>().join(": ");
            return Err(ProviderError {
                code: status.as_u16().to_string(),
                detail: self.scrub(&detail),
                again: is_passing.then_some(retry_after),
            });
        }
        let response: Response = serde_json::from_slice(&text)
            .map_err(|err| failed("unreadable", format!("the answer is no completion: {err}")))?;
        let choice = response.choices.into_iter().next();
        Ok(choice.ok_or_else(|| failed("unreadable", "the answer holds no choice".to_owned()))?.message)
    }

    fn lost(&self, err: &reqwest::Error) -> ProviderError {
        let code = if err.is_timeout() { "timeout" } else { "connection" };
        let mut detail = err.to_string();
        let mut cause = std::error::Error::source(err);
        while let Some(deeper) = cause {
            detail = format!("{detail}: {deeper}");
            cause = deeper.source();
        }
        let again = (!err.is_timeout()).then_some(None);
        ProviderError { code: code.to_owned(), detail: self.scrub(&detail), again }
    }

    /// A provider may quote the key back.
    fn scrub(&self, text: &str) -> String {
        let text = match &self.api_key {
            Some(key) if !key.expose_secret().is_empty() => text.replace(key.expose_secret(), "[REDACTED]"),
            _ => text.to_owned(),
        };
        text.chars().take(TEXT_MAX).collect()
    }
}

fn failed(code: &str, detail: String) -> ProviderError {
    ProviderError { code: code.to_owned(), detail, again: None }
}
