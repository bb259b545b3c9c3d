//! A wire between a program and a platform, on which every request is seen.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::{Error, PATIENCE, Result};

/// Requests that are kept.
const KEPT: usize = 10_000;
/// The longest first line of a request.
const LINE_MAX: usize = 8 * 1024;

#[derive(Debug, Default)]
struct Calls {
    kept: Mutex<Vec<String>>,
    /// Requests, and answers to them.
    counted: watch::Sender<(u64, u64)>,
}

/// Stands in front of a platform and notes what is asked of it. Gone with its owner.
#[derive(Debug)]
pub struct Tap {
    base_url: String,
    calls: Arc<Calls>,
    _tasks: JoinSet<()>,
}

impl Tap {
    /// In front of a platform, such as `http://127.0.0.1:4000`.
    ///
    /// # Errors
    /// [`Error::Io`] when there is no free port.
    pub async fn start(platform: &str) -> Result<Self> {
        let upstream = platform.trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(Error::io("cannot listen"))?;
        let address = listener.local_addr().map_err(Error::io("cannot tell the port"))?;
        let calls: Arc<Calls> = Arc::default();
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, upstream, Arc::clone(&calls)));
        Ok(Self { base_url: format!("http://{address}"), calls, _tasks: tasks })
    }

    /// Where to connect to in place of the platform.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The socket's address here.
    pub fn ws_url(&self) -> String {
        format!("{}{}", self.base_url.replacen("http", "ws", 1), band_wire::phx::SOCKET_PATH)
    }

    /// The requests since the last look, as `METHOD path`, in the order in which they came.
    pub fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.calls.kept))
    }

    /// Waits until the requests since the last look are these.
    ///
    /// # Errors
    /// [`Error::Late`] with what came instead.
    pub async fn until(&self, what: &str, wanted: impl Fn(&[String]) -> bool) -> Result<()> {
        self.wait(what, |_| wanted(&lock(&self.calls.kept))).await
    }

    /// Waits until every request has its answer.
    ///
    /// # Errors
    /// [`Error::Late`] with what was asked.
    pub async fn quiet(&self) -> Result<()> {
        self.wait("every answer", |(asked, answered)| asked == answered).await
    }

    async fn wait(&self, what: &str, wanted: impl Fn((u64, u64)) -> bool) -> Result<()> {
        let mut counted = self.calls.counted.subscribe();
        let seen = counted.wait_for(|counts| wanted(*counts));
        // The sender lives as long as this does.
        let seen = timeout(PATIENCE, seen).await.map(drop);
        seen.map_err(|_| Error::Late {
            who: "the program at the tap".to_owned(),
            what: what.to_owned(),
            waited: PATIENCE,
            seen: lock(&self.calls.kept).join("\n"),
        })
    }
}

async fn accept(listener: TcpListener, upstream: String, calls: Arc<Calls>) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        connections.spawn(carry(client, upstream.clone(), Arc::clone(&calls)));
    }
}

async fn carry(mut client: TcpStream, upstream: String, calls: Arc<Calls>) {
    let Ok(mut platform) = TcpStream::connect(upstream).await else { return };
    let (mut from_client, mut to_client) = client.split();
    let (mut from_platform, mut to_platform) = platform.split();
    let ask = async {
        let (mut buffer, mut line) = (vec![0; 16 * 1024], Vec::new());
        while let Ok(length @ 1..) = from_client.read(&mut buffer).await {
            let bytes = buffer.get(..length).unwrap_or_default();
            note(bytes, &mut line, &calls);
            if to_platform.write_all(bytes).await.is_err() {
                return;
            }
        }
        let _ = to_platform.shutdown().await;
    };
    let answer = async {
        let (mut buffer, mut line) = (vec![0; 16 * 1024], Vec::new());
        while let Ok(length @ 1..) = from_platform.read(&mut buffer).await {
            let bytes = buffer.get(..length).unwrap_or_default();
            lines(bytes, &mut line, |line| {
                if line.rfind("HTTP/1.1 ").is_some_and(|at| line.get(at + 9..).is_some_and(is_status)) {
                    calls.counted.send_modify(|(_, answered)| *answered += 1);
                }
            });
            if to_client.write_all(bytes).await.is_err() {
                return;
            }
        }
        let _ = to_client.shutdown().await;
    };
    tokio::join!(ask, answer);
}

/// Whether this is what follows the version in the first line of an answer.
fn is_status(text: &str) -> bool {
    text.len() >= 3 && text.bytes().take(3).all(|byte| byte.is_ascii_digit())
}

/// Finds the first lines of requests. A JSON body has no line like that.
fn note(bytes: &[u8], line: &mut Vec<u8>, calls: &Calls) {
    lines(bytes, line, |text| {
        // The first line may follow the body before it without a break.
        let words = ["GET /", "POST /", "PUT /", "PATCH /", "DELETE /"];
        let start = words.iter().filter_map(|word| text.rfind(word)).max();
        let call = start.and_then(|start| text.strip_suffix(" HTTP/1.1")?.get(start..));
        let Some(call) = call else { return };
        let mut kept = lock(&calls.kept);
        if kept.len() < KEPT {
            kept.push(call.to_owned());
        }
        drop(kept);
        calls.counted.send_modify(|(asked, _)| *asked += 1);
    });
}

/// Puts lines together from bytes as they come.
fn lines(bytes: &[u8], line: &mut Vec<u8>, mut whole: impl FnMut(&str)) {
    for byte in bytes {
        if *byte == b'\n' {
            whole(String::from_utf8_lossy(line).trim_end());
            line.clear();
        } else if line.len() < LINE_MAX {
            line.push(*byte);
        }
    }
}

fn lock(calls: &Mutex<Vec<String>>) -> MutexGuard<'_, Vec<String>> {
    calls.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_found_however_their_bytes_are_cut() {
        let stream = b"POST /a HTTP/1.1\r\nhost: x\r\n\r\n{\"text\": \"GET /no\"}GET /b?c=1 HTTP/1.1\r\n\r\n";
        for cut in 1..stream.len() {
            let (calls, mut line) = (Calls::default(), Vec::new());
            stream.chunks(cut).for_each(|bytes| note(bytes, &mut line, &calls));
            assert_eq!(*lock(&calls.kept), ["POST /a", "GET /b?c=1"], "{cut}");
        }
    }
}
