//! A provider as its settings describe it.

use band::Result;
use reqwest::header::HeaderName;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};

use super::endpoint::{Endpoint, Gather, ReadRefusal};
use super::failure::ProviderFailure;
use crate::settings::Reader;

/// The header that carries a key, and what stands before the key in it.
pub(crate) type KeyForm = (&'static str, &'static str);

/// Who answers: its address, the key, how long it may take.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) model: String,
    pub(crate) base_url: String,
    pub(crate) key: Option<SecretString>,
    key_form: KeyForm,
    /// Further fields of each request's body, as they are.
    pub(crate) extra: Map<String, Value>,
    /// Whether answers are wanted as they are made.
    pub(crate) streaming: bool,
    pub(crate) endpoint: Endpoint,
}

impl Service {
    pub(crate) fn new(model: String, base_url: &str, key_form: KeyForm, refusal: ReadRefusal) -> Self {
        let (base_url, endpoint) = (base_url.to_owned(), Endpoint::new(refusal));
        Self { model, base_url, key: None, key_form, extra: Map::new(), streaming: true, endpoint }
    }

    /// Takes what the settings say, the model aside. What they add to the body wins over what is there.
    pub(crate) fn read(&mut self, reader: &Reader<'_>) -> Result<()> {
        if let Some(url) = reader.text("base_url", &[])? {
            self.base_url = url;
        }
        if let Some(key) = reader.text("provider_key", &[])? {
            self.set_key(key.into());
        }
        match reader.value("extra_body") {
            None => {}
            Some(Value::Object(fields)) => self.extra.extend(fields.clone()),
            Some(_) => return Err(reader.problem("extra_body", "Input should be fields by name")),
        }
        if let Some(limit) = reader.seconds("timeout_seconds")? {
            self.endpoint.limits_mut().answer = limit;
        }
        if let Some(limit) = reader.seconds("stall_seconds")? {
            self.endpoint.limits_mut().stall = limit;
        }
        if let Some(limit) = reader.seconds("retry_seconds")? {
            self.endpoint.limits_mut().pauses = limit;
        }
        if let Some(streaming) = reader.flag("streaming")? {
            self.streaming = streaming;
        }
        match reader.value("headers") {
            None => {}
            Some(Value::Object(headers)) => {
                for (name, value) in headers {
                    let value = value.as_str();
                    let value =
                        value.ok_or_else(|| reader.problem("headers", "Input should be texts by name"))?;
                    self.endpoint.set_header(name, value)?;
                }
            }
            Some(_) => return Err(reader.problem("headers", "Input should be texts by name")),
        }
        Ok(())
    }

    /// # Errors
    /// The address is no http(s) URL, or no model is named.
    pub(crate) fn check(&self, adapter: &str) -> Result<()> {
        let problem =
            |field: &str, text: &str| Err(band::Error::Config(format!("{adapter}Config: {field}: {text}")));
        if !self.base_url.starts_with("https://") && !self.base_url.starts_with("http://") {
            return problem("base_url", &format!("{:?} must start with http:// or https://", self.base_url));
        }
        if self.model.trim().is_empty() {
            return problem("model", "must not be blank");
        }
        self.endpoint.ready(&self.base_url)
    }

    pub(crate) fn set_key(&mut self, key: SecretString) {
        let (header, prefix) = self.key_form;
        let value = SecretString::from(format!("{prefix}{}", key.expose_secret()));
        self.endpoint.set_key(HeaderName::from_static(header), value);
        self.key = Some(key);
    }

    /// With the key of the environment, if there is one.
    pub(crate) fn with_key(mut self, key: Option<&str>) -> Self {
        if let Some(key) = key {
            self.set_key(key.into());
        }
        self
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base_url.trim_end_matches('/'))
    }

    pub(crate) async fn ask<G: Gather>(
        &self,
        url: &str,
        body: &Value,
        gather: impl Fn() -> G + Send + Sync,
    ) -> Result<G::Done, ProviderFailure> {
        self.endpoint.ask(url, body, gather).await
    }
}

/// The settings that every provider's adapter has, on an adapter whose model has a `service`.
macro_rules! provider_settings {
    ($model:ty) => {
        impl $crate::ModelAdapter<$model> {
            /// With another address: the part of the URL before the provider's own path.
            #[must_use]
            pub fn base_url(mut self, url: impl Into<String>) -> Self {
                self.model.service.base_url = url.into();
                self
            }

            /// With this key. It is never logged.
            #[must_use]
            pub fn provider_key(mut self, key: impl Into<secrecy::SecretString>) -> Self {
                self.model.service.set_key(key.into());
                self
            }

            /// With a further field in the body of each request, as it is: what only your provider or server knows.
            #[must_use]
            pub fn extra_body(mut self, field: impl Into<String>, value: serde_json::Value) -> Self {
                self.model.service.extra.insert(field.into(), value);
                self
            }

            /// How long one answer may take as a whole. Default 300 s.
            #[must_use]
            pub const fn timeout(mut self, limit: std::time::Duration) -> Self {
                self.model.service.endpoint.limits_mut().answer = limit;
                self
            }

            /// How long a stream may stand still. Default 60 s.
            #[must_use]
            pub const fn stall_timeout(mut self, limit: std::time::Duration) -> Self {
                self.model.service.endpoint.limits_mut().stall = limit;
                self
            }

            /// How long all pauses before further attempts may be together, when the provider is busy. Default 120 s.
            #[must_use]
            pub const fn retry_limit(mut self, limit: std::time::Duration) -> Self {
                self.model.service.endpoint.limits_mut().pauses = limit;
                self
            }

            /// Whether answers are read as they are made: true, the default, or in one piece.
            #[must_use]
            pub const fn streaming(mut self, streaming: bool) -> Self {
                self.model.service.streaming = streaming;
                self
            }

            /// With an HTTP client of your own: for a proxy, or certificates of your own. It stays yours to close.
            #[must_use]
            pub fn http_client(mut self, client: reqwest::Client) -> Self {
                self.model.service.endpoint.set_client(client);
                self
            }

            /// With a further header on each request. Its value is never logged.
            ///
            /// # Errors
            /// It can't be sent as a header.
            pub fn header(mut self, name: &str, value: &str) -> band::Result<Self> {
                self.model.service.endpoint.set_header(name, value)?;
                Ok(self)
            }
        }
    };
}

pub(crate) use provider_settings;
