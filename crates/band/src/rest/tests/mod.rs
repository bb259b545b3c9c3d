//! The client against a scripted platform on loopback.

mod calls;
mod failures;
mod many;

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use band_wire::{ChatId, MessageId};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::retry::Pace;
use super::{RestClient, RestConfig};

const KEY: &str = "band_a_1700000000_secret";
const CHAT: ChatId = ChatId::new(Uuid::from_u128(1));
const MESSAGE: MessageId = MessageId::new(Uuid::from_u128(2));

/// What the platform does with one request.
#[derive(Debug, Clone)]
enum Step {
    /// Answers with status, extra header lines and body.
    Answer(u16, &'static str, String),
    /// Reads the request and hangs up.
    HangUp,
    /// Reads the request and says nothing more.
    Hang,
}

fn ok(body: &Value) -> Step {
    Step::Answer(200, "", body.to_string())
}

fn refuse(status: u16, code: &str) -> Step {
    let body = json!({"error": {"code": code, "message": "No.", "request_id": "r-1"}});
    Step::Answer(status, "", body.to_string())
}

/// One request as it came.
#[derive(Debug, Clone)]
struct Seen {
    /// Method, path and query.
    line: String,
    headers: String,
    body: String,
}

#[derive(Debug, Default)]
struct Script {
    steps: Mutex<VecDeque<Step>>,
    seen: Mutex<Vec<Seen>>,
    at_work: AtomicUsize,
    most_at_work: AtomicUsize,
    hold: Option<Arc<Notify>>,
}

/// A platform that follows a script. Steps are taken in order, whatever the connection; the last one stays.
struct Platform {
    address: SocketAddr,
    script: Arc<Script>,
    _serving: JoinSet<()>,
}

impl Platform {
    async fn follow(steps: impl IntoIterator<Item = Step>) -> Self {
        Self::run(Script { steps: Mutex::new(steps.into_iter().collect()), ..Script::default() }).await
    }

    async fn run(script: Script) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let script = Arc::new(script);
        let mut serving = JoinSet::new();
        let shared = Arc::clone(&script);
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(serve(stream, Arc::clone(&shared)));
            }
        });
        Self { address, script, _serving: serving }
    }

    fn config(&self) -> RestConfig {
        let mut config = RestConfig::new(format!("http://{}", self.address), KEY.into());
        config.honours_keys = true;
        config
    }

    /// A client that does not wait long between attempts.
    fn client(&self) -> RestClient {
        quick(self.config())
    }

    fn seen(&self) -> Vec<Seen> {
        self.script.seen.lock().unwrap().clone()
    }

    fn lines(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.line).collect()
    }
}

fn quick(config: RestConfig) -> RestClient {
    let pace = Pace {
        unreachable_for: Duration::from_secs(30),
        patience: Duration::from_secs(60),
        refused_base: Duration::from_millis(1),
        broken_base: Duration::from_millis(1),
        max: Duration::from_millis(5),
    };
    RestClient::with_pace(config, pace).unwrap()
}

async fn serve(mut stream: TcpStream, script: Arc<Script>) {
    let mut read = Vec::new();
    while let Some(seen) = request(&mut stream, &mut read).await {
        let step = {
            let mut steps = script.steps.lock().unwrap();
            if steps.len() > 1 { steps.pop_front() } else { steps.front().cloned() }
        };
        script.seen.lock().unwrap().push(seen);
        let at_work = script.at_work.fetch_add(1, Ordering::SeqCst) + 1;
        script.most_at_work.fetch_max(at_work, Ordering::SeqCst);
        if let Some(hold) = &script.hold {
            hold.notified().await;
        }
        script.at_work.fetch_sub(1, Ordering::SeqCst);
        match step.unwrap() {
            Step::HangUp => return,
            Step::Hang => std::future::pending().await,
            Step::Answer(status, headers, body) => {
                let length =
                    if status == 204 { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
                let text = format!("HTTP/1.1 {status} Text\r\n{headers}{length}\r\n{body}");
                if stream.write_all(text.as_bytes()).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn request(stream: &mut TcpStream, read: &mut Vec<u8>) -> Option<Seen> {
    let head_end = loop {
        if let Some(end) = read.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(read).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(read[..head_end].to_vec()).unwrap();
    let (line, headers) = head.split_once("\r\n").unwrap();
    let headers = headers.to_ascii_lowercase();
    let length =
        headers.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    let end = head_end + 4 + length;
    while read.len() < end {
        if stream.read_buf(read).await.ok()? == 0 {
            return None;
        }
    }
    let body = String::from_utf8(read[head_end + 4..end].to_vec()).unwrap();
    read.drain(..end);
    let line = line.trim_end_matches(" HTTP/1.1").to_owned();
    Some(Seen { line, headers, body })
}

fn message() -> Value {
    json!({
        "id": MESSAGE, "content": "hi", "message_type": "text", "sender_id": Uuid::from_u128(3),
        "sender_type": "User", "sender_name": "Ann", "metadata": {}, "attachments": [],
        "inserted_at": "2026-07-01T10:00:00Z", "updated_at": "2026-07-01T10:00:00Z",
    })
}

fn mark(status: &str) -> Value {
    json!({"data": {"id": MESSAGE, "status": status, "attempt_number": 1, "success": true}})
}

fn sent() -> Step {
    let recipient = json!({"id": Uuid::from_u128(3), "handle": "ann"});
    let body = json!({"data": {"id": MESSAGE, "success": true, "recipients": [recipient]}});
    Step::Answer(201, "", body.to_string())
}
