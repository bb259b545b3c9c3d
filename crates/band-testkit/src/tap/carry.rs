//! One connection through the tap.

use std::io::Result;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::reading::{Frames, Request, Requests};
use super::{Debt, Kind, OWN, Open, Shared};

/// The longest line of an answer that is looked at.
const LINE_MAX: usize = 8 * 1024;
/// How much is carried at once.
const CHUNK: usize = 16 * 1024;

pub(super) async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        let shared = Arc::clone(&shared);
        connections.spawn(async move { carry(client, &shared).await });
    }
}

async fn carry(client: TcpStream, shared: &Arc<Shared>) {
    let open = Open::new(shared);
    let Ok(platform) = TcpStream::connect(&shared.upstream).await else { return };
    let _ = (client.set_nodelay(true), platform.set_nodelay(true));
    let (from_client, to_client) = client.into_split();
    let (from_platform, to_platform) = platform.into_split();
    let (own, owned) = mpsc::channel(1);
    let debt = Debt::new(shared);
    let asked = ask(from_client, to_platform, own, open, &debt);
    let answered = answer(from_platform, owned, to_client, &debt);
    tokio::pin!(answered);
    tokio::select! {
        biased;
        () = &mut answered => {}
        end = asked => if let Ok(End::HungUp) = end {
            answered.await;
        }
    }
}

/// How the asking side of a connection ended.
enum End {
    /// The program has nothing more to say; the platform may have.
    HungUp,
    /// The socket was cut.
    Cut,
}

/// Carries what the program asks for, but for what is answered here.
async fn ask(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    own: mpsc::Sender<Vec<u8>>,
    open: Open,
    debt: &Debt,
) -> Result<End> {
    let shared = &debt.shared;
    let mut requests = Requests::default();
    while let Some(request) = requests.next(&mut from).await? {
        if let Some(note) = request.path.strip_prefix(OWN) {
            shared.keep(Kind::Note, note.to_owned(), Vec::new());
            if own.send(written(204, "", "")).await.is_err() {
                break;
            }
            continue;
        }
        let Request { method, path, .. } = &request;
        debt.asked();
        shared.keep(Kind::Request, format!("{method} {path}"), request.body());
        if let Some(refusal) = shared.refusal(path) {
            debt.answered();
            if own.send(refusal).await.is_err() {
                break;
            }
            continue;
        }
        let line = *shared.line.borrow();
        if request.upgrades {
            if line.cut {
                return Ok(End::Cut);
            }
            debt.upgraded();
        }
        to.write_all(&request.bytes).await?;
        if request.upgrades {
            drop(open);
            return socket(from, to, requests.rest(), shared, line.cuts).await;
        }
    }
    let _ = to.shutdown().await;
    Ok(End::HungUp)
}

/// Carries the frames of a socket until one of the two hangs up or it is cut, which it may have been since `born`.
async fn socket(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    first: Vec<u8>,
    shared: &Shared,
    born: u64,
) -> Result<End> {
    let mut line = shared.line.subscribe();
    let mut frames = Frames::default();
    let mut bytes = first;
    loop {
        frames.feed(&bytes, |what, text| {
            if !what.starts_with("heartbeat ") {
                shared.keep(Kind::Frame, what, text);
            }
        });
        to.write_all(&bytes).await?;
        bytes.clear();
        tokio::select! {
            biased;
            _ = line.wait_for(|line| line.cuts > born) => return Ok(End::Cut),
            read = from.read_buf(&mut bytes) => if read? == 0 { break },
        }
    }
    let _ = to.shutdown().await;
    Ok(End::HungUp)
}

/// Carries the platform's answers, and the tap's own between them: a program asks for one thing at a time.
async fn answer(
    mut from: OwnedReadHalf,
    mut owned: mpsc::Receiver<Vec<u8>>,
    mut to: OwnedWriteHalf,
    debt: &Debt,
) {
    let (mut buffer, mut line) = (vec![0; CHUNK], Vec::new());
    loop {
        let bytes = tokio::select! {
            biased;
            Some(own) = owned.recv() => own,
            read = from.read(&mut buffer) => {
                let Ok(length @ 1..) = read else { break };
                let bytes = buffer.get(..length).unwrap_or_default();
                lines(bytes, &mut line, |line| {
                    if line.rfind("HTTP/1.1 ").is_some_and(|at| line.get(at + 9..).is_some_and(is_status)) {
                        debt.answered();
                    }
                });
                bytes.to_vec()
            }
        };
        if to.write_all(&bytes).await.is_err() {
            break;
        }
    }
    let _ = to.shutdown().await;
}

pub(super) fn written(status: u16, headers: &str, body: &str) -> Vec<u8> {
    let length = if status == 204 { String::new() } else { format!("content-length: {}\r\n", body.len()) };
    let head = format!("HTTP/1.1 {status} Said by the tap\r\ncontent-type: application/json\r\n{length}");
    format!("{head}{headers}\r\n{body}").into_bytes()
}

/// Whether this is what follows the version in the first line of an answer.
fn is_status(text: &str) -> bool {
    text.len() >= 3 && text.bytes().take(3).all(|byte| byte.is_ascii_digit())
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
