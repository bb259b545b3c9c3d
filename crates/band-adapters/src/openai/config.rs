//! The settings of the chat adapter.

use std::time::Duration;

use band::config::Env;
use band::{Error, Result};
use secrecy::SecretString;
use serde_json::Value;

use crate::registry::{Settings, refuse_unknown};

const OPENAI: &str = "https://api.openai.com/v1";
/// The settings by name.
const FIELDS: [&str; 7] =
    ["api_key", "base_url", "emit_tool_calls", "instructions", "max_tool_rounds", "model", "timeout_seconds"];

/// What the adapter needs to know. `Debug` hides the key.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ChatConfig {
    /// The model, by the provider's name for it.
    pub model: String,
    /// The endpoint, without `/chat/completions`. Default: OpenAI.
    pub base_url: String,
    /// The key; many servers on one's own machine need none.
    pub api_key: Option<SecretString>,
    /// Comes last in the system prompt.
    pub instructions: Option<String>,
    /// Rounds of tool calls in one turn. Default 25.
    pub max_tool_rounds: u32,
    /// How long one call of the model may take. Default 300 s.
    pub timeout: Duration,
    /// Whether people see the model's tool calls in the room. Default true.
    pub emit_tool_calls: bool,
}

impl ChatConfig {
    /// The defaults, for this model.
    pub fn new(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            base_url: OPENAI.to_owned(),
            api_key: None,
            instructions: None,
            max_tool_rounds: 25,
            timeout: Duration::from_secs(300),
            emit_tool_calls: true,
        }
    }

    /// With another endpoint.
    #[must_use]
    pub fn base_url(mut self, base_url: impl Into<String>) -> Self {
        self.base_url = base_url.into();
        self
    }

    /// With a key.
    #[must_use]
    pub fn api_key(mut self, api_key: impl Into<SecretString>) -> Self {
        self.api_key = Some(api_key.into());
        self
    }

    /// With instructions.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// From settings by name. What they leave out comes from `OPENAI_MODEL`, `OPENAI_BASE_URL` and
    /// `OPENAI_API_KEY`, or is the default.
    ///
    /// # Errors
    /// A setting is unknown, missing or does not fit.
    pub fn from_settings(settings: &Settings, env: &Env) -> Result<Self> {
        refuse_unknown("Chat", settings, &FIELDS)?;
        let reader = Reader { settings, env };
        let model = reader
            .text("model", Some("OPENAI_MODEL"))?
            .ok_or_else(|| problem("model", "Field required: name a model here or in OPENAI_MODEL"))?;
        let mut config = Self::new(model);
        if let Some(base_url) = reader.text("base_url", Some("OPENAI_BASE_URL"))? {
            config.base_url = base_url;
        }
        config.api_key = reader.text("api_key", Some("OPENAI_API_KEY"))?.map(SecretString::from);
        config.instructions = reader.text("instructions", None)?;
        if let Some(rounds) = reader.count("max_tool_rounds")? {
            config.max_tool_rounds = rounds;
        }
        if let Some(seconds) = reader.count("timeout_seconds")? {
            config.timeout = Duration::from_secs(seconds.into());
        }
        if let Some(emit) = reader.flag("emit_tool_calls")? {
            config.emit_tool_calls = emit;
        }
        config.check()?;
        Ok(config)
    }

    /// # Errors
    /// The address is no http(s) URL; OpenAI is asked without a key.
    pub(super) fn check(&self) -> Result<()> {
        if !self.base_url.starts_with("https://") && !self.base_url.starts_with("http://") {
            let text = format!("{:?} must start with http:// or https://", self.base_url);
            return Err(problem("base_url", &text));
        }
        if self.model.trim().is_empty() {
            return Err(problem("model", "must not be blank"));
        }
        if self.api_key.is_none() && self.base_url.starts_with(OPENAI) {
            let text = "Field required: set OPENAI_API_KEY, or base_url (OPENAI_BASE_URL) for another server";
            return Err(problem("api_key", text));
        }
        Ok(())
    }

    /// Where completions are asked for.
    pub(super) fn endpoint(&self) -> String {
        format!("{}/chat/completions", self.base_url.trim_end_matches('/'))
    }
}

fn problem(field: &str, text: &str) -> Error {
    Error::Config(format!("ChatConfig: {field}: {text}"))
}

struct Reader<'s> {
    settings: &'s Settings,
    env: &'s Env,
}

impl Reader<'_> {
    fn value(&self, field: &str) -> Option<&Value> {
        self.settings.get(field).filter(|value| !value.is_null())
    }

    fn text(&self, field: &str, variable: Option<&str>) -> Result<Option<String>> {
        match self.value(field) {
            Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
            Some(Value::String(_)) | None => {
                Ok(variable.and_then(|name| self.env.get(name)).map(str::to_owned))
            }
            Some(_) => Err(problem(field, "Input should be a valid string")),
        }
    }

    /// A whole number above zero; as text too, since command lines have nothing else.
    fn count(&self, field: &str) -> Result<Option<u32>> {
        let Some(value) = self.value(field) else { return Ok(None) };
        let number = match value {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => text.trim().parse().ok(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        };
        let count = number.and_then(|number| u32::try_from(number).ok()).filter(|count| *count > 0);
        count.map(Some).ok_or_else(|| problem(field, "Input should be a whole number greater than 0"))
    }

    fn flag(&self, field: &str) -> Result<Option<bool>> {
        match self.value(field) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(Value::String(text)) if text == "true" => Ok(Some(true)),
            Some(Value::String(text)) if text == "false" => Ok(Some(false)),
            Some(_) => Err(problem(field, "Input should be true or false")),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(settings: Value, env: &[(&str, &str)]) -> Result<ChatConfig> {
        let Value::Object(map) = settings else { panic!("settings are a map") };
        ChatConfig::from_settings(&map.into_iter().collect(), &env.iter().copied().collect())
    }

    #[test]
    fn settings_win_over_the_environment() {
        let env = [("OPENAI_API_KEY", "k"), ("OPENAI_MODEL", "a"), ("OPENAI_BASE_URL", "http://b/v1")];
        let config = read(json!({}), &env).unwrap();
        assert_eq!((config.model.as_str(), config.base_url.as_str()), ("a", "http://b/v1"));
        assert_eq!(config.endpoint(), "http://b/v1/chat/completions");
        assert!(!format!("{config:?}").contains("\"k\""));
        let settings = json!({ "model": "m", "base_url": "http://c/", "max_tool_rounds": "3", "emit_tool_calls": false });
        let config = read(settings, &env).unwrap();
        assert_eq!((config.model.as_str(), config.max_tool_rounds), ("m", 3));
        assert_eq!(config.endpoint(), "http://c/chat/completions");
        assert!(!config.emit_tool_calls);
    }

    #[test]
    fn what_does_not_fit_is_named_with_the_way_out() {
        let table = [
            (json!({}), "model: Field required: name a model here or in OPENAI_MODEL"),
            (json!({ "model": 7 }), "model: Input should be a valid string"),
            (
                json!({ "model": "m" }),
                "api_key: Field required: set OPENAI_API_KEY, or base_url (OPENAI_BASE_URL) for another server",
            ),
            (
                json!({ "model": "m", "base_url": "localhost:1" }),
                "base_url: \"localhost:1\" must start with http:// or https://",
            ),
            (
                json!({ "model": "m", "max_tool_rounds": 0 }),
                "max_tool_rounds: Input should be a whole number greater than 0",
            ),
            (json!({ "modle": "m" }), "modle: Extra inputs are not permitted. Did you mean 'model'?"),
        ];
        for (settings, text) in table {
            assert_eq!(read(settings, &[]).unwrap_err().to_string(), format!("ChatConfig: {text}"));
        }
    }
}
