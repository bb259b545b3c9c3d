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

/// Frames that may wait to be written: three for each of 20 000 rooms.
const MAX_UNSENT: usize = 64 * 1024;
/// Bytes that may.
const MAX_UNSENT_BYTES: usize = 16 * 1024 * 1024;

/// An open socket. Dropping it drops the connection without a word.
pub(super) struct Socket {
    stream: WebSocketStream<Stream>,
    /// The machine sends a few frames for each room that its owner wants. A peer that takes none of them for so long
    /// that this is full is given up: a new socket starts over.
    unsent: VecDeque<String>,
    unsent_bytes: usize,
    /// The last write failed. What had come in before is still read.
    mute: Option<String>,
}

impl Socket {
    pub(super) const fn new(stream: WebSocketStream<Stream>) -> Self {
        Self { stream, unsent: VecDeque::new(), unsent_bytes: 0, mute: None }
    }

    /// Queues a text. [`next`](Self::next) sends it.
    pub(super) fn send(&mut self, text: String) {
        let bytes = self.unsent_bytes.saturating_add(text.len());
        if self.unsent.len() >= MAX_UNSENT || bytes > MAX_UNSENT_BYTES {
            self.mute.get_or_insert_with(|| "write: the other end takes nothing any more".to_owned());
        }
        if self.mute.is_none() {
            self.unsent_bytes = bytes;
            self.unsent.push_back(text);
        }
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
                self.unsent_bytes = self.unsent_bytes.saturating_sub(text.len());
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

#[cfg(test)]
mod tests {
    use tokio_tungstenite::tungstenite::protocol::Role;

    use super::*;

    /// A socket whose other end reads nothing.
    async fn stuck() -> (Socket, tokio::io::DuplexStream) {
        let (near, far) = tokio::io::duplex(1);
        let stream: Stream = Box::new(near);
        (Socket::new(WebSocketStream::from_raw_socket(stream, Role::Client, None).await), far)
    }

    #[tokio::test]
    async fn a_peer_that_takes_nothing_is_given_up_when_too_much_waits() {
        for (frames, text) in [(MAX_UNSENT + 1, "x".to_owned()), (17, "x".repeat(MAX_UNSENT_BYTES / 16))] {
            let (mut socket, _far) = stuck().await;
            for _ in 0..frames - 1 {
                socket.send(text.clone());
            }
            assert_eq!(socket.mute, None);
            socket.send(text);
            let gone = socket.next().await.unwrap_err();
            assert!(matches!(&gone, Gone::Broken(why) if why.contains("takes nothing")), "{gone:?}");
            assert_eq!(socket.unsent.len(), frames - 1);
        }
    }
}
