//! What a link writes to the log. Never a key, a query or the content of a message.

use band_core::link::{LinkEvent, Note, StopReason};

/// Remembers how often in a row the link failed to connect, so that an outage does not fill the log.
#[derive(Debug, Default)]
pub(super) struct Log {
    failures: u32,
}

impl Log {
    pub(super) fn note(&self, note: &Note) {
        match note {
            Note::Malformed(err) => tracing::warn!(target: "band.link", %err, "skipped a malformed frame"),
            Note::Invalid { topic, error } => {
                tracing::error!(target: "band.link", %topic, %error, "dropped an invalid event");
            }
            Note::TopicNotJoined { topic, reason } => {
                tracing::warn!(target: "band.link", %topic, reason, "topic not joined, trying again");
            }
            _ => tracing::debug!(target: "band.link", ?note, "note"),
        }
    }

    pub(super) fn event(&mut self, event: Option<&LinkEvent>) {
        match event {
            Some(LinkEvent::Connected { reconnect }) => {
                self.failures = 0;
                tracing::info!(target: "band.link", reconnect, "connected");
            }
            Some(LinkEvent::Disconnected { reason, retry_in }) => {
                self.failures = self.failures.saturating_add(1);
                // The first, second, fourth, eighth… in a row are worth a warning.
                if self.failures.is_power_of_two() {
                    tracing::warn!(target: "band.link", %reason, ?retry_in, failures = self.failures,
                        "no connection");
                } else {
                    tracing::debug!(target: "band.link", %reason, ?retry_in, "no connection");
                }
            }
            Some(LinkEvent::RoomJoinFailed { room, reason, retry_in }) => {
                tracing::warn!(target: "band.link", %room, reason, ?retry_in, "room not joined");
            }
            Some(LinkEvent::Overflow { room }) => {
                tracing::warn!(target: "band.link", %room, "events dropped, the room needs a resync");
            }
            Some(LinkEvent::Ended(StopReason::Superseded { reason, retryable, correlation_id, .. })) => {
                let correlation_id = correlation_id.as_deref().unwrap_or("none");
                tracing::warn!(target: "band.link",
                    "WebSocket connection superseded: reason={reason} retryable={retryable} \
                     correlation_id={correlation_id}");
            }
            Some(LinkEvent::Ended(StopReason::Requested)) => {
                tracing::debug!(target: "band.link", "closed on request");
            }
            Some(LinkEvent::Ended(reason)) => tracing::error!(target: "band.link", %reason, "link ended"),
            _ => {}
        }
    }
}
