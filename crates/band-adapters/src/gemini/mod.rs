//! Gemini, over Google's API for developers.

mod gather;

use band::config::Env;
use band::tools::Format;
use band::{Error, Result};
use serde_json::{Map, Value, json};

use self::gather::GatherContent;
use crate::engine::{Model, ModelAdapter, ModelRequest, Step};
use crate::provider::{ProviderFailure, Refusal, Service, provider_settings};
use crate::registry::Settings;
use crate::render::gemini::messages;
use crate::settings::{PROVIDER_FIELDS, Reader};

/// Where it is asked.
const BASE_URL: &str = "https://generativelanguage.googleapis.com";
/// The model, unless one is named.
const DEFAULT_MODEL: &str = "gemini-3.8-flash";
/// Settings of this adapter alone.
const FIELDS: [&str; 5] = ["extra_body", "max_tokens", "temperature", "thinking_budget", "thinking_level"];

/// A model behind the Gemini API, made by [`Gemini`].
#[derive(Debug)]
pub struct GeminiModel {
    pub(crate) service: Service,
    /// `generationConfig`, as it is.
    generation: Map<String, Value>,
}

/// The Gemini adapter. Only its tools speak: a final text stays in the conversation and is not relayed, as in the
/// reference.
///
/// ```
/// use band_adapters::gemini::Gemini;
///
/// let adapter = Gemini::new("gemini-3.8-flash").thinking_budget(1024);
/// # let _ = adapter;
/// ```
pub type Gemini = ModelAdapter<GeminiModel>;

provider_settings!(GeminiModel);

impl Gemini {
    /// With this model. The key is `GEMINI_API_KEY` or `GOOGLE_API_KEY`, the address `GOOGLE_GEMINI_BASE_URL` or
    /// Google's, unless they are [set](Self::provider_key).
    pub fn new(model: impl Into<String>) -> Self {
        Self::with_env(model, &Env::of_process())
    }

    fn with_env(model: impl Into<String>, env: &Env) -> Self {
        let base_url = env.get("GOOGLE_GEMINI_BASE_URL").unwrap_or(BASE_URL);
        let service = Service::new(model.into(), base_url, ("x-goog-api-key", ""), refusal);
        let key = env.get("GEMINI_API_KEY").or_else(|| env.get("GOOGLE_API_KEY"));
        Self::of(GeminiModel { service: service.with_key(key), generation: Map::new() })
    }

    /// How much one answer may hold, in tokens. Default: what the model allows.
    #[must_use]
    pub fn max_tokens(self, tokens: u32) -> Self {
        self.generation("maxOutputTokens", json!(tokens))
    }

    /// How much it may think, in tokens; 0 for not at all, where the model can do without.
    #[must_use]
    pub fn thinking_budget(self, tokens: u32) -> Self {
        self.generation("thinkingConfig", json!({ "thinkingBudget": tokens }))
    }

    /// How hard it thinks, in the provider's words: `low`, `high`.
    #[must_use]
    pub fn thinking_level(self, level: impl Into<String>) -> Self {
        let level: String = level.into();
        self.generation("thinkingConfig", json!({ "thinkingLevel": level }))
    }

    /// With a field of `generationConfig`.
    #[must_use]
    pub fn generation(mut self, field: impl Into<String>, value: Value) -> Self {
        self.model.generation.insert(field.into(), value);
        self
    }

    /// From settings by name. What they leave out comes from the environment, or is the default.
    ///
    /// # Errors
    /// A setting is unknown, missing or does not fit.
    pub fn from_settings(settings: &Settings, env: &Env) -> Result<Self> {
        let own: Vec<&str> = PROVIDER_FIELDS.iter().chain(&FIELDS).copied().collect();
        let reader = Reader::new("Gemini", settings, env, &own)?;
        let model = reader.text("model", &["GEMINI_MODEL"])?;
        let mut adapter = Self::with_env(model.as_deref().unwrap_or(DEFAULT_MODEL), env);
        if let Some(tokens) = reader.count("max_tokens")? {
            adapter = adapter.max_tokens(tokens);
        }
        if let Some(tokens) = reader.number("thinking_budget")? {
            adapter = adapter.generation("thinkingConfig", json!({ "thinkingBudget": tokens }));
        }
        if let Some(level) = reader.text("thinking_level", &[])? {
            adapter = adapter.thinking_level(level);
        }
        if let Some(temperature) = reader.number("temperature")? {
            adapter = adapter.generation("temperature", json!(temperature));
        }
        adapter.model.service.read(&reader)?;
        adapter.model.ready()?;
        adapter.configured(&reader)
    }
}

impl GeminiModel {
    fn body(&self, request: &ModelRequest) -> Value {
        let mut body = Map::new();
        if !request.system.trim().is_empty() {
            body.insert("systemInstruction".into(), json!({ "parts": [{ "text": *request.system }] }));
        }
        body.insert("contents".into(), Value::Array(messages(&request.transcript)));
        if !request.tools.is_empty() {
            let tools: Value = request.tools.iter().map(|tool| Format::Gemini.shape(tool)).collect();
            body.insert("tools".into(), json!([{ "functionDeclarations": tools }]));
        }
        if !self.generation.is_empty() {
            body.insert("generationConfig".into(), Value::Object(self.generation.clone()));
        }
        body.extend(self.service.extra.clone());
        Value::Object(body)
    }

    fn url(&self) -> String {
        let verb = if self.service.streaming { "streamGenerateContent?alt=sse" } else { "generateContent" };
        let model = self.service.model.trim_start_matches("models/");
        self.service.url(&format!("/v1beta/models/{model}:{verb}"))
    }
}

impl Model for GeminiModel {
    fn name(&self) -> &'static str {
        "Gemini"
    }

    fn relays_text(&self) -> bool {
        false
    }

    fn ready(&self) -> Result<()> {
        self.service.check("Gemini")?;
        let fits = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
        if !self.service.model.chars().all(fits) {
            return Err(Error::Config(format!(
                "GeminiConfig: model: {:?} is no name of a model",
                self.service.model
            )));
        }
        if self.service.key.is_none() && self.service.base_url.starts_with(BASE_URL) {
            return Err(Error::Config(
                "GeminiConfig: provider_key: Field required: set GEMINI_API_KEY, or base_url for another server".into(),
            ));
        }
        Ok(())
    }

    async fn next(&self, request: ModelRequest) -> Result<Step, ProviderFailure> {
        self.service.ask(&self.url(), &self.body(&request), GatherContent::default).await
    }
}

/// How Google writes a refusal.
fn refusal(body: &Value) -> Refusal {
    // A stream that is refused is a list of one.
    let error = body.get("error").or_else(|| body.pointer("/0/error")).unwrap_or(&Value::Null);
    let part = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default();
    let (status, message) = (part("status"), part("message"));
    let is_too_long = message.contains("input token count") && message.contains("exceeds");
    Refusal { text: format!("{status}: {message}"), is_too_long, is_final: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(settings: Value) -> Result<Gemini> {
        let Value::Object(map) = settings else { panic!("settings are a map") };
        let env: Env = [("GOOGLE_API_KEY", "AIza1")].into_iter().collect();
        Gemini::from_settings(&map.into_iter().collect(), &env)
    }

    #[test]
    fn settings_become_the_providers_own() {
        let settings =
            json!({ "max_tokens": 9, "thinking_budget": 0, "temperature": 0.5, "model": "models/g-1" });
        let adapter = read(settings).unwrap();
        assert!(adapter.model.url().ends_with("/v1beta/models/g-1:streamGenerateContent?alt=sse"));
        let expected = json!({
            "maxOutputTokens": 9, "thinkingConfig": { "thinkingBudget": 0.0 }, "temperature": 0.5,
        });
        assert_eq!(Value::Object(adapter.model.generation.clone()), expected);
        assert!(!format!("{adapter:?}").contains("AIza1"));
        assert_eq!(read(json!({})).unwrap().model.service.model, DEFAULT_MODEL);
    }

    #[test]
    fn what_does_not_fit_is_named_with_the_way_out() {
        let table = [
            (
                json!({ "api_key": "k" }),
                "api_key: Extra inputs are not permitted. Did you mean 'provider_key'?",
            ),
            (json!({ "model": "a:b" }), "model: \"a:b\" is no name of a model"),
            (
                json!({ "thinking_levl": 1 }),
                "thinking_levl: Extra inputs are not permitted. Did you mean 'thinking_level'?",
            ),
        ];
        for (settings, text) in table {
            assert_eq!(read(settings).unwrap_err().to_string(), format!("GeminiConfig: {text}"));
        }
        let err = Gemini::from_settings(&Settings::new(), &Env::default()).unwrap_err().to_string();
        assert!(err.contains("set GEMINI_API_KEY"), "{err}");
    }

    #[test]
    fn refusals_are_read_in_both_forms() {
        let error = json!({ "error": { "code": 400, "status": "INVALID_ARGUMENT",
            "message": "The input token count (9) exceeds the maximum number of tokens allowed (8)." } });
        assert!(refusal(&error).is_too_long && refusal(&json!([error])).is_too_long);
        assert!(!refusal(&json!({ "error": { "message": "no" } })).is_too_long);
    }
}
