//! The way to a platform through a proxy: CONNECT, as browsers do for their sockets.

use std::io;

use http::{HeaderValue, Uri};
use hyper_util::client::proxy::matcher::Matcher;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::dial::{Endpoint, Stream};
use crate::rest::is_loopback;

/// The longest head of a proxy's answer, in bytes.
const MAX_HEAD: usize = 16 * 1024;

/// A proxy, and what it wants to know of whoever comes.
pub(super) struct Proxy {
    host: String,
    port: u16,
    encrypted: bool,
    auth: Option<HeaderValue>,
}

impl Proxy {
    /// The proxy that stands before a platform, as the REST client sees it: by the scheme of the address, not for those
    /// that `NO_PROXY` names, and never for this machine.
    ///
    /// # Errors
    /// It is of a kind that this SDK does not speak to.
    pub(super) fn before(to: Endpoint<'_>, proxies: &Matcher) -> io::Result<Option<Self>> {
        if is_loopback(to.host) {
            return Ok(None);
        }
        let scheme = if to.encrypted { "https" } else { "http" };
        let Ok(address) = format!("{scheme}://{}/", authority(to)).parse::<Uri>() else { return Ok(None) };
        let Some(found) = proxies.intercept(&address) else { return Ok(None) };
        let uri = found.uri();
        let encrypted = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            other => {
                let scheme = other.unwrap_or_default();
                let text = format!("the proxy is a {scheme} one: only http:// and https:// are spoken here");
                return Err(io::Error::new(io::ErrorKind::Unsupported, text));
            }
        };
        let host = uri.host().unwrap_or_default();
        Ok(Some(Self {
            host: host.trim_start_matches('[').trim_end_matches(']').to_owned(),
            port: uri.port_u16().unwrap_or(if encrypted { 443 } else { 80 }),
            encrypted,
            auth: found.basic_auth().cloned(),
        }))
    }

    /// Where the proxy itself is.
    pub(super) fn endpoint(&self) -> Endpoint<'_> {
        Endpoint { host: &self.host, port: self.port, encrypted: self.encrypted }
    }

    /// Has it pass bytes on to the platform.
    pub(super) async fn tunnel(&self, mut stream: Stream, to: Endpoint<'_>) -> io::Result<Stream> {
        let failed = |kind, why: &str| {
            let Self { host, port, .. } = self;
            io::Error::new(kind, format!("the proxy {host}:{port}, asked for {}: {why}", authority(to)))
        };
        let lost = |err: io::Error| failed(err.kind(), &err.to_string());
        stream.write_all(&self.request(to)).await.map_err(lost)?;
        stream.flush().await.map_err(lost)?;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            // Byte by byte, since what follows is the platform's.
            let byte = stream.read_u8().await.map_err(lost)?;
            head.push(byte);
            if head.len() > MAX_HEAD {
                return Err(failed(io::ErrorKind::InvalidData, "its answer has no end"));
            }
        }
        match status(&head) {
            Some(200..300) => Ok(stream),
            Some(407) => Err(failed(
                io::ErrorKind::PermissionDenied,
                "407: it wants a user and a password; give them in HTTPS_PROXY or HTTP_PROXY",
            )),
            Some(status) => Err(failed(io::ErrorKind::ConnectionRefused, &format!("it answered {status}"))),
            None => Err(failed(io::ErrorKind::InvalidData, "its answer is no HTTP")),
        }
    }

    fn request(&self, to: Endpoint<'_>) -> Vec<u8> {
        let to = authority(to);
        let agent = crate::USER_AGENT;
        let mut head = format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\nUser-Agent: {agent}\r\n").into_bytes();
        if let Some(auth) = &self.auth {
            head.extend_from_slice(b"Proxy-Authorization: ");
            head.extend_from_slice(auth.as_bytes());
            head.extend_from_slice(b"\r\n");
        }
        head.extend_from_slice(b"\r\n");
        head
    }
}

/// Host and port as a URL has them.
fn authority(to: Endpoint<'_>) -> String {
    let Endpoint { host, port, .. } = to;
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// The status of an answer's first line.
fn status(head: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(head).ok()?.lines().next()?;
    let mut words = line.split(' ');
    words.next().filter(|version| version.starts_with("HTTP/1."))?;
    words.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;
    use tokio::task::JoinSet;

    use super::super::dial::through;
    use super::*;

    const PLATFORM: Endpoint<'_> = Endpoint { host: "platform.test", port: 4000, encrypted: false };

    /// A proxy that answers with these words and then sends back what it gets. Gives its port, and what it was asked.
    async fn proxy(answer: &'static str) -> (u16, JoinSet<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            stream.write_all(answer.as_bytes()).await.unwrap();
            let (mut read, mut write) = stream.split();
            tokio::io::copy(&mut read, &mut write).await.unwrap();
            String::from_utf8(head).unwrap()
        });
        (port, tasks)
    }

    #[tokio::test]
    async fn a_socket_goes_through_the_proxy_with_the_platforms_name_and_the_proxys_password() {
        let (port, mut asked) = proxy("HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\nplatform").await;
        let proxies = Matcher::builder().http(format!("http://ann:secret@127.0.0.1:{port}")).build();
        let mut stream = through(&proxies, PLATFORM).await.unwrap();
        stream.write_all(b" echoes").await.unwrap();
        stream.shutdown().await.unwrap();
        let mut heard = String::new();
        stream.read_to_string(&mut heard).await.unwrap();
        assert_eq!(heard, "platform echoes", "what comes right behind the head belongs to the platform");
        let head = asked.join_next().await.unwrap().unwrap();
        assert!(
            head.starts_with("CONNECT platform.test:4000 HTTP/1.1\r\nHost: platform.test:4000\r\n"),
            "{head}"
        );
        assert!(head.contains("\r\nProxy-Authorization: Basic YW5uOnNlY3JldA==\r\n"), "{head}");
    }

    #[tokio::test]
    async fn a_proxy_that_refuses_is_named_without_its_password() {
        for (answer, why) in [
            ("HTTP/1.1 407 Who\r\n\r\n", "407: it wants a user and a password"),
            ("HTTP/1.1 502 No\r\n\r\n", "it answered 502"),
            ("SSH-2.0\r\n\r\n", "its answer is no HTTP"),
        ] {
            let (port, _asked) = proxy(answer).await;
            let proxies = Matcher::builder().all(format!("http://ann:secret@127.0.0.1:{port}")).build();
            let err = through(&proxies, PLATFORM).await.err().unwrap().to_string();
            assert!(
                err.contains(&format!("the proxy 127.0.0.1:{port}, asked for platform.test:4000: {why}")),
                "{err}"
            );
            assert!(!err.contains("secret"), "{err}");
        }
    }

    #[test]
    fn which_proxy_it_is_follows_from_the_address_as_for_rest() {
        let proxies = Matcher::builder()
            .http("http://plain:3128")
            .https("https://[::1]")
            .no("direct.test, 10.0.0.0/8")
            .build();
        let before = |host, encrypted| {
            let to = Endpoint { host, port: 4000, encrypted };
            let found = Proxy::before(to, &proxies).unwrap();
            found.map(|proxy| (proxy.host, proxy.port, proxy.encrypted))
        };
        assert_eq!(before("platform.test", false), Some(("plain".to_owned(), 3128, false)));
        assert_eq!(before("platform.test", true), Some(("::1".to_owned(), 443, true)));
        assert_eq!(before("2001:db8::1", false), Some(("plain".to_owned(), 3128, false)));
        for direct in ["direct.test", "a.direct.test", "10.1.2.3", "127.0.0.1", "::1", "localhost"] {
            assert_eq!(before(direct, false), None, "{direct}");
        }
        let socks = Matcher::builder().all("socks5://ann:secret@s:1080").build();
        let refused = Proxy::before(PLATFORM, &socks).err().unwrap().to_string();
        assert!(refused.contains("only http:// and https://") && !refused.contains("secret"), "{refused}");
    }
}
