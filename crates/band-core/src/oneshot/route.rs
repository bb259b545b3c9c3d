//! What an event is for.

use band_wire::event::{Issue, IssueCode, ValidationError, name, validate};
use serde_json::Value;

use super::is_self_echo;

/// An event as a forwarder hands it on, unread.
#[derive(Debug, Clone, Copy)]
pub struct Envelope<'a> {
    /// The name of the event.
    pub event: &'a str,
    /// The room, if the forwarder says it. Empty counts as none.
    pub room: Option<&'a str>,
    /// What the platform pushed.
    pub payload: &'a Value,
}

/// What becomes of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// A message for the agent.
    Invocation {
        /// The room.
        room: String,
        /// The message.
        message: String,
    },
    /// The agent's own message.
    SkipSelf {
        /// The room.
        room: String,
        /// The message.
        message: String,
    },
    /// The agent is out of this room.
    Cleanup {
        /// The room.
        room: String,
    },
    /// Not for a one-shot host.
    Ignored,
}

/// Reads an envelope. Of a message the whole payload has to be valid, of a removal nothing but the room.
///
/// # Errors
/// All issues of the payload, or that no room is named.
pub fn route(envelope: Envelope<'_>, agent: &str) -> Result<Route, ValidationError> {
    match envelope.event {
        name::MESSAGE_CREATED => message(envelope, agent),
        name::ROOM_REMOVED | name::ROOM_DELETED => Ok(Route::Cleanup { room: room(envelope, "id")? }),
        _ => Ok(Route::Ignored),
    }
}

fn message(envelope: Envelope<'_>, agent: &str) -> Result<Route, ValidationError> {
    let payload = validate(envelope.event, envelope.payload.clone())?;
    let text = |key| payload.get(key).and_then(Value::as_str).unwrap_or_default();
    let message = text("id").to_owned();
    if message.is_empty() {
        return Err(issue("id", IssueCode::Missing, "id must be a non-empty string".to_owned()));
    }
    let room = room(envelope, "chat_room_id")?;
    let is_own = is_self_echo(text("sender_id"), text("sender_type"), agent);
    Ok(if is_own { Route::SkipSelf { room, message } } else { Route::Invocation { room, message } })
}

/// The room of the envelope, or else of the payload.
fn room(envelope: Envelope<'_>, key: &str) -> Result<String, ValidationError> {
    if let Some(room) = envelope.room.filter(|room| !room.is_empty()) {
        return Ok(room.to_owned());
    }
    let (code, message) = match envelope.payload.get(key) {
        Some(Value::String(room)) if !room.is_empty() => return Ok(room.clone()),
        None | Some(Value::Null | Value::String(_)) => {
            (IssueCode::Missing, "room_id is missing from both the envelope and the payload".to_owned())
        }
        Some(_) => (IssueCode::WrongType, format!("payload.{key} must be a string to serve as room_id")),
    };
    Err(issue("room_id", code, message))
}

fn issue(path: &str, code: IssueCode, message: String) -> ValidationError {
    ValidationError { issues: vec![Issue { path: path.to_owned(), code, message }] }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn routed(event: &str, room: Option<&str>, payload: &Value) -> Result<Route, String> {
        route(Envelope { event, room, payload }, "me").map_err(|err| err.to_string())
    }

    fn said_by(sender: &str, kind: &str) -> Value {
        json!({
            "id": "m", "content": "c", "message_type": "text", "sender_id": sender, "sender_type": kind,
            "inserted_at": "t", "updated_at": "t", "chat_room_id": "p",
        })
    }

    #[test]
    fn each_event_has_its_way() {
        let (room, message) = ("p".to_owned(), "m".to_owned());
        let own = Route::SkipSelf { room: room.clone(), message: message.clone() };
        assert_eq!(routed("message_created", None, &said_by("me", "Agent")), Ok(own));
        let mine = Route::Invocation { room: "e".to_owned(), message };
        assert_eq!(routed("message_created", Some("e"), &said_by("me", "User")), Ok(mine));
        assert_eq!(routed("room_removed", Some(""), &json!({"id": "p"})), Ok(Route::Cleanup { room }));
        for event in ["message_updated", "room_added", "participant_added", "contact_added", "", "x"] {
            assert_eq!(routed(event, None, &Value::Null), Ok(Route::Ignored), "{event}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let text =
            "1 validation issue(s): room_id is missing from both the envelope and the payload (room_id)";
        assert_eq!(routed("room_deleted", None, &json!([])), Err(text.to_owned()));
        let text = "1 validation issue(s): payload.id must be a string to serve as room_id (room_id)";
        assert_eq!(routed("room_deleted", None, &json!({"id": 7})), Err(text.to_owned()));
        let told = routed("message_created", Some("e"), &json!({})).unwrap_err();
        assert_eq!(told, "7 validation issue(s): required field `id` is missing (id)");
    }
}
