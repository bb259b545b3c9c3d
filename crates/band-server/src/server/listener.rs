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

use super::idle::{Idle, Seat};

/// HTTP connections at a time. For one more the one goes that has been idle for longest. Sockets are counted by the hub.
const MAX_CONNECTIONS: usize = 16 * 1024;
/// How many idle connections go when the process is out of files.
const MADE_ROOM: usize = 16;
/// How long a new caller may take for the head of its first request.
pub(super) const FIRST_HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a caller may take for the head of another one, and how long an idle connection is kept.
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
    accept_within(MAX_CONNECTIONS, listener, router, tasks, stops).await;
}

async fn accept_within(most: usize, listener: TcpListener, router: Router, tasks: TaskTracker, stops: Stops) {
    let places = Arc::new(Semaphore::new(most));
    let idle = Idle::default();
    let mut failures = Failures::default();
    loop {
        let accepted = tokio::select! {
            () = stops.graceful.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                failures.over();
                if places.available_permits() == 0 {
                    idle.make_room(1);
                }
                let place = tokio::select! {
                    () = stops.graceful.cancelled() => return,
                    place = Arc::clone(&places).acquire_owned() => place,
                };
                let serving = serve(stream, peer, router.clone(), idle.seat(), stops.clone());
                tasks.spawn(async move {
                    serving.await;
                    drop(place);
                });
            }
            Err(err) => {
                failures.another(&err);
                idle.make_room(MADE_ROOM);
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

async fn serve(stream: TcpStream, peer: SocketAddr, router: Router, seat: Seat, stops: Stops) {
    // Frames and answers are small and written whole: waiting for more would only delay them.
    if let Err(err) = stream.set_nodelay(true) {
        tracing::debug!(%err, "no TCP_NODELAY");
    }
    let inner = TowerToHyperService::new(router);
    let seat = Arc::new(seat);
    let at_work = Arc::clone(&seat);
    let service = hyper::service::service_fn(move |mut request: http::Request<Incoming>| {
        at_work.begin();
        request.extensions_mut().insert(Peer(peer));
        let (answer, seat) = (inner.call(request), Arc::clone(&at_work));
        async move {
            let answer = answer.await?;
            // What is upgraded leaves this place by itself.
            if answer.status() != http::StatusCode::SWITCHING_PROTOCOLS {
                seat.rest();
            }
            Ok::<_, std::convert::Infallible>(answer)
        }
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
        () = seat.is_wanted() => return,
        () = seat.is_late() => return,
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
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::time::Instant;

    use super::*;

    /// A listener with few places.
    async fn door(most: usize) -> (SocketAddr, Stops, TaskTracker) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().fallback(async || "ok");
        let (tasks, stops) = (TaskTracker::new(), Stops::new());
        tasks.spawn(accept_within(most, listener, router, tasks.clone(), stops.clone()));
        (address, stops, tasks)
    }

    async fn ask(stream: &mut TcpStream) -> String {
        stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        let mut heard = String::new();
        while !heard.ends_with("ok") {
            let mut bytes = [0; 1024];
            let count = stream.read(&mut bytes).await.unwrap();
            assert_ne!(count, 0, "closed after {heard:?}");
            heard.push_str(std::str::from_utf8(&bytes[..count]).unwrap());
        }
        heard
    }

    #[tokio::test]
    async fn who_asks_slowly_and_who_asks_nothing_more_make_room_for_who_asks() {
        let (address, stops, tasks) = door(4).await;
        let mut others = Vec::new();
        for n in 0..40 {
            let mut stream = TcpStream::connect(address).await.unwrap();
            if n % 2 == 0 {
                let _ = stream.write_all(b"GET / HT").await;
            } else {
                ask(&mut stream).await;
            }
            others.push(stream);
        }
        let mut stream = TcpStream::connect(address).await.unwrap();
        assert!(ask(&mut stream).await.starts_with("HTTP/1.1 200"));
        // Whoever asks again and again is not the one that has been idle for longest.
        let mut last = others.pop().unwrap();
        assert!(ask(&mut last).await.starts_with("HTTP/1.1 200"));
        stops.hard.cancel();
        tasks.close();
        tasks.wait().await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_first_request_has_ten_seconds_and_a_connection_that_has_made_one_a_minute() {
        let (address, _stops, _tasks) = door(4).await;
        let began = Instant::now();
        let mut late = TcpStream::connect(address).await.unwrap();
        late.write_all(b"GET / HT").await.unwrap();
        assert_eq!(late.read(&mut [0; 16]).await.unwrap(), 0);
        assert!((10..60).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
    }

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
