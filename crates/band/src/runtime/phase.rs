//! The phases of a turn, in the log.

use band_wire::{ChatId, MessageId};
use tokio::time::Instant;
use tracing::Instrument;

/// Runs one phase, and says at DEBUG when it starts and how it ends: `returned`, or `cancelled` when it is dropped.
pub(super) async fn phase<T>(
    name: &'static str,
    room: ChatId,
    message: MessageId,
    step: impl Future<Output = T>,
) -> T {
    let mut watch = Watch { name, room, message, began: Instant::now(), state: "cancelled" };
    tracing::debug!(target: "band.room", "Turn phase={name} state=started room={room} message={message}");
    let span = tracing::debug_span!(
        target: "band.phase", "phase", otel.name = name, room = %room, message_id = %message,
    );
    let outcome = step.instrument(span).await;
    watch.state = "returned";
    outcome
}

struct Watch {
    name: &'static str,
    room: ChatId,
    message: MessageId,
    began: Instant,
    state: &'static str,
}

impl Drop for Watch {
    fn drop(&mut self) {
        let Self { name, room, message, began, state } = self;
        let elapsed = began.elapsed().as_secs_f64();
        tracing::debug!(
            target: "band.room",
            "Turn phase={name} state={state} room={room} message={message} elapsed={elapsed:.3}",
        );
    }
}
