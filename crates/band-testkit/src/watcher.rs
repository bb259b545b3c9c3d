//! What a person sees live: the user's socket.

use std::time::Duration;

use band_wire::phx::{Frame, Ref, Topic, VSN, reserved};
use band_wire::rest::Message;
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::{self, protocol};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use crate::{Error, PATIENCE, Result};

/// Frames that are kept to be shown when something did not come.
const SHOWN_FRAMES: usize = 30;
/// How often the platform is told that somebody is still there, well within its idle time.
const BEAT: Duration = Duration::from_secs(30);

/// A user's socket, read by the test itself.
#[derive(Debug)]
pub struct Watcher {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    next_ref: u64,
    beat_at: Instant,
    waiting: std::collections::VecDeque<Seen>,
    shown: std::collections::VecDeque<String>,
}

/// One push.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// Where.
    pub topic: String,
    /// What.
    pub event: String,
    /// The payload.
    pub payload: Map<String, Value>,
}

impl Seen {
    /// The message of a `message_created` or `message_updated`, or the event of an `event_created`.
    pub fn message(&self) -> Option<Message> {
        if !matches!(self.event.as_str(), "message_created" | "message_updated" | "event_created") {
            return None;
        }
        Message::deserialize(Value::Object(self.payload.clone())).ok()
    }
}

impl Watcher {
    /// Connects with a key.
    ///
    /// # Errors
    /// [`Error::Socket`] when the platform refuses.
    pub async fn open(ws_url: &str, key: &str) -> Result<Self> {
        let mut request = format!("{ws_url}?vsn={VSN}").into_client_request().map_err(Box::new)?;
        let value = HeaderValue::from_str(key).map_err(|error| Error::shape("the key", error))?;
        request.headers_mut().insert("x-api-key", value);
        let (socket, _) = tokio_tungstenite::connect_async(request).await.map_err(Box::new)?;
        let beat_at = Instant::now() + BEAT;
        Ok(Self { socket, next_ref: 1, beat_at, waiting: Default::default(), shown: Default::default() })
    }

    /// Joins a topic and gives the reply's response.
    ///
    /// # Errors
    /// [`Error::Shape`] with the reason when the join is refused.
    pub async fn join(&mut self, topic: Topic) -> Result<Value> {
        let topic = topic.to_string();
        let reference = Ref::from(self.next_ref);
        self.next_ref += 1;
        let frame = Frame::new(Some(reference.clone()), Some(reference.clone()), &topic, reserved::JOIN);
        self.send(&frame).await?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let frame = self.frame(&format!("the reply to the join of {topic}"), deadline, PATIENCE).await?;
            if frame.event != reserved::REPLY || frame.reference.as_ref() != Some(&reference) {
                self.keep(frame);
                continue;
            }
            let response = frame.payload.get("response").cloned().unwrap_or_default();
            return match frame.payload.get("status").and_then(Value::as_str) {
                Some("ok") => Ok(response),
                _ => Err(Error::shape(format!("the reply to the join of {topic}"), response)),
            };
        }
    }

    /// The first push, of those not yet given, that `wanted` turns into something. Those before it are
    /// passed over.
    ///
    /// # Errors
    /// [`Error::Late`] or [`Error::Ended`], with the pushes seen.
    pub async fn until<T>(
        &mut self,
        what: &str,
        within: Duration,
        mut wanted: impl FnMut(&Seen) -> Option<T>,
    ) -> Result<T> {
        let deadline = Instant::now() + within;
        loop {
            while let Some(seen) = self.waiting.pop_front() {
                if let Some(found) = wanted(&seen) {
                    return Ok(found);
                }
            }
            let frame = self.frame(what, deadline, within).await?;
            self.keep(frame);
        }
    }

    /// The first text message that `wanted` accepts.
    ///
    /// # Errors
    /// As [`Self::until`].
    pub async fn message(&mut self, what: &str, wanted: impl Fn(&Message) -> bool) -> Result<Message> {
        self.until(what, PATIENCE, |seen| {
            seen.message().filter(|message| seen.event == "message_created" && wanted(message))
        })
        .await
    }

    /// Ends the connection.
    ///
    /// # Errors
    /// [`Error::Socket`] when it was broken already.
    pub async fn close(mut self) -> Result<()> {
        self.socket.close(None).await.map_err(Box::new)?;
        Ok(())
    }

    /// Keeps the connection alive. Reading does it by itself; this is for tests that pause between reads.
    ///
    /// # Errors
    /// [`Error::Socket`] when it is broken.
    pub async fn heartbeat(&mut self) -> Result<()> {
        let reference = Ref::from(self.next_ref);
        self.next_ref += 1;
        self.beat_at = Instant::now() + BEAT;
        self.send(&Frame::new(None, Some(reference), reserved::PHOENIX, reserved::HEARTBEAT)).await
    }

    async fn send(&mut self, frame: &Frame) -> Result<()> {
        let text = protocol::Message::Text(frame.encode().into());
        self.socket.send(text).await.map_err(Box::new)?;
        Ok(())
    }

    async fn frame(&mut self, what: &str, deadline: Instant, within: Duration) -> Result<Frame> {
        loop {
            if Instant::now() >= self.beat_at {
                self.heartbeat().await?;
            }
            let wake = deadline.min(self.beat_at);
            let Ok(read) = timeout_at(wake, self.socket.next()).await else {
                if wake < deadline {
                    continue;
                }
                return Err(Error::Late {
                    who: "the user's socket".to_owned(),
                    what: what.to_owned(),
                    waited: within,
                    seen: self.seen(),
                });
            };
            match read {
                Some(Ok(tungstenite::Message::Text(text))) => {
                    if self.shown.len() == SHOWN_FRAMES {
                        self.shown.pop_front();
                    }
                    self.shown.push_back(text.chars().take(400).collect());
                    return Frame::decode(&text).map_err(|error| Error::shape("a frame", error));
                }
                Some(Ok(tungstenite::Message::Close(_))) | None => {
                    return Err(Error::Ended {
                        who: "the user's socket".to_owned(),
                        what: what.to_owned(),
                        seen: self.seen(),
                    });
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(Box::new(error).into()),
            }
        }
    }

    fn keep(&mut self, frame: Frame) {
        if frame.event != reserved::REPLY {
            self.waiting.push_back(Seen { topic: frame.topic, event: frame.event, payload: frame.payload });
        }
    }

    fn seen(&self) -> String {
        self.shown.iter().fold(String::new(), |all, frame| all + "  | " + frame + "\n")
    }
}
