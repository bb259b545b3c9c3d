//! Accepts connections and serves HTTP on them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// HTTP connections at a time; the next ones wait in the system's backlog. Sockets are counted by the hub.
const MAX_CONNECTIONS: usize = 16 * 1024;
/// How long a caller may take for the head of a request, and how long an idle connection is kept.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);
/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 64 * 1024;
/// Pause after a failed accept: the process is out of files, most likely.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The address of the other end, as an extension of each request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// How a server winds down.
#[derive(Debug, Clone)]
pub(super) struct Stops {
    /// No new connection, no new request on old ones.
    pub(super) graceful: CancellationToken,
    /// Whatever is still going on is dropped.
    pub(super) hard: CancellationToken,
}

impl Stops {
    /// A hard stop is a graceful one too.
    pub(super) fn new() -> Self {
        let hard = CancellationToken::new();
        Self { graceful: hard.child_token(), hard }
    }
}

/// Accepts until the graceful stop. Connections live on `tasks`, which the caller awaits.
pub(super) async fn accept(listener: TcpListener, router: Router, tasks: TaskTracker, stops: Stops) {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut failures = Failures::default();
    loop {
        let accepted = async {
            let permit = Arc::clone(&permits).acquire_owned().await;
            (permit, listener.accept().await)
        };
        let (permit, accepted) = tokio::select! {
            () = stops.graceful.cancelled() => return,
            accepted = accepted => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                failures.over();
                let serving = serve(stream, peer, router.clone(), stops.clone());
                tasks.spawn(async move {
                    serving.await;
                    drop(permit);
                });
            }
            Err(err) => {
                failures.another(&err);
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Failed accepts in a row. They come ten a second for as long as the process is out of files, so the first, second,
/// fourth, eighth… are worth a line, and the end of it is.
#[derive(Debug, Default)]
struct Failures(u32);

impl Failures {
    fn another(&mut self, err: &std::io::Error) {
        self.0 = self.0.saturating_add(1);
        if self.is_worth_a_line() {
            let failures = self.0;
            tracing::warn!(%err, failures, "a connection could not be accepted; is the limit of open files (ulimit -n) too low?");
        }
    }

    const fn is_worth_a_line(&self) -> bool {
        self.0.is_power_of_two()
    }

    fn over(&mut self) {
        let failures = std::mem::take(&mut self.0);
        if failures > 0 {
            tracing::info!(failures, "connections are accepted again");
        }
    }
}

async fn serve(stream: TcpStream, peer: SocketAddr, router: Router, stops: Stops) {
    // Frames and answers are small and written whole: waiting for more would only delay them.
    if let Err(err) = stream.set_nodelay(true) {
        tracing::debug!(%err, "no TCP_NODELAY");
    }
    let inner = TowerToHyperService::new(router);
    let service = hyper::service::service_fn(move |mut request: http::Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer));
        inner.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stops.graceful.cancelled() => {
            connection.as_mut().graceful_shutdown();
            tokio::select! {
                ended = connection.as_mut() => ended,
                () = stops.hard.cancelled() => return,
            }
        }
    };
    if let Err(err) = ended {
        tracing::debug!(%err, "connection ended");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_without_files_is_worth_a_few_lines() {
        let mut failures = Failures::default();
        let mut lines = 0;
        for _ in 0..36_000 {
            failures.another(&std::io::ErrorKind::Other.into());
            lines += u32::from(failures.is_worth_a_line());
        }
        assert_eq!(lines, 16);
        failures.over();
        assert_eq!(failures.0, 0);
    }
}
