//! A wire between a program and a platform, on which every request is seen.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::{Error, Result};

/// Requests that are kept.
const KEPT: usize = 10_000;
/// The longest first line of a request.
const LINE_MAX: usize = 8 * 1024;

/// Stands in front of a platform and notes what is asked of it. Gone with its owner.
#[derive(Debug)]
pub struct Tap {
    base_url: String,
    calls: Arc<Mutex<Vec<String>>>,
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
        let calls = Arc::default();
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
        std::mem::take(&mut *lock(&self.calls))
    }
}

async fn accept(listener: TcpListener, upstream: String, calls: Arc<Mutex<Vec<String>>>) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        connections.spawn(carry(client, upstream.clone(), Arc::clone(&calls)));
    }
}

async fn carry(mut client: TcpStream, upstream: String, calls: Arc<Mutex<Vec<String>>>) {
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
        let _ = tokio::io::copy(&mut from_platform, &mut to_client).await;
        let _ = to_client.shutdown().await;
    };
    tokio::join!(ask, answer);
}

/// Finds the first lines of requests. A JSON body has no line like that.
fn note(bytes: &[u8], line: &mut Vec<u8>, calls: &Mutex<Vec<String>>) {
    for byte in bytes {
        if *byte != b'\n' {
            if line.len() < LINE_MAX {
                line.push(*byte);
            }
            continue;
        }
        let text = String::from_utf8_lossy(line).trim_end().to_owned();
        line.clear();
        // The first line may follow the body before it without a break.
        let start = ["GET /", "POST /", "PUT /", "PATCH /", "DELETE /"]
            .iter()
            .filter_map(|word| text.rfind(word))
            .max();
        let call = text.strip_suffix(" HTTP/1.1").and_then(|text| text.get(start?..));
        let mut calls = lock(calls);
        if let Some(call) = call.filter(|_| calls.len() < KEPT) {
            calls.push(call.to_owned());
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
            let (calls, mut line) = (Mutex::default(), Vec::new());
            stream.chunks(cut).for_each(|bytes| note(bytes, &mut line, &calls));
            assert_eq!(*lock(&calls), ["POST /a", "GET /b?c=1"], "{cut}");
        }
    }
}
