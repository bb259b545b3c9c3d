//! Events that a socket pushes.
//!
//! [`validate`] holds a payload against the rules that the released clients apply, normalises it and reports
//! every issue at once. [`Event::read`] does that and gives typed payloads. [`emit`] has what a platform
//! pushes: its serialized form passes every known client's check.
//!
//! Source: the observed behaviour of the released clients' validator.

mod check;
mod contact;
mod control;
pub mod emit;
mod issue;
pub mod name;
mod normalise;
mod payload;
mod read;
mod room;
mod rules;

pub use contact::{ContactRecord, ContactRequest, ContactRequestUpdate};
pub use control::{AgentControl, ControlMode, ControlScope, Supersede};
pub use issue::{Issue, IssueCode, ValidationError};
pub use payload::EventError;
pub use read::Event;
pub use room::{ParticipantRecord, RoomRecord};

use serde_json::Value;

/// Holds a payload against the rules of its event and normalises it.
///
/// Normalised means: missing or null lists of a message become empty ones, `is_remote` and `is_external`
/// stand in for each other, a contact request loses its nulls, the lenient fields of a supersede get their
/// types, keys are sorted. Unknown fields stay. `event_created` is open: any JSON passes.
///
/// ```
/// use band_wire::event::validate;
/// let err = validate("room_deleted", serde_json::json!({"id": 7})).unwrap_err();
/// assert_eq!(err.to_string(), "1 validation issue(s): `id` must be a string (id)");
/// ```
///
/// # Errors
/// All issues, in the order of the rules. An unknown event name is one.
pub fn validate(name: &str, payload: Value) -> Result<Value, ValidationError> {
    let Some(rules) = rules::of(name) else {
        return Err(ValidationError { issues: vec![Issue::unknown_event(name)] });
    };
    let mut payload = match (rules, payload) {
        (rules::Rules::Open, payload) => payload,
        (rules::Rules::Object { fields, fix }, Value::Object(mut map)) => {
            let issues = check::object(&map, fields);
            if !issues.is_empty() {
                return Err(ValidationError { issues });
            }
            fix(&mut map);
            Value::Object(map)
        }
        (rules::Rules::Object { .. }, _) => {
            return Err(ValidationError { issues: vec![Issue::no_object()] });
        }
    };
    payload.sort_all_objects();
    Ok(payload)
}

#[cfg(test)]
mod tests;
