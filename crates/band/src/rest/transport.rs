//! What carries requests to a platform: the network, or a simulated one.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{Request, Response, Uri};

use super::config::is_loopback;
use super::gate::ALL_IN_FLIGHT;
use crate::error::{Error, Result};
use crate::tls;

/// TCP and TLS together.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);
/// Shorter than the idle limits of common servers and proxies, so that a connection is not reused while
/// the other end closes it.
const IDLE_FOR: Duration = Duration::from_secs(30);
/// The largest body that is read; what is longer is cut.
const MAX_BODY: usize = 32 * 1024 * 1024;

/// A request on its way.
pub type Carried<'a> = Pin<Box<dyn Future<Output = Result<Response<Bytes>, Lost>> + Send + 'a>>;

/// Carries requests. It neither retries nor follows redirects, and whoever calls it bounds the time: a request
/// whose future is dropped may have been carried out or not.
pub trait Transport: fmt::Debug + Send + Sync {
    /// Sends one request, whose address and headers are complete, and brings the whole answer.
    fn carry(&self, request: Request<Bytes>) -> Carried<'_>;

    /// Gets ready for a platform, so that what can't work is told before the first request.
    ///
    /// # Errors
    /// TLS can't be set up.
    fn prepare(&self, platform: &Uri) -> Result<()> {
        let _ = platform;
        Ok(())
    }
}

/// A request without an answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// No byte of the request has left: the platform can't have acted.
    #[error("{0}")]
    Unsent(String),
    /// The connection broke, or the answer can't be read: the platform may have acted or not.
    #[error("{0}")]
    Broken(String),
}

/// A pool of HTTP connections. One is enough for all agents of a process; each request carries its own key.
/// It belongs to the tokio runtime that it was first used in.
#[derive(Debug, Default)]
pub struct HttpPool {
    clients: Mutex<BTreeMap<Kind, reqwest::Client>>,
}

/// Platforms of one kind share a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    encrypted: bool,
    /// This machine: no proxy stands before it.
    loopback: bool,
}

impl HttpPool {
    /// An empty pool: connections are opened when they are needed.
    pub fn new() -> Self {
        Self::default()
    }

    fn client(&self, uri: &Uri) -> Result<reqwest::Client> {
        let encrypted = uri.scheme() == Some(&http::uri::Scheme::HTTPS);
        let kind = Kind { encrypted, loopback: uri.host().is_some_and(is_loopback) };
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&kind) {
            return Ok(client.clone());
        }
        let client = connect(kind)?;
        clients.insert(kind, client.clone());
        Ok(client)
    }
}

fn connect(kind: Kind) -> Result<reqwest::Client> {
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls::for_rest(kind.encrypted)?)
        // The key must not follow a redirect to another host.
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_LIMIT)
        .pool_max_idle_per_host(ALL_IN_FLIGHT)
        .pool_idle_timeout(IDLE_FOR)
        .tcp_nodelay(true);
    if kind.loopback {
        builder = builder.no_proxy();
    }
    builder.build().map_err(|err| Error::Config(format!("the HTTP client can't be set up: {}", chain(&err))))
}

impl Transport for HttpPool {
    fn carry(&self, request: Request<Bytes>) -> Carried<'_> {
        Box::pin(async move {
            let client = self.client(request.uri()).map_err(|err| Lost::Unsent(err.to_string()))?;
            let request = reqwest::Request::try_from(request).map_err(lost)?;
            read(client.execute(request).await.map_err(lost)?, MAX_BODY).await.map_err(lost)
        })
    }

    fn prepare(&self, platform: &Uri) -> Result<()> {
        self.client(platform).map(drop)
    }
}

/// Reads the body to its end; what is longer than `most` bytes is cut.
pub(crate) async fn read(mut response: reqwest::Response, most: usize) -> reqwest::Result<Response<Bytes>> {
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await? {
        let room = most.saturating_sub(body.len());
        body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if body.len() >= most {
            break;
        }
    }
    let mut whole = Response::new(body.freeze());
    *whole.status_mut() = response.status();
    *whole.headers_mut() = std::mem::take(response.headers_mut());
    Ok(whole)
}

fn lost(err: reqwest::Error) -> Lost {
    let unsent = err.is_connect() || err.is_builder();
    let text = chain(&err.without_url());
    if unsent { Lost::Unsent(text) } else { Lost::Broken(text) }
}

/// An error and its sources on one line.
fn chain(err: &dyn std::error::Error) -> String {
    let mut text = err.to_string();
    let mut source = err.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

/// The transport of clients that are given none: a pool of their own.
pub(super) fn network() -> Arc<dyn Transport> {
    Arc::new(HttpPool::new())
}
