//! Claude, over Anthropic's Messages API: with its prompt cache, and with thoughts.

mod gather;

use band::config::Env;
use band::tools::Format;
use band::{Error, Result};
use serde_json::{Map, Value, json};

use self::gather::GatherMessage;
use crate::engine::{Model, ModelAdapter, ModelRequest, Step};
use crate::provider::{ProviderFailure, Refusal, Service, provider_settings};
use crate::registry::Settings;
use crate::render::anthropic::messages;
use crate::settings::{PROVIDER_FIELDS, Reader};

/// Where it is asked.
const BASE_URL: &str = "https://api.anthropic.com";
/// The version of the interface.
const VERSION: &str = "2023-06-01";
/// The model, unless one is named.
const DEFAULT_MODEL: &str = "claude-sonnet-5-5";
/// How much one answer may hold, in tokens.
const MAX_TOKENS: u32 = 4096;
/// The least budget for thoughts that the provider takes, in tokens.
const THINKING_MIN: u32 = 1024;
/// Settings of this adapter alone.
const FIELDS: [&str; 6] = ["effort", "extra_body", "max_tokens", "prompt_caching", "temperature", "thinking"];

/// Whether and how much the model thinks before it answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Thinking {
    /// As the model does unless it is told.
    #[default]
    Unset,
    /// Not at all.
    Disabled,
    /// As much as it finds good.
    Adaptive,
    /// Up to so many tokens: 1024 at least, and fewer than an answer may hold.
    Budget(u32),
}

/// A model behind the Messages API, made by [`Anthropic`].
#[derive(Debug)]
pub struct AnthropicModel {
    pub(crate) service: Service,
    max_tokens: u32,
    thinking: Thinking,
    is_caching: bool,
}

/// The Anthropic adapter. Only its tools speak: a final text stays in the conversation and is not relayed, as in the
/// reference.
///
/// ```
/// use band_adapters::anthropic::{Anthropic, Thinking};
///
/// let adapter = Anthropic::new("claude-sonnet-5-5").thinking(Thinking::Budget(2048));
/// # let _ = adapter;
/// ```
pub type Anthropic = ModelAdapter<AnthropicModel>;

provider_settings!(AnthropicModel);

impl Anthropic {
    /// With this model. The key is `ANTHROPIC_API_KEY`, the address `ANTHROPIC_BASE_URL` or Anthropic's, unless they
    /// are [set](Self::provider_key).
    pub fn new(model: impl Into<String>) -> Self {
        Self::with_env(model, &Env::of_process())
    }

    fn with_env(model: impl Into<String>, env: &Env) -> Self {
        let base_url = env.get("ANTHROPIC_BASE_URL").unwrap_or(BASE_URL);
        let service = Service::new(model.into(), base_url, ("x-api-key", ""), refusal);
        let mut service = service.with_key(env.get("ANTHROPIC_API_KEY"));
        service.endpoint.set_fixed("anthropic-version", VERSION);
        let thinking = Thinking::default();
        Self::of(AnthropicModel { service, max_tokens: MAX_TOKENS, thinking, is_caching: true })
    }

    /// How much one answer may hold, in tokens, thoughts included. Default 4096.
    #[must_use]
    pub const fn max_tokens(mut self, tokens: u32) -> Self {
        self.model.max_tokens = tokens;
        self
    }

    /// Whether and how much it thinks. Default: as the model does unless it is told.
    #[must_use]
    pub const fn thinking(mut self, thinking: Thinking) -> Self {
        self.model.thinking = thinking;
        self
    }

    /// Whether the provider is to keep prompt, tools and conversation for the next round: true, the default, makes
    /// turns with several rounds cheaper and faster.
    #[must_use]
    pub const fn prompt_caching(mut self, is_caching: bool) -> Self {
        self.model.is_caching = is_caching;
        self
    }

    /// From settings by name. What they leave out comes from the environment, or is the default.
    ///
    /// # Errors
    /// A setting is unknown, missing or does not fit.
    pub fn from_settings(settings: &Settings, env: &Env) -> Result<Self> {
        let own: Vec<&str> = PROVIDER_FIELDS.iter().chain(&FIELDS).copied().collect();
        let reader = Reader::new("Anthropic", settings, env, &own)?;
        let model = reader.text("model", &["ANTHROPIC_MODEL"])?;
        let mut adapter = Self::with_env(model.as_deref().unwrap_or(DEFAULT_MODEL), env);
        if let Some(tokens) = reader.count("max_tokens")? {
            adapter = adapter.max_tokens(tokens);
        }
        if let Some(is_caching) = reader.flag("prompt_caching")? {
            adapter = adapter.prompt_caching(is_caching);
        }
        adapter = adapter.thinking(thinking(&reader)?);
        if let Some(effort) = reader.text("effort", &[])? {
            adapter = adapter.extra_body("output_config", json!({ "effort": effort }));
        }
        if let Some(temperature) = reader.number("temperature")? {
            adapter = adapter.extra_body("temperature", json!(temperature));
        }
        adapter.model.service.read(&reader)?;
        adapter.model.ready()?;
        adapter.configured(&reader)
    }
}

/// `disabled`, `adaptive`, or a number of tokens.
fn thinking(reader: &Reader<'_>) -> Result<Thinking> {
    match reader.value("thinking").and_then(Value::as_str) {
        Some("disabled") => Ok(Thinking::Disabled),
        Some("adaptive") => Ok(Thinking::Adaptive),
        _ => {
            let wrong = "Input should be disabled, adaptive, or a number of tokens";
            let budget = reader.count("thinking").map_err(|_| reader.problem("thinking", wrong))?;
            Ok(budget.map_or(Thinking::Unset, Thinking::Budget))
        }
    }
}

impl AnthropicModel {
    fn body(&self, request: &ModelRequest) -> Value {
        let mut body = Map::new();
        let mut said = messages(&request.transcript);
        let mut system = json!({ "type": "text", "text": *request.system });
        if self.is_caching {
            // What stands before a mark is kept: the tools and the prompt, and the conversation so far.
            mark(&mut system);
            if let Some(last) = said.last_mut() {
                mark_last_block(last);
            }
        }
        body.insert("model".into(), json!(self.service.model));
        body.insert("max_tokens".into(), json!(self.max_tokens));
        if !request.system.trim().is_empty() {
            body.insert("system".into(), json!([system]));
        }
        body.insert("messages".into(), Value::Array(said));
        if !request.tools.is_empty() {
            let tools = request.tools.iter().map(|tool| Format::Anthropic.shape(tool));
            body.insert("tools".into(), tools.collect());
        }
        match self.thinking {
            Thinking::Unset => {}
            Thinking::Disabled => drop(body.insert("thinking".into(), json!({ "type": "disabled" }))),
            Thinking::Adaptive => drop(body.insert("thinking".into(), json!({ "type": "adaptive" }))),
            Thinking::Budget(tokens) => {
                body.insert("thinking".into(), json!({ "type": "enabled", "budget_tokens": tokens }));
            }
        }
        if self.service.streaming {
            body.insert("stream".into(), json!(true));
        }
        body.extend(self.service.extra.clone());
        Value::Object(body)
    }
}

fn mark(block: &mut Value) {
    if let Some(fields) = block.as_object_mut() {
        fields.insert("cache_control".into(), json!({ "type": "ephemeral" }));
    }
}

fn mark_last_block(message: &mut Value) {
    let Some(content) = message.get_mut("content") else { return };
    if let Some(text) = content.as_str() {
        *content = json!([{ "type": "text", "text": text }]);
    }
    if let Some(block) = content.as_array_mut().and_then(|blocks| blocks.last_mut()) {
        mark(block);
    }
}

impl Model for AnthropicModel {
    fn name(&self) -> &'static str {
        "Anthropic"
    }

    fn relays_text(&self) -> bool {
        false
    }

    fn ready(&self) -> Result<()> {
        self.service.check("Anthropic")?;
        let problem = |text: &str| Err(Error::Config(format!("AnthropicConfig: {text}")));
        if self.service.key.is_none() && self.service.base_url.starts_with(BASE_URL) {
            return problem(
                "provider_key: Field required: set ANTHROPIC_API_KEY, or base_url for another server",
            );
        }
        match self.thinking {
            Thinking::Budget(tokens) if tokens < THINKING_MIN => {
                problem(&format!("thinking: a budget is {THINKING_MIN} tokens at least"))
            }
            Thinking::Budget(tokens) if tokens >= self.max_tokens => {
                problem("thinking: the budget must be smaller than max_tokens")
            }
            _ => Ok(()),
        }
    }

    async fn next(&self, request: ModelRequest) -> Result<Step, ProviderFailure> {
        let url = self.service.url("/v1/messages");
        self.service.ask(&url, &self.body(&request), GatherMessage::default).await
    }
}

/// How Anthropic writes a refusal.
fn refusal(body: &Value) -> Refusal {
    let error = body.get("error").unwrap_or(&Value::Null);
    let part = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
    let (kind, message) = (part("type"), part("message"));
    let lower = message.to_lowercase();
    let is_too_long = kind == "request_too_large"
        || lower.contains("prompt is too long")
        || lower.contains("exceed context limit")
        || lower.contains("context window");
    let is_final = kind == "billing_error" || lower.contains("credit balance");
    Refusal { text: format!("{kind}: {message}"), is_too_long, is_final }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(settings: Value) -> Result<Anthropic> {
        let Value::Object(map) = settings else { panic!("settings are a map") };
        let env: Env = [("ANTHROPIC_API_KEY", "sk-ant")].into_iter().collect();
        Anthropic::from_settings(&map.into_iter().collect(), &env)
    }

    #[test]
    fn the_defaults_are_those_of_the_reference() {
        let adapter = read(json!({})).unwrap();
        assert_eq!((adapter.model.service.model.as_str(), adapter.model.max_tokens), (DEFAULT_MODEL, 4096));
        assert!(!format!("{adapter:?}").contains("sk-ant"));
    }

    #[test]
    fn what_does_not_fit_is_named_with_the_way_out() {
        let table = [
            (
                json!({ "api_key": "k" }),
                "api_key: Extra inputs are not permitted. Did you mean 'provider_key'?",
            ),
            (
                json!({ "max_token": 7 }),
                "max_token: Extra inputs are not permitted. Did you mean 'max_tokens'?",
            ),
            (json!({ "thinking": 100 }), "thinking: a budget is 1024 tokens at least"),
            (json!({ "thinking": 4096 }), "thinking: the budget must be smaller than max_tokens"),
            (
                json!({ "thinking": "much" }),
                "thinking: Input should be disabled, adaptive, or a number of tokens",
            ),
            (json!({ "prompt_caching": 1 }), "prompt_caching: Input should be true or false"),
        ];
        for (settings, text) in table {
            assert_eq!(read(settings).unwrap_err().to_string(), format!("AnthropicConfig: {text}"));
        }
        assert_eq!(read(json!({ "thinking": "adaptive" })).unwrap().model.thinking, Thinking::Adaptive);
        let err = Anthropic::from_settings(&Settings::new(), &Env::default()).unwrap_err().to_string();
        assert!(err.contains("set ANTHROPIC_API_KEY"), "{err}");
    }

    #[test]
    fn refusals_are_told_apart() {
        let error = |kind: &str, text: &str| refusal(&json!({ "error": { "type": kind, "message": text } }));
        assert!(error("invalid_request_error", "prompt is too long: 3 tokens > 2 maximum").is_too_long);
        assert!(error("invalid_request_error", "Your credit balance is too low").is_final);
        let plain = error("overloaded_error", "Overloaded");
        assert!(!plain.is_too_long && !plain.is_final);
        assert_eq!(plain.text, "overloaded_error: Overloaded");
    }
}
