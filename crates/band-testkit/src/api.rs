//! The public API with one key: requests, pages, errors.

use std::fmt;
use std::sync::Arc;

use band_wire::rest::{Cursored, Paged};
use reqwest::{Method, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Error, PATIENCE, Result};

/// A platform's address and a key of it.
#[derive(Clone)]
pub struct Api {
    http: reqwest::Client,
    base_url: String,
    key: String,
}

impl fmt::Debug for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Api").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

impl Api {
    /// With an address such as `http://127.0.0.1:4000`. Nothing is asked yet.
    ///
    /// # Errors
    /// [`Error::Shape`] when no client can be made.
    pub fn new(base_url: &str, key: &str) -> Result<Self> {
        let base_url = base_url.trim_end_matches('/').to_owned();
        Ok(Self { http: client()?, base_url, key: key.to_owned() })
    }

    /// The platform's address.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The platform's socket.
    pub fn ws_url(&self) -> String {
        format!("{}{}", self.base_url.replacen("http", "ws", 1), band_wire::phx::SOCKET_PATH)
    }

    /// The key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Any request, and the body of its answer; null when the answer has none.
    ///
    /// # Errors
    /// [`Error::Refused`] on any status but a success, [`Error::Http`] when it does not get through.
    pub async fn ask(&self, method: Method, path: &str, body: Option<Value>) -> Result<Value> {
        let named = name(&method);
        let failed = |source| Error::Http { method: named, path: path.to_owned(), source };
        let mut request =
            self.http.request(method, format!("{}{path}", self.base_url)).header("x-api-key", &self.key);
        if let Some(body) = body {
            request = request.json(&body);
        }
        let answer = request.send().await.map_err(failed)?;
        let status = answer.status();
        let text = answer.text().await.map_err(failed)?;
        if !status.is_success() {
            return Err(Error::Refused {
                method: named,
                path: path.to_owned(),
                status: status.as_u16(),
                body: text,
            });
        }
        if status == StatusCode::NO_CONTENT {
            return Ok(Value::Null);
        }
        serde_json::from_str(&text).map_err(|_| Error::shape(format!("the body of {path}"), text))
    }

    /// Reads one thing.
    ///
    /// # Errors
    /// As [`Self::ask`], and [`Error::Shape`] when it is something else.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T> {
        read(path, self.ask(Method::GET, path, None).await?)
    }

    /// Makes something.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub async fn post<T: DeserializeOwned>(&self, path: &str, body: Value) -> Result<T> {
        read(path, self.ask(Method::POST, path, Some(body)).await?)
    }

    /// Every page of a list with cursors.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub async fn all<T: DeserializeOwned>(&self, path: &str) -> Result<Vec<T>> {
        let mut items = Vec::new();
        let mut cursor = String::new();
        loop {
            let page: Paged<T, Cursored> = self.get(&format!("{path}?limit=100{cursor}")).await?;
            items.extend(page.data);
            match page.metadata.next_cursor {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return Ok(items),
            }
        }
    }
}

/// A client for loopback. It gets a TLS configuration of its own because none is installed for the process.
pub(crate) fn client() -> Result<reqwest::Client> {
    let failed = |why: String| Error::shape("the HTTP client's set-up", why);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| failed(error.to_string()))?
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    let built = reqwest::Client::builder().tls_backend_preconfigured(tls).timeout(PATIENCE).build();
    built.map_err(|error| failed(error.to_string()))
}

fn name(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "POST" => "POST",
        "PUT" => "PUT",
        "DELETE" => "DELETE",
        _ => "request",
    }
}

fn read<T: DeserializeOwned>(path: &str, value: Value) -> Result<T> {
    let text = value.to_string();
    serde_json::from_value(value)
        .map_err(|error| Error::shape(format!("the answer of {path} ({error})"), text))
}
