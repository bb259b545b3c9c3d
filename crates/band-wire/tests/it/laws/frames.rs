use band_wire::phx::{Frame, Ref, Reply, Topic};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::any_json::any_json;

fn any_ref() -> impl Strategy<Value = Option<Ref>> {
    prop_oneof![
        Just(None),
        any::<i64>().prop_map(|number| Some(Ref::Number(number))),
        ".*".prop_map(|text| Some(Ref::Text(text))),
    ]
}

fn any_payload() -> impl Strategy<Value = Map<String, Value>> {
    any_json().prop_map(|value| match value {
        Value::Object(map) => map,
        other => Map::from_iter([("value".to_owned(), other)]),
    })
}

proptest! {
    #[test]
    fn any_text_is_a_frame_or_an_error(text in ".*", bytes in any::<Vec<u8>>()) {
        let _ = Frame::decode(&text);
        let _ = Frame::decode_binary(&bytes);
    }

    #[test]
    fn any_json_is_a_frame_or_an_error(parts in prop::collection::vec(any_json(), 0..8)) {
        if let Ok(frame) = Frame::decode(&Value::from(parts).to_string()) {
            prop_assert!(!frame.topic.is_empty() && !frame.event.is_empty());
        }
    }

    #[test]
    fn a_frame_survives_its_text(
        join_ref in any_ref(), reference in any_ref(), topic in ".+", event in ".+", payload in any_payload(),
    ) {
        let frame = Frame::new(join_ref, reference, &topic, &event).with_payload(payload);
        let text = frame.encode();
        prop_assert_eq!(Frame::decode(&text), Ok(frame.clone()));
        prop_assert_eq!(Frame::decode_binary(text.as_bytes()), Ok(frame));
    }

    #[test]
    fn a_fan_out_writes_what_a_frame_writes(join_ref in any_ref(), topic in ".+", payload in any_payload()) {
        let text = Frame::encode_push(join_ref.as_ref(), &topic, "e", &json!(payload).to_string());
        let frame = Frame::new(join_ref, None, &topic, "e").with_payload(payload);
        prop_assert_eq!(text, frame.encode());
    }

    #[test]
    fn any_payload_of_a_reply_is_read(payload in any_payload()) {
        let ok = payload.get("status") == Some(&json!("ok"));
        prop_assert_eq!(matches!(Reply::read(payload), Reply::Ok(_)), ok);
    }

    #[test]
    fn any_text_is_a_topic_or_an_error(text in "([a-z_]{0,20}:)?.*") {
        if let Ok(topic) = text.parse::<Topic>() {
            prop_assert_eq!(topic.to_string().parse(), Ok(topic));
        }
    }
}
