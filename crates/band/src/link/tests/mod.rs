//! The link against a scripted platform, over pipes in memory with paused time, or over real TCP.

mod ending;
mod opening;
mod owner;
mod serving;
mod tcp;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use band_wire::phx::{Frame, Ref, reply_error, reply_ok, reserved};
use band_wire::{AgentId, ChatId};
use futures_util::{SinkExt, StreamExt};
use http::HeaderMap;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::dial::{Dial, Dialled, Endpoint, Stream};
use super::{Link, LinkConfig, LinkEvent, LinkEvents, LinkHandle, StopReason};

const AGENT: AgentId = AgentId::new(Uuid::from_u128(0xa));
const KEY: &str = "band_a_1700000000_secret";

fn room(number: u128) -> ChatId {
    ChatId::new(Uuid::from_u128(0x1000 + number))
}

fn config(url: &str) -> LinkConfig {
    let mut config = LinkConfig::new(url, KEY.into(), AGENT);
    config.seed = Some(7);
    config
}

/// Gives the other end of each pipe to the test. Fails when the test is gone.
#[derive(Debug)]
struct Pipes(mpsc::Sender<DuplexStream>);

impl Dial for Pipes {
    fn dial<'a>(&'a self, _to: Endpoint<'a>) -> Dialled<'a> {
        Box::pin(async {
            let (ours, theirs) = tokio::io::duplex(32 * 1024);
            self.0.send(theirs).await.map_err(|_| io::Error::from(io::ErrorKind::ConnectionRefused))?;
            Ok(Box::new(ours) as Stream)
        })
    }
}

/// A running link, its owner's ends, and the platform's end of the pipes.
struct World {
    handle: LinkHandle,
    events: LinkEvents,
    stop: CancellationToken,
    driver: JoinSet<StopReason>,
    pipes: mpsc::Receiver<DuplexStream>,
}

impl World {
    fn start() -> Self {
        Self::start_with(&config("ws://band.test/api/v1/socket/websocket"))
    }

    fn start_with(config: &LinkConfig) -> Self {
        let (sender, pipes) = mpsc::channel(16);
        let (handle, events, driver) = Link::with_dialer(config, Arc::new(Pipes(sender))).unwrap();
        Self::run(handle, events, driver, pipes)
    }

    fn run(
        handle: LinkHandle,
        events: LinkEvents,
        link: super::LinkDriver,
        pipes: mpsc::Receiver<DuplexStream>,
    ) -> Self {
        let stop = CancellationToken::new();
        let mut driver = JoinSet::new();
        driver.spawn(link.run(stop.clone()));
        Self { handle, events, stop, driver, pipes }
    }

    /// Connected, with all asked so far answered.
    async fn connected() -> (Self, Peer<DuplexStream>) {
        let mut world = Self::start();
        let mut peer = world.accept().await;
        peer.join_own_topics().await;
        assert_eq!(world.event().await, LinkEvent::Connected { reconnect: false });
        (world, peer)
    }

    /// Connected, with one room joined. Join refs as in the golden transcript: 3 and 4.
    async fn in_room() -> (Self, Peer<DuplexStream>) {
        let (mut world, mut peer) = Self::connected().await;
        world.handle.join_room(room(1)).await;
        for _ in 0..2 {
            peer.accept_request().await;
        }
        assert_eq!(world.event().await, LinkEvent::RoomJoined(room(1)));
        (world, peer)
    }

    async fn dialled(&mut self) -> DuplexStream {
        self.pipes.recv().await.unwrap()
    }

    async fn accept(&mut self) -> Peer<DuplexStream> {
        Peer::accept(self.dialled().await).await
    }

    /// Answers the next upgrade with these texts, one write each, and hangs up.
    async fn answer(&mut self, texts: &[&str]) {
        let mut pipe = self.dialled().await;
        read_request(&mut pipe).await;
        for text in texts {
            pipe.write_all(text.as_bytes()).await.unwrap();
            tokio::task::yield_now().await;
        }
    }

    async fn event(&mut self) -> LinkEvent {
        self.events.next().await.unwrap()
    }

    async fn ended(&mut self) -> StopReason {
        self.driver.join_next().await.unwrap().unwrap()
    }
}

async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut read = Vec::new();
    while !read.ends_with(b"\r\n\r\n") {
        assert_ne!(stream.read_buf(&mut read).await.unwrap(), 0, "the link hung up");
    }
    String::from_utf8(read).unwrap()
}

/// The platform's end of one socket.
struct Peer<S> {
    socket: WebSocketStream<S>,
    path: String,
    headers: HeaderMap,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Peer<S> {
    #[expect(clippy::result_large_err, reason = "the library's own signature")]
    async fn accept(stream: S) -> Self {
        let (mut path, mut headers) = (String::new(), HeaderMap::new());
        let look = |request: &Request, response: Response| {
            path = request.uri().to_string();
            headers = request.headers().clone();
            Ok(response)
        };
        let socket = tokio_tungstenite::accept_hdr_async(stream, look).await.unwrap();
        Self { socket, path, headers }
    }

    /// The next frame from the link.
    async fn frame(&mut self) -> Frame {
        match self.socket.next().await.unwrap().unwrap() {
            Message::Text(text) => Frame::decode(text.as_str()).unwrap(),
            other => panic!("no text: {other:?}"),
        }
    }

    async fn text(&mut self, text: String) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    async fn reply(&mut self, request: &Frame, payload: serde_json::Map<String, Value>) {
        let reply =
            Frame::new(request.join_ref.clone(), request.reference.clone(), &request.topic, reserved::REPLY);
        self.text(reply.with_payload(payload).encode()).await;
    }

    /// Takes the next request and answers it with ok.
    async fn accept_request(&mut self) -> Frame {
        let request = self.frame().await;
        self.reply(&request, reply_ok(json!({}))).await;
        request
    }

    async fn join_own_topics(&mut self) {
        for topic in [format!("agent_control:{AGENT}"), format!("agent_rooms:{AGENT}")] {
            let request = self.accept_request().await;
            assert_eq!((request.event, request.topic), (reserved::JOIN.to_owned(), topic));
        }
    }

    async fn push(&mut self, join_ref: u64, topic: &str, event: &str, payload: &Value) {
        let join_ref = Ref::from(join_ref);
        self.text(Frame::encode_push(Some(&join_ref), topic, event, &payload.to_string())).await;
    }

    async fn push_message(&mut self, id: u128) {
        self.push(3, &format!("chat_room:{}", room(1)), "message_created", &message(id)).await;
    }

    async fn close(&mut self, code: u16) {
        let frame = CloseFrame { code: code.into(), reason: "because".into() };
        self.socket.send(Message::Close(Some(frame))).await.unwrap();
    }

    /// The close frame that the link sends next.
    async fn closed(&mut self) -> (u16, String) {
        loop {
            if let Message::Close(Some(frame)) = self.socket.next().await.unwrap().unwrap() {
                return (frame.code.into(), frame.reason.as_str().to_owned());
            }
        }
    }
}

fn message(id: u128) -> Value {
    json!({
        "id": Uuid::from_u128(id), "content": "hi", "message_type": "text",
        "sender_id": Uuid::from_u128(2), "sender_type": "User", "sender_name": "Ann",
        "metadata": {"mentions": [{"id": AGENT, "handle": "ann/helper", "name": "Helper"}]},
        "inserted_at": "2026-07-01T10:00:00Z", "updated_at": "2026-07-01T10:00:00Z",
    })
}

/// The id of a message, if the event is one.
fn message_id(event: &LinkEvent) -> Option<u128> {
    match event {
        LinkEvent::Message { message, .. } => Some(message.id.uuid().as_u128()),
        _ => None,
    }
}
