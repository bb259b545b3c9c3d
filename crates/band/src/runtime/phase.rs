//! The phases of a turn, in the log.

use band_core::room::Answer;
use band_wire::{ChatId, MessageId};
use tokio::time::Instant;
use tracing::Instrument;

use crate::adapter::AdapterErrorKind;
use crate::adapter::dispatch::Dispatched;

/// What a phase comes to.
pub(super) trait Outcome {
    /// In a word: `returned`, `Error`, or `cancelled` when it ended because it was asked to.
    fn state(&self) -> &'static str;
}

impl<T, E> Outcome for Result<T, E> {
    fn state(&self) -> &'static str {
        if self.is_err() { "Error" } else { "returned" }
    }
}

impl Outcome for Answer {
    fn state(&self) -> &'static str {
        if matches!(self, Self::History(Err(_))) { "Error" } else { "returned" }
    }
}

impl Outcome for Dispatched {
    fn state(&self) -> &'static str {
        match self {
            Self::Turn(Err(err)) if err.kind() == AdapterErrorKind::Cancelled => "cancelled",
            Self::Turn(Err(_)) => "Error",
            Self::WithoutTurn | Self::Turn(Ok(())) => "returned",
        }
    }
}

/// Runs one phase, in a span of its own, and [tells](told) of it.
pub(super) async fn phase<T: Outcome>(
    name: &'static str,
    room: ChatId,
    message: MessageId,
    step: impl Future<Output = T>,
) -> T {
    let span = tracing::debug_span!(
        target: "band.phase", "phase", otel.name = name, room = %room, message_id = %message,
    );
    told(name, room, message, step.instrument(span)).await
}

/// Says at DEBUG when a phase starts and how it ends: `returned`, `Error`, or `cancelled` when it is dropped.
pub(super) async fn told<T: Outcome>(
    name: &'static str,
    room: ChatId,
    message: MessageId,
    step: impl Future<Output = T>,
) -> T {
    let mut watch = Watch { name, room, message, began: Instant::now(), state: "cancelled" };
    tracing::debug!(target: "band.room", "Turn phase={name} state=started room={room} message={message}");
    let outcome = step.await;
    watch.state = outcome.state();
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
        let state = if std::thread::panicking() { "Error" } else { state };
        let elapsed = began.elapsed().as_secs_f64();
        tracing::debug!(
            target: "band.room",
            "Turn phase={name} state={state} room={room} message={message} elapsed={elapsed:.3}",
        );
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;
    use std::sync::{Arc, Mutex};

    use band_wire::Id;
    use tracing::field::{Field, Visit};
    use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
    use uuid::Uuid;

    use super::*;

    /// The lines of the log.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<String>>>);

    impl<S: tracing::Subscriber> Layer<S> for Lines {
        fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
            event.record(&mut self.clone());
        }
    }

    impl Visit for Lines {
        fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
            if field.name() == "message" {
                self.0.lock().unwrap().push(format!("{value:?}"));
            }
        }
    }

    #[tokio::test]
    async fn a_phase_says_when_it_starts_and_how_it_ends() {
        let lines = Lines::default();
        let _log = tracing::subscriber::set_default(tracing_subscriber::registry().with(lines.clone()));
        let (room, message) = (Id::new(Uuid::nil()), Id::new(Uuid::nil()));
        let run = |outcome: Result<(), ()>| phase("claim", room, message, async move { outcome });
        let _ = run(Ok(())).await;
        let _ = run(Err(())).await;
        let hangs = phase("ack", room, message, std::future::pending::<Result<(), ()>>());
        assert!(futures_util::FutureExt::now_or_never(hangs).is_none());
        let said = lines.0.lock().unwrap();
        let said: Vec<&str> = said.iter().map(|line| line.split(" room=").next().unwrap()).collect();
        assert_eq!(
            said,
            [
                "Turn phase=claim state=started",
                "Turn phase=claim state=returned",
                "Turn phase=claim state=started",
                "Turn phase=claim state=Error",
                "Turn phase=ack state=started",
                "Turn phase=ack state=cancelled",
            ]
        );
    }
}
