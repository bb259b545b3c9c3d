use band_wire::event::{Event, EventError};
use band_wire::phx::{Topic, reserved};
use band_wire::rest::code;
use serde_json::{Value, json};
use uuid::Uuid;

use super::facts;

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().filter_map(Value::as_str).collect()
}

/// A payload that passes the rules of its event, so that its topic is looked at.
fn payload_of(event: &str) -> Value {
    let vectors = facts("event_vectors.json");
    let valid = vectors
        .as_array()
        .unwrap()
        .iter()
        .find(|vector| vector["event"] == event && vector.get("normal").is_some());
    valid.map_or(json!({}), |vector| vector["payload"].clone())
}

#[test]
fn every_topic_is_known_and_carries_its_events() {
    let facts = facts("socket.json");
    let topics = facts["topics"].as_array().unwrap();
    assert_eq!(topics.len(), 11);
    for fact in topics {
        let (kind, _) = fact["topic"].as_str().unwrap().split_once(':').unwrap();
        let topic: Topic = format!("{kind}:{}", Uuid::nil()).parse().unwrap();
        assert_eq!(topic.room().is_some(), fact["topic"].as_str().unwrap().contains("room_id"), "{kind}");
        for event in texts(&fact["events"]) {
            let read = Event::read(topic, event, payload_of(event));
            assert!(!matches!(read, Err(EventError::WrongTopic { .. })), "{event} on {kind}");
        }
    }
}

#[test]
fn refused_upgrades_have_their_codes() {
    let facts = facts("socket.json");
    let told: Vec<&str> =
        facts["refusals"].as_array().unwrap().iter().filter_map(|fact| fact["code"].as_str()).collect();
    assert_eq!(
        told,
        [
            code::INVALID_ON_CONFLICT,
            code::CONNECTION_CONFLICT,
            code::TOO_MANY_REQUESTS,
            code::TRACKING_FAILED
        ]
    );
}

#[test]
fn reserved_events_have_their_names() {
    assert_eq!(
        texts(&facts("socket.json")["reserved"]),
        [
            reserved::JOIN,
            reserved::LEAVE,
            reserved::REPLY,
            reserved::ERROR,
            reserved::CLOSE,
            reserved::HEARTBEAT
        ]
    );
}
