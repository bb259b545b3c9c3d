use band_wire::event::{Event, name, validate};
use band_wire::phx::Topic;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use super::any_json::{any_json, object_with};

const NAMES: &[&str] = &[
    name::MESSAGE_CREATED,
    name::MESSAGE_UPDATED,
    name::ROOM_ADDED,
    name::ROOM_REMOVED,
    name::ROOM_DELETED,
    name::PARTICIPANT_ADDED,
    name::PARTICIPANT_REMOVED,
    name::CONTACT_REQUEST_RECEIVED,
    name::CONTACT_REQUEST_UPDATED,
    name::CONTACT_ADDED,
    name::CONTACT_REMOVED,
    name::SUPERSEDE,
    name::AGENT_CONTROL,
    name::EVENT_CREATED,
    "unheard_of",
];

const KEYS: &[&str] = &[
    "id",
    "content",
    "message_type",
    "sender_type",
    "sender_id",
    "sender_name",
    "metadata",
    "attachments",
    "title",
    "task_id",
    "type",
    "name",
    "handle",
    "description",
    "is_remote",
    "is_external",
    "status",
    "message",
    "tags",
    "listed_in_directory",
    "reason",
    "retryable",
    "retry_after",
    "correlation_id",
    "target_socket_id",
    "mode",
    "scope",
    "agent_id",
    "execution_id",
    "room_id",
    "inserted_at",
    "updated_at",
];

fn topics() -> Vec<Topic> {
    ["agent_control", "agent_rooms", "agent_contacts", "chat_room", "room_participants", "user_rooms"]
        .map(|kind| format!("{kind}:00000000-0000-0000-0000-000000000001").parse().unwrap())
        .into()
}

fn payload() -> impl Strategy<Value = Value> {
    prop_oneof![1 => any_json(), 9 => object_with(KEYS).prop_map(Value::Object)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_payload_passes_or_has_issues(event in select(NAMES), payload in payload()) {
        match validate(event, payload) {
            Ok(normal) => prop_assert_eq!(validate(event, normal.clone()), Ok(normal), "normal forms stay"),
            Err(err) => prop_assert!(!err.issues.is_empty()),
        }
    }

    #[test]
    fn unknown_fields_stay(key in "x_[a-z]{1,8}", value in any_json()) {
        let mut payload = serde_json::json!({"id": "r"});
        payload[&key] = value.clone();
        let normal = validate(name::ROOM_DELETED, payload).unwrap();
        prop_assert_eq!(&normal[&key], &value);
    }

    #[test]
    fn any_payload_is_an_event_or_an_error(event in select(NAMES), payload in payload()) {
        for topic in topics() {
            let _ = Event::read(topic, event, payload.clone());
        }
    }
}
