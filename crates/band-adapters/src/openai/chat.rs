//! The model behind a Chat Completions endpoint.

use std::borrow::Cow;

use band::config::Env;
use band::tools::Format;
use band::{Error, Result};
use serde_json::{Map, Value, json};

use super::gather_chat::GatherChat;
use super::quirks::Server;
use super::{DEFAULT_MODEL, refusal};
use crate::engine::{Model, ModelAdapter, ModelRequest, Step};
use crate::provider::{ProviderFailure, Service, provider_settings};
use crate::registry::Settings;
use crate::settings::{PROVIDER_FIELDS, Reader};

/// Settings of this adapter alone.
const FIELDS: [&str; 6] = ["api", "extra_body", "max_tokens", "server", "stream_usage", "temperature"];

/// A model behind a Chat Completions endpoint, made by [`Chat`].
#[derive(Debug)]
pub struct ChatModel {
    pub(crate) service: Service,
    pub(super) server: Server,
    pub(super) is_server_known: bool,
    pub(super) max_tokens: Option<u32>,
    /// Whether the server is asked to count tokens at the end of a stream.
    stream_usage: bool,
}

/// The chat adapter: any model behind a Chat Completions endpoint. A final text without a call is relayed to whoever
/// wrote the message, unless the turn has replied or declined.
///
/// ```
/// use band_adapters::openai::Chat;
///
/// let adapter = Chat::new("gpt-5.4-mini").instructions("Be brief.").max_tool_rounds(10);
/// # let _ = adapter;
/// ```
pub type Chat = ModelAdapter<ChatModel>;

provider_settings!(ChatModel);

impl Chat {
    /// With this model. The key is `OPENAI_API_KEY`, the address `OPENAI_BASE_URL` or OpenAI, unless they are
    /// [set](Self::provider_key).
    pub fn new(model: impl Into<String>) -> Self {
        Self::with_env(model, Server::OpenAi, &Env::of_process())
    }

    /// A model of a server of this kind: its usual address, its form of requests.
    ///
    /// ```
    /// use band_adapters::openai::{Chat, Server};
    ///
    /// let adapter = Chat::on(Server::Ollama, "qwen3");
    /// # let _ = adapter;
    /// ```
    pub fn on(server: Server, model: impl Into<String>) -> Self {
        Self::with_env(model, server, &Env::of_process())
    }

    pub(super) fn with_env(model: impl Into<String>, server: Server, env: &Env) -> Self {
        let service = Service::new(model.into(), server.base_url(), ("authorization", "Bearer "), refusal);
        let mut service = service.with_key(env.get(server.key_variable()));
        if let Some(url) = env.get("OPENAI_BASE_URL").filter(|_| server == Server::OpenAi) {
            url.clone_into(&mut service.base_url);
        }
        let is_server_known = server != Server::OpenAi;
        Self::of(ChatModel { service, server, is_server_known, max_tokens: None, stream_usage: true })
    }

    /// How much one answer may hold, in tokens. Default: what the server allows.
    #[must_use]
    pub const fn max_tokens(mut self, tokens: u32) -> Self {
        self.model.max_tokens = Some(tokens);
        self
    }

    /// Whether the server is asked to count tokens at the end of a stream: true, the default, unless it can't be.
    #[must_use]
    pub const fn stream_usage(mut self, stream_usage: bool) -> Self {
        self.model.stream_usage = stream_usage;
        self
    }

    /// From settings by name. What they leave out comes from the environment, or is the default.
    ///
    /// # Errors
    /// A setting is unknown, missing or does not fit.
    pub fn from_settings(settings: &Settings, env: &Env) -> Result<Self> {
        let own: Vec<&str> = PROVIDER_FIELDS.iter().chain(&FIELDS).copied().collect();
        let reader = Reader::new("Chat", settings, env, &own)?;
        let (adapter, _) = Self::read(&reader, env)?;
        adapter.model.ready()?;
        Ok(adapter)
    }

    pub(super) fn read(reader: &Reader<'_>, env: &Env) -> Result<(Self, Server)> {
        let named = reader.text("server", &[])?;
        let server: Server = match &named {
            Some(name) => name.parse().map_err(|err: Error| reader.problem("server", &err.to_string()))?,
            None => Server::OpenAi,
        };
        let is_elsewhere = reader.text("base_url", &["OPENAI_BASE_URL"])?.is_some() || named.is_some();
        let model = match reader.text("model", &["OPENAI_MODEL"])? {
            Some(model) => model,
            None if is_elsewhere => {
                return Err(reader.problem("model", "Field required: name a model here or in OPENAI_MODEL"));
            }
            None => DEFAULT_MODEL.to_owned(),
        };
        let mut adapter = Self::with_env(model, server, env);
        adapter.model.is_server_known = named.is_some();
        adapter.model.max_tokens = reader.count("max_tokens")?;
        if let Some(stream_usage) = reader.flag("stream_usage")? {
            adapter = adapter.stream_usage(stream_usage);
        }
        if let Some(temperature) = reader.number("temperature")? {
            adapter = adapter.extra_body("temperature", json!(temperature));
        }
        adapter.model.service.read(reader)?;
        Ok((adapter.configured(reader)?, server))
    }
}

impl ChatModel {
    /// An address of one's own without a word about whose server it is: only what every server knows is sent.
    fn server(&self) -> Server {
        let is_openai = self.service.base_url.starts_with(Server::OpenAi.base_url());
        if self.is_server_known || is_openai { self.server } else { Server::Other }
    }

    fn body(&self, request: &ModelRequest) -> Value {
        let quirks = self.server().quirks();
        let mut body = Map::new();
        body.insert("model".into(), json!(self.service.model));
        body.insert(
            "messages".into(),
            json!(crate::render::chat::messages(Some(&request.system), &request.transcript)),
        );
        if !request.tools.is_empty() {
            let tools = request.tools.iter().map(|tool| Format::OpenAi.shape(tool));
            body.insert("tools".into(), tools.collect());
        }
        if let Some(tokens) = self.max_tokens {
            body.insert(quirks.limit_field.into(), json!(tokens));
        }
        if self.service.streaming {
            body.insert("stream".into(), json!(true));
            if self.stream_usage {
                body.insert("stream_options".into(), json!({ "include_usage": true }));
            }
        }
        body.extend(self.service.extra.clone());
        Value::Object(body)
    }
}

impl Model for ChatModel {
    fn name(&self) -> &'static str {
        "Chat"
    }

    fn provider(&self) -> Cow<'_, str> {
        Cow::Borrowed("openai")
    }

    fn ready(&self) -> Result<()> {
        self.service.check("Chat")?;
        let server = self.server();
        if server.needs_key() && self.service.key.is_none() {
            let (variable, text) =
                (server.key_variable(), "or base_url (OPENAI_BASE_URL) for another server");
            return Err(Error::Config(format!(
                "ChatConfig: provider_key: Field required: set {variable}, {text}"
            )));
        }
        Ok(())
    }

    async fn next(&self, request: ModelRequest) -> Result<Step, ProviderFailure> {
        let url = self.service.url("/chat/completions");
        self.service.ask(&url, &self.body(&request), GatherChat::default).await
    }
}
