//! A provider as its settings describe it.

use band::Result;
use reqwest::header::HeaderName;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::endpoint::{Endpoint, Gather, ReadRefusal};
use super::failure::ProviderFailure;
use crate::settings::Reader;

/// Who answers: its address, the key, how long it may take.
#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) model: String,
    pub(crate) base_url: String,
    pub(crate) key: Option<SecretString>,
    /// Whether answers are wanted as they are made.
    pub(crate) streaming: bool,
    pub(crate) endpoint: Endpoint,
}

impl Service {
    pub(crate) fn new(model: String, base_url: &str, refusal: ReadRefusal) -> Self {
        let endpoint = Endpoint::new(refusal);
        Self { model, base_url: base_url.to_owned(), key: None, streaming: true, endpoint }
    }

    /// Takes what the settings say, the model and the key aside.
    pub(crate) fn read(&mut self, reader: &Reader<'_>) -> Result<()> {
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

    /// Where the key goes, and what it looks like there.
    pub(crate) fn arm(&mut self, header: &'static str, prefix: &str) {
        if let Some(key) = &self.key {
            let value = SecretString::from(format!("{prefix}{}", key.expose_secret()));
            self.endpoint.set_key(HeaderName::from_static(header), value);
        }
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
    ($model:ty, $header:literal, $prefix:literal) => {
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
                self.model.service.key = Some(key.into());
                self.model.service.arm($header, $prefix);
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
