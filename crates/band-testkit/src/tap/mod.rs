//! A wire between a program and a platform, on which all that the program asks for is seen, and may be refused.

mod carry;
mod reading;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::{Error, PATIENCE, Result};

/// What is kept of all that was seen; what comes after it is not.
const KEPT: usize = 10_000;

/// Requests below this are for the tap itself: it keeps the rest of the path as a note and answers 204.
const OWN: &str = "/tap/";

/// One thing that was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Which kind of thing.
    pub kind: Kind,
    /// `METHOD path` of a request, `event topic` of a frame, the text of a note.
    pub what: String,
    /// The body of a request, the text of a frame; empty for a note.
    pub body: Vec<u8>,
}

/// What can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A request over HTTP, once it had come in full.
    Request,
    /// A frame that the program sent on a socket; heartbeats are left out.
    Frame,
    /// A word of the test or of the program's own, among the others in its place.
    Note,
}

/// The connections that carried requests, sockets left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Connections {
    /// Opened so far.
    pub opened: usize,
    /// Open now.
    pub open: usize,
    /// The most that were open at once.
    pub most: usize,
}

#[derive(Debug, Default)]
struct Counts {
    asked: u64,
    answered: u64,
    connections: Connections,
    /// Sockets open now.
    sockets: usize,
}

/// Whether sockets are let through, and how often they were cut.
#[derive(Debug, Default, Clone, Copy)]
struct Line {
    cut: bool,
    cuts: u64,
}

#[derive(Debug)]
struct Refusal {
    ending: String,
    status: u16,
    /// Further headers, each with its end of the line.
    headers: String,
    body: String,
    left: usize,
}

#[derive(Debug)]
struct Shared {
    upstream: String,
    kept: Mutex<Vec<Call>>,
    counts: watch::Sender<Counts>,
    line: watch::Sender<Line>,
    refusals: Mutex<Vec<Refusal>>,
}

/// Stands in front of a platform and notes what is asked of it. Gone with its owner.
///
/// A program may leave notes among its calls: each `GET /tap/WORD` is kept as the note `WORD` and never reaches the
/// platform.
#[derive(Debug)]
pub struct Tap {
    base_url: String,
    shared: Arc<Shared>,
    _tasks: JoinSet<()>,
}

impl Tap {
    /// In front of a platform, such as `http://127.0.0.1:4000`.
    ///
    /// # Errors
    /// [`Error::Io`] when there is no free port.
    pub async fn start(platform: &str) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(Error::io("cannot listen"))?;
        let address = listener.local_addr().map_err(Error::io("cannot tell the port"))?;
        let shared = Arc::new(Shared {
            upstream: platform.trim_start_matches("http://").to_owned(),
            kept: Mutex::default(),
            counts: watch::Sender::default(),
            line: watch::Sender::default(),
            refusals: Mutex::default(),
        });
        let mut tasks = JoinSet::new();
        tasks.spawn(carry::accept(listener, Arc::clone(&shared)));
        Ok(Self { base_url: format!("http://{address}"), shared, _tasks: tasks })
    }

    /// Where to connect to in place of the platform.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The socket's address here.
    pub fn ws_url(&self) -> String {
        format!("{}{}", self.base_url.replacen("http", "ws", 1), band_wire::phx::SOCKET_PATH)
    }

    /// All that was seen since the last look, in the order in which it came.
    pub fn take(&self) -> Vec<Call> {
        std::mem::take(&mut *lock(&self.shared.kept))
    }

    /// The requests since the last look, as `METHOD path`; the rest is forgotten.
    pub fn take_calls(&self) -> Vec<String> {
        let requests = self.take().into_iter().filter(|call| call.kind == Kind::Request);
        requests.map(|call| call.what).collect()
    }

    /// Keeps a word of the test's own among what is seen.
    pub fn note(&self, text: &str) {
        self.shared.keep(Kind::Note, text.to_owned(), Vec::new());
    }

    /// Answers the next requests whose path ends like this in the platform's place.
    pub fn refuse(&self, ending: &str, status: u16, body: &str, times: usize) {
        let (ending, body, headers) = (ending.to_owned(), body.to_owned(), String::new());
        lock(&self.shared.refusals).push(Refusal { ending, status, headers, body, left: times });
    }

    /// Answers the next request whose path ends like this with 429, to be made again after so many seconds.
    pub fn limit(&self, ending: &str, retry_after: u32) {
        let body = r#"{"error":{"code":"rate_limited","message":"Too many requests","request_id":"tap"}}"#;
        let headers = format!("retry-after: {retry_after}\r\n");
        let (ending, body) = (ending.to_owned(), body.to_owned());
        lock(&self.shared.refusals).push(Refusal { ending, status: 429, headers, body, left: 1 });
    }

    /// Ends every socket, and lets none through until [`Self::mend`]. Requests go on. Once this is back, nothing that
    /// happens reaches the program by a socket.
    ///
    /// # Errors
    /// [`Error::Late`] when a socket does not end.
    pub async fn cut(&self) -> Result<()> {
        self.shared.line.send_modify(|line| *line = Line { cut: true, cuts: line.cuts + 1 });
        self.wait("the end of every socket", |counts| counts.sockets == 0).await
    }

    /// Lets sockets through again.
    pub fn mend(&self) {
        self.shared.line.send_modify(|line| line.cut = false);
    }

    /// The connections that carried requests so far.
    pub fn connections(&self) -> Connections {
        self.shared.counts.borrow().connections
    }

    /// Waits until what was seen since the last look is this.
    ///
    /// # Errors
    /// [`Error::Late`] with what came instead.
    pub async fn until(&self, what: &str, wanted: impl Fn(&[Call]) -> bool) -> Result<()> {
        self.wait(what, |_| wanted(&lock(&self.shared.kept))).await
    }

    /// Waits until every request has its answer, or was given up with its connection.
    ///
    /// # Errors
    /// [`Error::Late`] with what was asked.
    pub async fn quiet(&self) -> Result<()> {
        self.wait("every answer", |counts| counts.asked == counts.answered).await
    }

    async fn wait(&self, what: &str, wanted: impl Fn(&Counts) -> bool) -> Result<()> {
        let mut counts = self.shared.counts.subscribe();
        let seen = counts.wait_for(|counts| wanted(counts));
        // The sender lives as long as this does.
        let seen = timeout(PATIENCE, seen).await.map(drop);
        seen.map_err(|_| {
            let kept = lock(&self.shared.kept);
            Error::Late {
                who: "the program at the tap".to_owned(),
                what: what.to_owned(),
                waited: PATIENCE,
                seen: kept.iter().map(|call| call.what.as_str()).collect::<Vec<_>>().join("\n"),
            }
        })
    }
}

impl Shared {
    fn keep(&self, kind: Kind, what: String, body: Vec<u8>) {
        let mut kept = lock(&self.kept);
        if kept.len() < KEPT {
            kept.push(Call { kind, what, body });
        }
        drop(kept);
        self.counts.send_modify(|counts| counts.asked += u64::from(kind == Kind::Request));
    }

    /// The answer in the platform's place, if there is to be one.
    fn refusal(&self, path: &str) -> Option<Vec<u8>> {
        let mut refusals = lock(&self.refusals);
        let path = path.split('?').next().unwrap_or(path);
        let refusal =
            refusals.iter_mut().find(|refusal| refusal.left > 0 && path.ends_with(&refusal.ending))?;
        refusal.left -= 1;
        Some(carry::written(refusal.status, &refusal.headers, &refusal.body))
    }
}

/// The answers that a connection owes. When it ends, nobody waits for them any more.
#[derive(Debug)]
struct Debt {
    shared: Arc<Shared>,
    owed: AtomicU64,
    /// It has become a socket.
    socket: AtomicBool,
}

impl Debt {
    fn new(shared: &Arc<Shared>) -> Self {
        Self { shared: Arc::clone(shared), owed: AtomicU64::new(0), socket: AtomicBool::new(false) }
    }

    fn asked(&self) {
        self.owed.fetch_add(1, Ordering::Relaxed);
    }

    fn upgraded(&self) {
        self.socket.store(true, Ordering::Relaxed);
        self.shared.counts.send_modify(|counts| counts.sockets += 1);
    }

    fn answered(&self) {
        let paid = self.owed.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |owed| owed.checked_sub(1));
        if paid.is_ok() {
            self.shared.counts.send_modify(|counts| counts.answered += 1);
        }
    }
}

impl Drop for Debt {
    fn drop(&mut self) {
        let owed = self.owed.load(Ordering::Relaxed);
        let sockets = usize::from(self.socket.load(Ordering::Relaxed));
        self.shared.counts.send_modify(|counts| {
            counts.answered += owed;
            counts.sockets -= sockets;
        });
    }
}

/// Counts a connection for as long as it carries requests.
#[derive(Debug)]
struct Open(Arc<Shared>);

impl Open {
    fn new(shared: &Arc<Shared>) -> Self {
        shared.counts.send_modify(|Counts { connections, .. }| {
            connections.opened += 1;
            connections.open += 1;
            connections.most = connections.most.max(connections.open);
        });
        Self(Arc::clone(shared))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.counts.send_modify(|counts| counts.connections.open -= 1);
    }
}

fn lock<T>(held: &Mutex<T>) -> MutexGuard<'_, T> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}
