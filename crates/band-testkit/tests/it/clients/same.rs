//! When two bodies ask for the same. The only differences that are allowed:
//!
//! - `arguments` of calls are a text of JSON: the values count, not the order of keys or the spaces.
//! - Gemini's client writes types of schemas in capitals, and base64 in the letters for URLs.
//! - Gemini's client says `user` of the system prompt's side, which means nothing there.

use band_testkit::Dialect;
use serde_json::Value;

/// The body without what is allowed to differ.
pub(super) fn plain(dialect: Dialect, mut body: Value) -> Value {
    if dialect == Dialect::Gemini {
        if let Some(system) = body["systemInstruction"].as_object_mut() {
            system.remove("role");
        }
        body["tools"] = small_types(&body["tools"]);
    }
    walk(&mut body);
    body
}

fn walk(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(walk),
        Value::Object(fields) => {
            for (key, value) in fields {
                match (key.as_str(), value.as_str()) {
                    ("arguments", Some(text)) => {
                        *value = serde_json::from_str(text).expect("arguments are JSON");
                    }
                    ("thoughtSignature" | "data", Some(text)) => {
                        *value = text.replace('-', "+").replace('_', "/").into();
                    }
                    _ => walk(value),
                }
            }
        }
        _ => {}
    }
}

fn small_types(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(small_types).collect(),
        Value::Object(fields) => {
            let small = |(key, value): (&String, &Value)| match value.as_str() {
                Some(name) if key == "type" => (key.clone(), name.to_lowercase().into()),
                _ => (key.clone(), small_types(value)),
            };
            Value::Object(fields.iter().map(small).collect())
        }
        other => other.clone(),
    }
}

/// Where two values differ first; nothing if they do not.
pub(super) fn difference(ours: &Value, theirs: &Value, place: &str) -> Option<String> {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let keys = ours.keys().chain(theirs.keys().filter(|key| !ours.contains_key(*key)));
            keys.map(|key| (key, ours.get(key), theirs.get(key))).find_map(|(key, ours, theirs)| {
                let place = format!("{place}/{key}");
                match (ours, theirs) {
                    (Some(ours), Some(theirs)) => difference(ours, theirs, &place),
                    (ours, theirs) => Some(format!("{place}: ours {ours:?}, theirs {theirs:?}")),
                }
            })
        }
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
            let mut pairs = ours.iter().zip(theirs).enumerate();
            pairs.find_map(|(at, (ours, theirs))| difference(ours, theirs, &format!("{place}/{at}")))
        }
        (Value::Number(ours), Value::Number(theirs)) if ours.as_f64() == theirs.as_f64() => None,
        _ if ours == theirs => None,
        _ => Some(format!("{place}: ours {ours}, theirs {theirs}")),
    }
}

#[test]
fn a_difference_is_found_and_told_by_its_place() {
    let body = |text: &str| serde_json::json!({ "a": [{ "arguments": text }], "n": 1 });
    let plain = |text| plain(Dialect::Chat, body(text));
    assert_eq!(difference(&plain("{\"x\":1,\"y\":2}"), &plain("{ \"y\": 2, \"x\": 1 }"), ""), None);
    let told = difference(&plain("{\"x\":1}"), &plain("{\"x\":2}"), "").unwrap();
    assert_eq!(told, "/a/0/arguments/x: ours 1, theirs 2");
    let told = difference(&serde_json::json!({}), &serde_json::json!({ "k": null }), "").unwrap();
    assert_eq!(told, "/k: ours None, theirs Some(Null)");
}
