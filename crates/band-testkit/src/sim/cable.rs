//! A simulated connection: bytes that take their time, and may stop to arrive.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::chance::Chance;

/// Bytes that may be under way in one direction; more wait at the writer.
const IN_FLIGHT: usize = 256 * 1024;

/// One direction.
#[derive(Debug)]
struct Pipe {
    under_way: VecDeque<(Instant, Vec<u8>)>,
    bytes: usize,
    /// What was sent last arrives then; nothing overtakes it.
    last: Instant,
    /// No more comes after this moment, or ever: the way it ends.
    end: Option<(Instant, End)>,
    is_silent: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
    chance: Chance,
    latency: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The writer has finished.
    Finished,
    /// The connection is broken.
    Reset,
}

impl Pipe {
    fn new(chance: Chance, latency: u64) -> Self {
        Self {
            under_way: VecDeque::new(),
            bytes: 0,
            last: Instant::now(),
            end: None,
            is_silent: false,
            reader: None,
            writer: None,
            chance,
            latency,
        }
    }

    fn arrival(&mut self) -> Instant {
        let way = self.chance.millis(0, self.latency);
        self.last = self.last.max(Instant::now() + way);
        self.last
    }

    fn finish(&mut self, end: End) {
        if self.is_silent || self.end.is_some() {
            return;
        }
        let at = if end == End::Reset { Instant::now() } else { self.arrival() };
        if end == End::Reset {
            self.under_way.clear();
        }
        self.end = Some((at, end));
        self.wake();
    }

    fn wake(&mut self) {
        [self.reader.take(), self.writer.take()].into_iter().flatten().for_each(Waker::wake);
    }
}

type Shared = Arc<Mutex<Pipe>>;

fn lock(pipe: &Shared) -> MutexGuard<'_, Pipe> {
    pipe.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Both directions, for whoever cuts them.
#[derive(Debug, Clone)]
pub(crate) struct Cable {
    there: Shared,
    back: Shared,
}

impl Cable {
    /// Breaks the connection; both ends notice.
    pub(crate) fn cut(&self) {
        lock(&self.there).finish(End::Reset);
        lock(&self.back).finish(End::Reset);
    }

    /// Whether it was broken or fell silent.
    pub(crate) fn is_disturbed(&self) -> bool {
        [&self.there, &self.back].iter().any(|pipe| {
            let pipe = lock(pipe);
            pipe.is_silent || matches!(pipe.end, Some((_, End::Reset)))
        })
    }

    /// Nothing arrives any more, and nobody notices.
    pub(crate) fn silence(&self) {
        for pipe in [&self.there, &self.back] {
            let mut pipe = lock(pipe);
            pipe.is_silent = true;
            pipe.under_way.clear();
            pipe.bytes = 0;
        }
    }
}

/// One end of a connection.
#[derive(Debug)]
pub(crate) struct Plug {
    read: Shared,
    write: Shared,
    alarm: Option<Pin<Box<Sleep>>>,
}

/// A new connection: this end, the other one, and what is between them.
pub(crate) fn connect(chance: &mut Chance, latency: u64) -> (Plug, Plug, Cable) {
    let there = Arc::new(Mutex::new(Pipe::new(chance.fork(), latency)));
    let back = Arc::new(Mutex::new(Pipe::new(chance.fork(), latency)));
    let near = Plug { read: Arc::clone(&back), write: Arc::clone(&there), alarm: None };
    let far = Plug { read: Arc::clone(&there), write: Arc::clone(&back), alarm: None };
    (near, far, Cable { there, back })
}

impl Plug {
    /// Waits until a moment; ready when it has come.
    fn wait(&mut self, at: Instant, cx: &mut Context<'_>) -> Poll<()> {
        if at <= Instant::now() {
            return Poll::Ready(());
        }
        let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep_until(at)));
        if alarm.deadline() != at {
            alarm.as_mut().reset(at);
        }
        alarm.as_mut().poll(cx)
    }
}

impl AsyncRead for Plug {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let due = {
            let mut pipe = lock(&self.read);
            pipe.reader = Some(cx.waker().clone());
            match (pipe.under_way.front(), pipe.end) {
                (Some((at, _)), _) => *at,
                (None, Some((at, _))) => at,
                (None, None) => return Poll::Pending,
            }
        };
        if self.wait(due, cx).is_pending() {
            return Poll::Pending;
        }
        let mut pipe = lock(&self.read);
        if let Some((at, mut chunk)) = pipe.under_way.pop_front() {
            let fits = chunk.len().min(into.remaining());
            let rest = chunk.split_off(fits);
            into.put_slice(&chunk);
            pipe.bytes = pipe.bytes.saturating_sub(fits);
            if !rest.is_empty() {
                pipe.under_way.push_front((at, rest));
            }
            if let Some(writer) = pipe.writer.take() {
                writer.wake();
            }
            return Poll::Ready(Ok(()));
        }
        match pipe.end {
            Some((_, End::Reset)) => Poll::Ready(Err(io::ErrorKind::ConnectionReset.into())),
            _ => Poll::Ready(Ok(())),
        }
    }
}

impl AsyncWrite for Plug {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let mut pipe = lock(&self.write);
        if pipe.is_silent {
            return Poll::Ready(Ok(bytes.len()));
        }
        if pipe.end.is_some() {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        if pipe.bytes >= IN_FLIGHT {
            pipe.writer = Some(cx.waker().clone());
            return Poll::Pending;
        }
        let at = pipe.arrival();
        pipe.bytes += bytes.len();
        pipe.under_way.push_back((at, bytes.to_vec()));
        if let Some(reader) = pipe.reader.take() {
            reader.wake();
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        lock(&self.write).finish(End::Finished);
        Poll::Ready(Ok(()))
    }
}

/// The system closes what a process leaves open.
impl Drop for Plug {
    fn drop(&mut self) {
        lock(&self.write).finish(End::Finished);
        // Whoever writes to it from here on is told.
        let mut read = lock(&self.read);
        if read.end.is_none() && !read.is_silent {
            read.end = Some((Instant::now() + Duration::ZERO, End::Finished));
            read.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn bytes_arrive_in_order_whatever_time_each_takes() {
        let (mut near, mut far, _cable) = connect(&mut Chance::new(1), 500);
        for n in 0..50_u8 {
            near.write_all(&[n]).await.unwrap();
        }
        drop(near);
        let mut read = Vec::new();
        far.read_to_end(&mut read).await.unwrap();
        assert_eq!(read, (0..50).collect::<Vec<u8>>());
    }

    #[tokio::test(start_paused = true)]
    async fn a_cut_is_noticed_on_both_ends_and_silence_on_none() {
        let (mut near, mut far, cable) = connect(&mut Chance::new(1), 10);
        cable.cut();
        assert!(near.read_u8().await.is_err());
        assert!(far.write_all(b"x").await.is_err());
        let (mut near, mut far, cable) = connect(&mut Chance::new(1), 10);
        cable.silence();
        near.write_all(b"x").await.unwrap();
        assert!(tokio::time::timeout(Duration::from_secs(3600), far.read_u8()).await.is_err());
    }
}
