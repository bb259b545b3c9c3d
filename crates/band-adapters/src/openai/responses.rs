//! The model behind the Responses API.

use std::borrow::Cow;

use band::config::Env;
use band::tools::Format;
use band::{Error, Result};
use serde_json::{Map, Value, json};

use super::chat::{Chat, ChatModel};
use super::gather_responses::GatherResponses;
use super::quirks::Server;
use crate::engine::{Model, ModelAdapter, ModelRequest, Step};
use crate::provider::{ProviderFailure, Service, provider_settings};
use crate::registry::Settings;
use crate::settings::{PROVIDER_FIELDS, Reader};

/// Settings of this adapter alone.
const FIELDS: [&str; 6] = ["api", "extra_body", "max_tokens", "reasoning_effort", "server", "temperature"];

/// A model behind the Responses API, made by [`Responses`].
#[derive(Debug)]
pub struct ResponsesModel {
    pub(crate) service: Service,
    max_tokens: Option<u32>,
    effort: Option<String>,
}

/// OpenAI's newer interface. Nothing is stored at the provider; reasoning goes back to it sealed, within a turn. As
/// with [`Chat`], a final text without a call is relayed.
///
/// ```
/// use band_adapters::openai::Responses;
///
/// let adapter = Responses::new("gpt-5.4-mini").reasoning_effort("low");
/// # let _ = adapter;
/// ```
pub type Responses = ModelAdapter<ResponsesModel>;

provider_settings!(ResponsesModel);

impl Responses {
    /// With this model. Key and address are found as of [`Chat`].
    pub fn new(model: impl Into<String>) -> Self {
        let chat = Chat::with_env(model, Server::OpenAi, &Env::of_process());
        Self::of(ResponsesModel::of(chat.model))
    }

    /// How much one answer may hold, in tokens, reasoning included. Default: what the provider allows.
    #[must_use]
    pub const fn max_tokens(mut self, tokens: u32) -> Self {
        self.model.max_tokens = Some(tokens);
        self
    }

    /// How hard it thinks: `low`, `medium`, `high`, or another word of the provider.
    #[must_use]
    pub fn reasoning_effort(mut self, effort: impl Into<String>) -> Self {
        self.model.effort = Some(effort.into());
        self
    }

    /// From settings by name. What they leave out comes from the environment, or is the default.
    ///
    /// # Errors
    /// A setting is unknown, missing or does not fit.
    pub fn from_settings(settings: &Settings, env: &Env) -> Result<Self> {
        let own: Vec<&str> = PROVIDER_FIELDS.iter().chain(&FIELDS).copied().collect();
        let reader = Reader::new("Responses", settings, env, &own)?;
        let (chat, _) = Chat::read(&reader, env)?;
        let mut model = ResponsesModel::of(chat.model);
        model.effort = reader.text("reasoning_effort", &[])?;
        model.ready()?;
        Self::of(model).configured(&reader)
    }
}

impl ResponsesModel {
    fn of(chat: ChatModel) -> Self {
        Self { service: chat.service, max_tokens: chat.max_tokens, effort: None }
    }

    fn body(&self, request: &ModelRequest) -> Value {
        let mut body = Map::new();
        body.insert("model".into(), json!(self.service.model));
        body.insert("instructions".into(), json!(*request.system));
        body.insert("input".into(), json!(crate::render::responses::messages(&request.transcript)));
        body.insert("store".into(), json!(false));
        body.insert("include".into(), json!(["reasoning.encrypted_content"]));
        if !request.tools.is_empty() {
            let tools = request.tools.iter().map(|tool| Format::OpenAiResponses.shape(tool));
            body.insert("tools".into(), tools.collect());
        }
        if let Some(tokens) = self.max_tokens {
            body.insert("max_output_tokens".into(), json!(tokens));
        }
        if let Some(effort) = &self.effort {
            body.insert("reasoning".into(), json!({ "effort": effort }));
        }
        if self.service.streaming {
            body.insert("stream".into(), json!(true));
        }
        body.extend(self.service.extra.clone());
        Value::Object(body)
    }
}

impl Model for ResponsesModel {
    fn name(&self) -> &'static str {
        "Responses"
    }

    fn provider(&self) -> Cow<'_, str> {
        Cow::Borrowed("openai")
    }

    fn ready(&self) -> Result<()> {
        self.service.check("Responses")?;
        if self.service.key.is_none() && self.service.base_url.starts_with(Server::OpenAi.base_url()) {
            let text = "provider_key: Field required: set OPENAI_API_KEY, or base_url (OPENAI_BASE_URL) for another server";
            return Err(Error::Config(format!("ResponsesConfig: {text}")));
        }
        Ok(())
    }

    async fn next(&self, request: ModelRequest) -> Result<Step, ProviderFailure> {
        let url = self.service.url("/responses");
        self.service.ask(&url, &self.body(&request), GatherResponses::default).await
    }
}
