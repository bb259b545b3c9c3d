//! Sockets over the simulated network: what agents dial, and what answers them.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use band::link::dial::{Dial, Dialled, Endpoint, Stream};
use band_core::platform::hub::{ConnId, IDLE_TIMEOUT, Input, OnConflict, Refused};
use band_wire::phx::Frame;
use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::handshake::machine::TryParse;
use tokio_tungstenite::tungstenite::handshake::server::Request;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role};

use super::cable::{Cable, Plug, connect};
use super::scenario::{Kind, Scripted, Wait};
use super::world::{Item, Net, Process, Socket, queue};

/// How long the closing handshake may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Opens the sockets of one process.
pub(crate) struct SimDialer {
    pub(crate) net: Arc<Net>,
    pub(crate) process: Process,
}

impl fmt::Debug for SimDialer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SimDialer({:?})", self.process)
    }
}

impl Dial for SimDialer {
    fn dial<'a>(&'a self, _: Endpoint<'a>) -> Dialled<'a> {
        Box::pin(async move {
            let Some(way) = self.begin() else { return std::future::pending().await };
            sleep(way).await;
            let Some(laid) = self.lay() else { return std::future::pending().await };
            let (near, far, cable) = laid?;
            let net = Arc::clone(&self.net);
            self.net.spawn(serve(net, self.process, far, cable));
            Ok(Box::new(near) as Stream)
        })
    }
}

impl SimDialer {
    /// Notes that a process dials, and gives how long that takes; none when it is dead.
    fn begin(&self) -> Option<Duration> {
        let process = self.process;
        self.net.with(|world, _| {
            if !world.is_alive(process) {
                return None;
            }
            world.note(|| format!("agent {} dials", process.agent));
            world.count(process, Kind::Upgrade);
            world.watch.dialled(process);
            let longest = world.weather.latency;
            Some(world.chance.millis(0, longest))
        })
    }

    /// Connects both ends, if that is possible now; none when the process is dead.
    fn lay(&self) -> Option<io::Result<(Plug, Plug, Cable)>> {
        let process = self.process;
        let mut world = self.net.lock();
        if !world.is_alive(process) {
            return None;
        }
        let undialled = world.weather.undialled;
        if !world.is_there() || world.chance.permille(undialled) {
            world.note(|| format!("agent {} is refused a connection", process.agent));
            world.watch.undialled(process);
            return Some(Err(io::ErrorKind::ConnectionRefused.into()));
        }
        let longest = world.weather.latency;
        let (near, far, cable) = connect(&mut world.chance, longest);
        world.cables.push((process, cable.clone()));
        Some(Ok((near, far, cable)))
    }
}

/// What becomes of an upgrade.
enum Upgrade {
    Accepted(ConnId, mpsc::Receiver<Item>),
    Refused(u16, Option<Wait>),
    /// Bytes that are no HTTP.
    Garbage,
}

/// Serves one connection to its end.
async fn serve(net: Arc<Net>, process: Process, mut plug: Plug, cable: Cable) {
    let Some(request) = read_head(&mut plug).await else { return };
    let upgrade = admit(&net, process, &request);
    let (conn, items) = match upgrade {
        Upgrade::Accepted(conn, items) => (conn, items),
        Upgrade::Refused(status, wait) => {
            let _ = plug.write_all(refusal(status, wait).as_bytes()).await;
            return;
        }
        Upgrade::Garbage => {
            let _ = plug.write_all(b"\x15\x03\x01 this is no HTTP\r\n\r\n").await;
            return;
        }
    };
    let key = request.headers().get("sec-websocket-key").map(http::HeaderValue::as_bytes).unwrap_or_default();
    let head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Accept: {}\r\n\r\n",
        derive_accept_key(key)
    );
    if plug.write_all(head.as_bytes()).await.is_ok() {
        let stream = WebSocketStream::from_raw_socket(plug, Role::Server, None).await;
        let end = talk(&net, conn, stream, items).await;
        if end == TalkEnd::HungUp && !cable.is_disturbed() {
            net.with(|world, _| {
                if world.is_alive(process) {
                    let text = format!("{process:?} leaves socket {} without closing it", conn.0);
                    world.watch.violated("hung-up", text);
                }
            });
        }
    }
    net.with(|world, now| {
        world.note(|| format!("a socket of agent {} is gone", process.agent));
        world.sockets.remove(&conn);
        if world.is_up {
            world.platform.hear(now, Input::Closed { conn });
        }
    });
}

async fn read_head(plug: &mut Plug) -> Option<Request> {
    let mut read = Vec::new();
    loop {
        if plug.read_buf(&mut read).await.ok()? == 0 {
            return None;
        }
        if let Some((_, request)) = Request::try_parse(&read).ok()? {
            return Some(request);
        }
    }
}

fn admit(net: &Arc<Net>, process: Process, request: &Request) -> Upgrade {
    net.with(|world, now| {
        if !world.is_up {
            return Upgrade::Refused(if world.is_proxied { 502 } else { 503 }, None);
        }
        if let Some(scripted) = world.scripted(process.agent, Kind::Upgrade) {
            world.note(|| format!("a script answers {scripted:?} to the upgrade"));
            return match scripted {
                Scripted::Status(204) | Scripted::Garbage | Scripted::Empty => Upgrade::Garbage,
                Scripted::Status(status) => Upgrade::Refused(status, None),
                Scripted::Busy(wait) => Upgrade::Refused(429, Some(wait)),
                Scripted::Unavailable(wait) => Upgrade::Refused(503, Some(Wait::Seconds(wait))),
                Scripted::BadGateway => Upgrade::Refused(502, None),
            };
        }
        let key = request.headers().get("x-api-key").and_then(|key| key.to_str().ok());
        let Some(principal) = key.and_then(|key| world.platform.principal(key)) else {
            return Upgrade::Refused(403, None);
        };
        let rejects = request.uri().query().is_some_and(|query| query.contains("on_conflict=reject"));
        let on_conflict = if rejects { OnConflict::Reject } else { OnConflict::Supersede };
        match world.platform.open(now, principal, on_conflict) {
            Ok(conn) => {
                let (sender, items) = queue();
                let socket = Socket { process, queue: sender };
                world.sockets.insert(conn, socket);
                world.note(|| format!("a socket of agent {} is open", process.agent));
                Upgrade::Accepted(conn, items)
            }
            Err(Refused::Conflict) => Upgrade::Refused(409, None),
            Err(Refused::Stopping | Refused::Full) => Upgrade::Refused(503, None),
        }
    })
}

fn refusal(status: u16, wait: Option<Wait>) -> String {
    let body = format!(r#"{{"error":{{"code":"scripted","message":"scripted {status}"}}}}"#);
    let headers = wait.map(Wait::headers).unwrap_or_default();
    let wait: String = headers.into_iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {status} Scripted\r\n{wait}Content-Length: {}\r\n\r\n{body}", body.len())
}

/// How a conversation ended.
#[derive(Debug, PartialEq, Eq)]
enum TalkEnd {
    /// The peer had spoken, and was gone without a close frame.
    HungUp,
    Other,
}

async fn talk(
    net: &Arc<Net>,
    conn: ConnId,
    mut stream: WebSocketStream<Plug>,
    mut items: mpsc::Receiver<Item>,
) -> TalkEnd {
    let mut heard = Instant::now();
    let (mut has_spoken, mut is_closing) = (false, false);
    loop {
        tokio::select! {
            biased;
            item = items.recv() => match item {
                Some(Item::Text(text)) => {
                    if stream.send(Message::text(text)).await.is_err() {
                        return TalkEnd::Other;
                    }
                }
                Some(Item::Close(code, reason)) => {
                    say_goodbye(stream, code, reason).await;
                    return TalkEnd::Other;
                }
                // The platform has let go of it.
                None => return TalkEnd::Other,
            },
            message = stream.next() => {
                heard = Instant::now();
                match message {
                    Some(Ok(Message::Text(text))) => {
                        has_spoken = true;
                        net.with(|world, now| {
                            if world.is_up {
                                world.note(|| format!("socket {} says {text}", conn.0));
                                world.platform.hear(now, Input::Frame { conn, frame: Frame::decode(&text) });
                            }
                        });
                    }
                    Some(Ok(Message::Binary(_))) => net.with(|world, now| {
                        world.platform.hear(now, Input::Binary { conn });
                    }),
                    Some(Ok(Message::Close(_))) => is_closing = true,
                    Some(Ok(_)) => {}
                    Some(Err(_)) | None if has_spoken && !is_closing => return TalkEnd::HungUp,
                    Some(Err(_)) | None => return TalkEnd::Other,
                }
            }
            () = sleep_until(heard + IDLE_TIMEOUT) => {
                say_goodbye(stream, 1001, "idle").await;
                return TalkEnd::Other;
            }
        }
    }
}

async fn say_goodbye(mut stream: WebSocketStream<Plug>, code: u16, reason: &'static str) {
    let frame = CloseFrame { code: code.into(), reason: reason.into() };
    let goodbye = async {
        let _ = stream.send(Message::Close(Some(frame))).await;
        while let Some(Ok(_)) = stream.next().await {}
    };
    // A peer that does not answer is left behind.
    let _ = timeout(CLOSE_TIMEOUT, goodbye).await;
}
