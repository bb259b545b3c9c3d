//! A small client of the socket.

use std::collections::VecDeque;

use futures_util::{SinkExt, StreamExt};
use http::{HeaderMap, HeaderValue};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use super::{PATIENCE, Party, Site};

/// An open socket. Frames that nobody asked for yet are kept.
pub(crate) struct Phoenix {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    refs: u64,
    kept: VecDeque<Value>,
}

/// An upgrade that was turned down.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) error: Value,
    pub(crate) headers: HeaderMap,
}

impl Phoenix {
    /// Opens a socket with a key in the header.
    pub(crate) async fn open(site: &Site, who: &Party) -> Self {
        Self::try_open(site, "vsn=2.0.0", &[("x-api-key", &who.key)]).await.unwrap()
    }

    pub(crate) async fn try_open(
        site: &Site,
        query: &str,
        headers: &[(&str, &str)],
    ) -> Result<Self, Refusal> {
        Self::try_open_at(&format!("ws://{}/api/v1/socket/websocket?{query}", site.addr()), headers).await
    }

    pub(crate) async fn try_open_at(url: &str, headers: &[(&str, &str)]) -> Result<Self, Refusal> {
        let mut request = url.into_client_request().unwrap();
        for (name, value) in headers {
            let name = http::HeaderName::from_bytes(name.as_bytes()).unwrap();
            request.headers_mut().insert(name, HeaderValue::from_str(value).unwrap());
        }
        match timeout(PATIENCE, tokio_tungstenite::connect_async(request)).await.unwrap() {
            Ok((socket, _)) => Ok(Self { socket, refs: 0, kept: VecDeque::new() }),
            Err(tungstenite::Error::Http(response)) => {
                let body = response.body().as_deref().unwrap_or_default();
                let body: Value = serde_json::from_slice(body).unwrap_or_default();
                Err(Refusal {
                    status: response.status().as_u16(),
                    error: body["error"].clone(),
                    headers: response.headers().clone(),
                })
            }
            Err(err) => panic!("no upgrade: {err}"),
        }
    }

    pub(crate) async fn send(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    pub(crate) async fn send_raw(&mut self, message: Message) {
        self.socket.send(message).await.unwrap();
    }

    pub(crate) fn next_ref(&mut self) -> String {
        self.refs += 1;
        self.refs.to_string()
    }

    /// Joins, and gives the join_ref.
    pub(crate) async fn join(&mut self, topic: &str) -> String {
        let (join_ref, reply) = self.try_join(topic).await;
        assert_eq!(reply["status"], "ok", "{topic}: {reply}");
        join_ref
    }

    /// Joins, and gives the join_ref and the reply's payload.
    pub(crate) async fn try_join(&mut self, topic: &str) -> (String, Value) {
        let join_ref = self.next_ref();
        self.send(&json!([join_ref, join_ref, topic, "phx_join", {}]).to_string()).await;
        let reply = self.reply(&join_ref).await;
        assert_eq!(reply[0], json!(join_ref));
        assert_eq!(reply[2], json!(topic));
        (join_ref, reply[4].clone())
    }

    pub(crate) async fn leave(&mut self, topic: &str, join_ref: &str) -> Value {
        let reference = self.next_ref();
        self.send(&json!([join_ref, reference, topic, "phx_leave", {}]).to_string()).await;
        self.reply(&reference).await
    }

    pub(crate) async fn heartbeat(&mut self) -> Value {
        let reference = self.next_ref();
        self.send(&json!([null, reference, "phoenix", "heartbeat", {}]).to_string()).await;
        self.reply(&reference).await
    }

    /// The reply with this ref.
    pub(crate) async fn reply(&mut self, reference: &str) -> Value {
        self.find(|frame| frame[3] == "phx_reply" && frame[1] == reference).await
    }

    /// The next frame with this event.
    pub(crate) async fn event(&mut self, event: &str) -> Value {
        self.find(|frame| frame[3] == event).await
    }

    /// The next frame of any kind.
    pub(crate) async fn next(&mut self) -> Value {
        self.find(|_| true).await
    }

    async fn find(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&wanted) {
            return self.kept.remove(at).unwrap();
        }
        loop {
            match self.receive().await {
                Ok(frame) if wanted(&frame) => return frame,
                Ok(frame) => self.kept.push_back(frame),
                Err(close) => panic!("closed with {close:?} while waiting; kept: {:?}", self.kept),
            }
        }
    }

    /// Everything that comes before an answer to a heartbeat sent now: what was on its way.
    pub(crate) async fn settled(&mut self) -> Vec<Value> {
        self.heartbeat().await;
        self.kept.drain(..).collect()
    }

    /// Reads until the socket is closed; the code, none without a closing handshake.
    pub(crate) async fn closed(&mut self) -> Option<u16> {
        loop {
            match self.receive().await {
                Ok(frame) => self.kept.push_back(frame),
                Err(close) => return close,
            }
        }
    }

    /// What was read while waiting for something else.
    pub(crate) fn kept(&self) -> Vec<Value> {
        self.kept.iter().cloned().collect()
    }

    async fn receive(&mut self) -> Result<Value, Option<u16>> {
        loop {
            match timeout(PATIENCE, self.socket.next()).await.expect("nothing came") {
                Some(Ok(Message::Text(text))) => {
                    let frame: Value = serde_json::from_str(&text).unwrap();
                    assert_eq!(frame.as_array().map(Vec::len), Some(5), "{frame}");
                    assert!(frame[4].is_object(), "{frame}");
                    return Ok(frame);
                }
                Some(Ok(Message::Close(frame))) => return Err(frame.map(|frame| frame.code.into())),
                Some(Ok(Message::Binary(_))) => panic!("a binary message"),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(None),
            }
        }
    }

    pub(crate) async fn close(mut self) {
        self.socket.close(None).await.unwrap();
        while let Some(Ok(_)) = timeout(PATIENCE, self.socket.next()).await.unwrap() {}
    }

    /// Ends the connection without a word.
    pub(crate) fn abort(self) {
        drop(self.socket);
    }
}

#[track_caller]
pub(crate) fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}
