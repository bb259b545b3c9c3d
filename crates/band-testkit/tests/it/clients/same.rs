//! When two bodies ask for the same. The only differences that are allowed:
//!
//! - `arguments` of calls are a text of JSON: the values count, not the order of keys or the spaces.
//! - Gemini's client writes types of schemas in capitals, some names of fields with `_`, a `generationConfig` with
//!   nothing in it, and no default that is null. Google's JSON means the same by all of these.

use band_testkit::Dialect;
use serde_json::{Value, json};

/// The body without what is allowed to differ.
pub(super) fn plain(dialect: Dialect, mut body: Value) -> Value {
    if dialect == Dialect::Gemini {
        body = google(&body);
        let has_nothing = body["generationConfig"].as_object().is_some_and(serde_json::Map::is_empty);
        if let Some(fields) = body.as_object_mut().filter(|_| has_nothing) {
            fields.remove("generationConfig");
        }
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
                    _ => walk(value),
                }
            }
        }
        _ => {}
    }
}

fn google(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(google).collect(),
        Value::Object(fields) => {
            let plain = |(key, value): (&String, &Value)| match value.as_str() {
                Some(name) if key == "type" => (key.clone(), name.to_lowercase().into()),
                _ => (without_lines(key), google(value)),
            };
            let says_something = |(key, value): &(&String, &Value)| *key != "default" || !value.is_null();
            Value::Object(fields.iter().filter(says_something).map(plain).collect())
        }
        other => other.clone(),
    }
}

/// `any_of` as `anyOf`.
fn without_lines(key: &str) -> String {
    let mut words = key.split('_');
    let mut joined = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        joined.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        joined.push_str(letters.as_str());
    }
    joined
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
    let body = |text: &str| json!({ "a": [{ "arguments": text }], "n": 1 });
    let chat = |text| plain(Dialect::Chat, body(text));
    assert_eq!(difference(&chat("{\"x\":1,\"y\":2}"), &chat("{ \"y\": 2, \"x\": 1 }"), ""), None);
    let told = difference(&chat("{\"x\":1}"), &chat("{\"x\":2}"), "").unwrap();
    assert_eq!(told, "/a/0/arguments/x: ours 1, theirs 2");
    let told = difference(&json!({}), &json!({ "k": null }), "").unwrap();
    assert_eq!(told, "/k: ours None, theirs Some(Null)");
    let google = |body: &Value| plain(Dialect::Gemini, body.clone());
    let (ours, theirs) =
        (json!({ "anyOf": [{ "type": "null" }] }), json!({ "any_of": [{ "type": "NULL" }] }));
    assert_eq!(difference(&google(&ours), &google(&theirs), ""), None);
}
