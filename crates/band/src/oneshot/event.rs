//! What comes in and what goes out.

use band_core::oneshot::Outcome;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

/// An event as a forwarder hands it on. What else stands in the envelope is passed over.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct Event {
    /// `message_created`, `room_removed`, …
    #[serde(default)]
    pub event_type: String,
    /// Whose; none means the invoker's.
    #[serde(default)]
    pub agent_id: Option<String>,
    /// The room; none or empty when the payload says it.
    #[serde(default)]
    pub room_id: Option<String>,
    /// What the platform pushed.
    #[serde(default)]
    pub payload: Value,
}

/// What became of an event. As JSON it is what the Python SDK gives: `status`, and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handled(pub Outcome);

impl Handled {
    /// `ignored`, `cleaned_up`, `skipped_self`, `no_pending`, `already_processed`, `not_accepted` or `done`.
    pub const fn status(&self) -> &'static str {
        match &self.0 {
            Outcome::Ignored { .. } => "ignored",
            Outcome::CleanedUp { .. } => "cleaned_up",
            Outcome::SkippedSelf { .. } => "skipped_self",
            Outcome::NoPending { .. } => "no_pending",
            Outcome::AlreadyProcessed { .. } => "already_processed",
            Outcome::NotAccepted { .. } => "not_accepted",
            Outcome::Done { .. } => "done",
        }
    }

    fn details(&self) -> Value {
        match &self.0 {
            Outcome::Ignored { event } => json!({"event_type": event}),
            Outcome::CleanedUp { event, room } => json!({"event_type": event, "room_id": room}),
            Outcome::SkippedSelf { message } | Outcome::NoPending { message } => {
                json!({"message_id": message})
            }
            Outcome::AlreadyProcessed { message, next_open } => {
                json!({"message_id": message, "next_open": next_open})
            }
            Outcome::NotAccepted { room, message } => json!({"room_id": room, "message_id": message}),
            Outcome::Done { room, message, drained, drain_truncated, history_truncated } => json!({
                "room_id": room,
                "message_id": message,
                "drained": Some(drained).filter(|drained| !drained.is_empty()),
                "drain_truncated": Some(true).filter(|_| *drain_truncated),
                "history_truncated": Some(true).filter(|_| *history_truncated),
            }),
        }
    }
}

impl Serialize for Handled {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = Map::from_iter([("status".to_owned(), self.status().into())]);
        if let Value::Object(details) = self.details() {
            map.extend(details.into_iter().filter(|(_, value)| !value.is_null()));
        }
        map.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use band_wire::Id;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn what_has_nothing_to_say_is_left_out() {
        let (room, message) = (Id::new(Uuid::nil()), Id::new(Uuid::nil()));
        let done = |drained: Vec<_>, cut| {
            let (drain_truncated, history_truncated) = (cut, cut);
            let outcome = Outcome::Done { room, message, drained, drain_truncated, history_truncated };
            serde_json::to_value(Handled(outcome)).unwrap()
        };
        let nil = Uuid::nil();
        assert_eq!(done(vec![], false), json!({"status": "done", "room_id": nil, "message_id": nil}));
        let whole = json!({
            "status": "done", "room_id": nil, "message_id": nil, "drained": [nil], "drain_truncated": true,
            "history_truncated": true,
        });
        assert_eq!(done(vec![message], true), whole);
        let busy = serde_json::to_value(Handled(Outcome::NotAccepted { room: None, message })).unwrap();
        assert_eq!(busy, json!({"status": "not_accepted", "message_id": nil}));
    }

    #[test]
    fn an_envelope_may_say_more_or_less() {
        let event: Event =
            serde_json::from_str(r#"{"event_type": "x", "raw": {}, "room_id": null}"#).unwrap();
        assert_eq!(event, Event { event_type: "x".to_owned(), ..Event::default() });
    }
}
