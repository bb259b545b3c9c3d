//! The bounded queues of one socket.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use axum::extract::ws::Utf8Bytes;
use band_core::platform::hub::{Close, Lane};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Frames that may wait for one socket. One more ends it: a client that lost one frame must know.
pub(super) const MAX_QUEUED: usize = 4096;
/// Bytes that may wait for one socket.
pub(super) const MAX_QUEUED_BYTES: usize = 16 * 1024 * 1024;
/// Answers to heartbeats that may wait for one socket.
const MAX_URGENT: usize = 16;

/// What the writer of a socket does next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// Write this.
    Text(Utf8Bytes),
    /// Say goodbye, after everything that was queued before.
    Close(Close),
}

/// The end of the queues that the switchboard holds. Nothing here waits.
#[derive(Debug)]
pub(super) struct Outbox {
    ordered: mpsc::Sender<Item>,
    urgent: mpsc::Sender<Utf8Bytes>,
    shared: Arc<Shared>,
}

/// The end of the queues that the socket's writer holds.
#[derive(Debug)]
pub(super) struct Pickup {
    ordered: mpsc::Receiver<Item>,
    urgent: mpsc::Receiver<Utf8Bytes>,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    bytes: AtomicUsize,
    why: OnceLock<Close>,
    cut: CancellationToken,
}

pub(super) fn queues() -> (Outbox, Pickup) {
    let (ordered, ordered_end) = mpsc::channel(MAX_QUEUED);
    let (urgent, urgent_end) = mpsc::channel(MAX_URGENT);
    let shared = Arc::new(Shared::default());
    let pickup = Pickup { ordered: ordered_end, urgent: urgent_end, shared: Arc::clone(&shared) };
    (Outbox { ordered, urgent, shared }, pickup)
}

impl Outbox {
    /// Queues a frame; a full queue cuts the socket off.
    pub(super) fn push(&self, lane: Lane, text: Utf8Bytes) {
        if self.shared.cut.is_cancelled() {
            return;
        }
        let queued = match lane {
            Lane::Urgent => self.urgent.try_send(text).is_ok(),
            Lane::Ordered => {
                let length = text.len();
                let waiting = self.shared.bytes.fetch_add(length, Ordering::Relaxed);
                waiting.saturating_add(length) <= MAX_QUEUED_BYTES
                    && self.ordered.try_send(Item::Text(text)).is_ok()
            }
        };
        if !queued {
            self.cut(Close::TooSlow);
        }
    }

    /// Closes the socket after what is queued; at once where even that doesn't fit.
    pub(super) fn close(&self, close: Close) {
        if self.ordered.try_send(Item::Close(close)).is_err() {
            self.cut(close);
        }
    }

    /// Closes the socket without what is queued.
    pub(super) fn cut(&self, close: Close) {
        self.shared.cut(close);
    }
}

impl Shared {
    fn cut(&self, close: Close) {
        self.why.get_or_init(|| close);
        self.cut.cancel();
    }
}

impl Pickup {
    /// The next thing to do: a cut first, then answers to heartbeats, then the rest in order. None when the
    /// switchboard has let go of the socket.
    pub(super) async fn next(&mut self) -> Option<Item> {
        let item = tokio::select! {
            biased;
            () = self.shared.cut.cancelled() => return self.shared.why.get().copied().map(Item::Close),
            Some(text) = self.urgent.recv() => Item::Text(text),
            item = self.ordered.recv() => {
                let item = item?;
                if let Item::Text(text) = &item {
                    self.shared.bytes.fetch_sub(text.len(), Ordering::Relaxed);
                }
                item
            }
        };
        Some(item)
    }

    /// Whether something waits, so that the writer need not flush yet.
    pub(super) fn has_more(&self) -> bool {
        !self.ordered.is_empty() || !self.urgent.is_empty()
    }

    /// Resolves when the socket is cut off.
    pub(super) fn cut_off(&self) -> CancellationToken {
        self.shared.cut.clone()
    }

    /// Cuts the socket off from the socket's own side.
    pub(super) fn cutter(&self) -> impl Fn(Close) + Send + Sync + use<> {
        let shared = Arc::clone(&self.shared);
        move |close| shared.cut(close)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Item {
        Item::Text(text.into())
    }

    #[tokio::test]
    async fn answers_to_heartbeats_overtake_what_waits() {
        let (outbox, mut pickup) = queues();
        for frame in ["a", "b"] {
            outbox.push(Lane::Ordered, frame.into());
        }
        outbox.push(Lane::Urgent, "beat".into());
        assert_eq!(pickup.next().await, Some(text("beat")));
        assert_eq!(pickup.next().await, Some(text("a")));
        outbox.push(Lane::Urgent, "beat".into());
        assert_eq!(pickup.next().await, Some(text("beat")));
        assert_eq!(pickup.next().await, Some(text("b")));
    }

    #[tokio::test]
    async fn a_close_comes_after_what_was_queued_before() {
        let (outbox, mut pickup) = queues();
        outbox.push(Lane::Ordered, "a".into());
        outbox.close(Close::Superseded);
        assert_eq!(pickup.next().await, Some(text("a")));
        assert_eq!(pickup.next().await, Some(Item::Close(Close::Superseded)));
    }

    #[tokio::test]
    async fn one_frame_too_many_ends_the_socket_instead_of_being_dropped() {
        let (outbox, mut pickup) = queues();
        for _ in 0..MAX_QUEUED {
            outbox.push(Lane::Ordered, "a".into());
        }
        assert_eq!(pickup.shared.why.get(), None);
        outbox.push(Lane::Ordered, "b".into());
        assert_eq!(pickup.next().await, Some(Item::Close(Close::TooSlow)));
    }

    #[tokio::test]
    async fn too_many_bytes_end_the_socket_and_read_bytes_make_room() {
        let (outbox, mut pickup) = queues();
        let big = Utf8Bytes::from("x".repeat(MAX_QUEUED_BYTES / 4));
        for _ in 0..20 {
            outbox.push(Lane::Ordered, big.clone());
            assert_eq!(pickup.next().await, Some(Item::Text(big.clone())));
        }
        for _ in 0..5 {
            outbox.push(Lane::Ordered, big.clone());
        }
        assert_eq!(pickup.next().await, Some(Item::Close(Close::TooSlow)));
    }

    #[tokio::test]
    async fn the_first_reason_to_cut_is_the_one_that_counts() {
        let (outbox, mut pickup) = queues();
        outbox.cut(Close::Idle);
        outbox.cut(Close::TooSlow);
        assert_eq!(pickup.next().await, Some(Item::Close(Close::Idle)));
    }
}
