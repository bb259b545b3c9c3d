//! Any model behind a Chat Completions endpoint (OpenAI, or a server of one's own that speaks its format) or
//! behind OpenAI's Responses API.

mod chat;
mod gather_chat;
mod gather_responses;
mod quirks;
mod responses;

use band::config::Env;
use band::{BoxedAdapter, Error, Result};
use serde_json::Value;

pub use chat::{Chat, ChatModel};
pub use quirks::Server;
pub use responses::{Responses, ResponsesModel};

use crate::provider::Refusal;
use crate::registry::Settings;

/// The model, unless one is named.
const DEFAULT_MODEL: &str = "gpt-6-luna";

/// The adapter that the settings describe: [`Chat`], or with `api = "responses"` [`Responses`].
///
/// # Errors
/// A setting is unknown, missing or does not fit.
pub fn from_settings(settings: &Settings, env: &Env) -> Result<BoxedAdapter> {
    match settings.get("api").and_then(Value::as_str).unwrap_or("chat") {
        "chat" => Ok(BoxedAdapter::new(Chat::from_settings(settings, env)?)),
        "responses" => Ok(BoxedAdapter::new(Responses::from_settings(settings, env)?)),
        other => Err(Error::Config(format!("ChatConfig: api: {other:?} is none of chat, responses"))),
    }
}

/// Words by which servers say that a conversation is too long.
const TOO_LONG: [&str; 8] = [
    "context_length_exceeded",
    "exceed_context_size_error",
    "context length",
    "context window",
    "maximum context",
    "available context size",
    "prompt is too long",
    "too many tokens",
];

/// How OpenAI, and those who speak its format, write a refusal.
fn refusal(body: &Value) -> Refusal {
    let error = body.get("error").unwrap_or(body);
    let part = |key: &str| match error.get(key) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let said: Vec<String> = ["type", "code", "message"].iter().filter_map(|key| part(key)).collect();
    let mut text = said.join(": ");
    if text.is_empty() {
        text = error.as_str().unwrap_or_default().to_owned();
    }
    let lower = text.to_lowercase();
    Refusal {
        is_too_long: TOO_LONG.iter().any(|words| lower.contains(words)),
        is_final: lower.contains("insufficient_quota"),
        text,
    }
}

#[cfg(test)]
mod tests;
