//! One open socket: writes what is queued, reads what comes, both at once.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use band_core::link::{Gone, Received};
use futures_util::{Sink, Stream as _, StreamExt};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{self, Message};

use super::dial::Stream;

/// An open socket. Dropping it drops the connection without a word.
pub(super) struct Socket {
    stream: WebSocketStream<Stream>,
    /// Bounded by the machine: it sends a few frames for each room that its owner wants.
    unsent: VecDeque<String>,
    /// The last write failed. What had come in before is still read.
    mute: Option<String>,
}

impl Socket {
    pub(super) const fn new(stream: WebSocketStream<Stream>) -> Self {
        Self { stream, unsent: VecDeque::new(), mute: None }
    }

    /// Queues a text. [`next`](Self::next) sends it.
    pub(super) fn send(&mut self, text: String) {
        self.unsent.push_back(text);
    }

    /// What comes in next; meanwhile everything queued goes out. May be dropped and called again.
    pub(super) async fn next(&mut self) -> Result<Received, Gone> {
        poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Received, Gone>> {
        if self.mute.is_none()
            && let Poll::Ready(Err(err)) = self.poll_write(cx)
        {
            self.mute = Some(format!("write: {err}"));
        }
        match Pin::new(&mut self.stream).poll_next(cx) {
            Poll::Ready(Some(Ok(message))) => Poll::Ready(received(message)),
            Poll::Ready(Some(Err(err))) => Poll::Ready(Err(broken(&err))),
            Poll::Ready(None) => Poll::Ready(Err(Gone::Broken("the stream ended".to_owned()))),
            Poll::Pending => match self.mute.take() {
                Some(why) => Poll::Ready(Err(Gone::Broken(why))),
                None => Poll::Pending,
            },
        }
    }

    /// Writes what the connection takes. Answers to pings are flushed along.
    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), tungstenite::Error>> {
        let mut stream = Pin::new(&mut self.stream);
        while !self.unsent.is_empty() {
            ready!(stream.as_mut().poll_ready(cx))?;
            if let Some(text) = self.unsent.pop_front() {
                stream.as_mut().start_send(Message::text(text))?;
            }
        }
        stream.poll_flush(cx)
    }

    /// Says goodbye and waits for the other end to do the same, within a limit.
    pub(super) async fn close(mut self, code: u16, reason: &'static str, limit: Duration) {
        let frame = CloseFrame { code: code.into(), reason: reason.into() };
        let goodbye = async {
            // Refused where the other end has closed already: then the answer to that is still to be written,
            // which reading does.
            let _ = self.stream.close(Some(frame)).await;
            while let Some(Ok(_)) = self.stream.next().await {}
        };
        // A peer that does not answer is left behind.
        let _ = timeout(limit, goodbye).await;
    }
}

fn received(message: Message) -> Result<Received, Gone> {
    match message {
        Message::Text(text) => Ok(Received::Text(text.as_str().to_owned())),
        Message::Binary(bytes) => Ok(Received::Binary(bytes.to_vec())),
        Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => Ok(Received::Alive),
        Message::Close(None) => Err(Gone::Closed { code: None, reason: String::new() }),
        Message::Close(Some(frame)) => {
            Err(Gone::Closed { code: Some(frame.code.into()), reason: frame.reason.as_str().to_owned() })
        }
    }
}

fn broken(err: &tungstenite::Error) -> Gone {
    Gone::Broken(format!("read: {err}"))
}
