use band_wire::event::validate;
use serde_json::{Value, json};

use super::facts;

#[test]
fn the_verdict_is_the_released_validators() {
    let vectors = facts("event_vectors.json");
    for vector in vectors.as_array().unwrap() {
        let (event, payload) = (vector["event"].as_str().unwrap(), vector["payload"].clone());
        let at = format!("{event} {payload}");
        match validate(event, payload) {
            Ok(normal) => {
                assert_eq!(normal, vector["normal"], "{at}");
                assert_eq!(normal.to_string(), sorted(&vector["normal"]), "{at}: keys are sorted");
            }
            Err(err) => {
                assert_eq!(Value::from(err.to_string()), vector["text"], "{at}");
                let issues =
                    err.issues.iter().map(|issue| json!([issue.path, issue.code.as_str(), issue.message]));
                assert_eq!(issues.collect::<Value>(), vector["issues"], "{at}");
            }
        }
    }
}

fn sorted(value: &Value) -> String {
    let mut value = value.clone();
    value.sort_all_objects();
    value.to_string()
}
