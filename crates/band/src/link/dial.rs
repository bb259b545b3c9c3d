//! The byte stream that a socket runs on: resolve, connect, TLS.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::time::Duration;

use hyper_util::client::proxy::matcher::Matcher;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::proxy::Proxy;
use crate::tls;

/// How long one address of a host is tried before the next one.
const ADDRESS_LIMIT: Duration = Duration::from_secs(3);

/// Bytes in both directions.
pub trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for T {}

/// A byte stream of any kind.
pub type Stream = Box<dyn ByteStream>;

/// A stream, or which step failed and why.
pub type Dialled<'a> = Pin<Box<dyn Future<Output = io::Result<Stream>> + Send + 'a>>;

/// Where to.
#[derive(Debug, Clone, Copy)]
pub struct Endpoint<'a> {
    /// A name or an address.
    pub host: &'a str,
    /// The port.
    pub port: u16,
    /// Whether the stream is to be encrypted.
    pub encrypted: bool,
}

/// Opens byte streams. A simulator brings its own.
pub trait Dial: fmt::Debug + Send + Sync {
    /// Opens one. The caller bounds the time.
    fn dial<'a>(&'a self, to: Endpoint<'a>) -> Dialled<'a>;
}

/// The network, by way of the proxy that the environment names (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`).
#[derive(Debug, Clone, Copy)]
pub struct Network;

impl Dial for Network {
    fn dial<'a>(&'a self, to: Endpoint<'a>) -> Dialled<'a> {
        Box::pin(async move { through(&Matcher::from_env(), to).await })
    }
}

/// By way of the proxy that stands before the platform, if there is one.
pub(super) async fn through(proxies: &Matcher, to: Endpoint<'_>) -> io::Result<Stream> {
    let Some(proxy) = Proxy::before(to, proxies)? else { return direct(to).await };
    let tunnel = proxy.tunnel(direct(proxy.endpoint()).await?, to).await?;
    if to.encrypted { encrypt(to, tunnel).await } else { Ok(tunnel) }
}

async fn direct(to: Endpoint<'_>) -> io::Result<Stream> {
    let tcp = Box::new(connect(to).await?);
    if to.encrypted { encrypt(to, tcp).await } else { Ok(tcp) }
}

/// Tries the addresses of a host one after another.
async fn connect(to: Endpoint<'_>) -> io::Result<TcpStream> {
    let resolved = tokio::net::lookup_host((to.host, to.port)).await;
    let addresses: Vec<SocketAddr> = resolved.map_err(|err| step("resolve", to, &err))?.collect();
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in addresses {
        match timeout(ADDRESS_LIMIT, TcpStream::connect(address)).await {
            Ok(Ok(tcp)) => {
                // Without it small frames wait for each other. A refusal of the option does no harm.
                let _ = tcp.set_nodelay(true);
                return Ok(tcp);
            }
            Ok(Err(err)) => last = err,
            Err(_) => last = io::ErrorKind::TimedOut.into(),
        }
    }
    Err(step("connect to", to, &last))
}

async fn encrypt(to: Endpoint<'_>, plain: Stream) -> io::Result<Stream> {
    let config = tls::verified().map_err(io::Error::other)?;
    let name = ServerName::try_from(to.host.to_owned()).map_err(io::Error::other)?;
    match TlsConnector::from(config).connect(name, plain).await {
        Ok(stream) => Ok(Box::new(stream)),
        Err(err) => Err(step("TLS with", to, &err)),
    }
}

fn step(what: &str, to: Endpoint<'_>, err: &io::Error) -> io::Error {
    io::Error::new(err.kind(), format!("{what} {}:{}: {err}", to.host, to.port))
}
