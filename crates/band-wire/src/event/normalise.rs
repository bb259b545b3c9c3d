//! What a payload without issues is turned into.

use serde_json::{Map, Value};

/// For events that are taken as they are.
pub(super) fn nothing(_: &mut Map<String, Value>) {}

/// A message has metadata with mentions, and attachments.
pub(super) fn message(map: &mut Map<String, Value>) {
    let metadata = set_if_null(map, "metadata", || Value::Object(Map::new()));
    if let Value::Object(metadata) = metadata {
        set_if_null(metadata, "mentions", || Value::Array(Vec::new()));
    }
    set_if_null(map, "attachments", || Value::Array(Vec::new()));
}

fn set_if_null<'a>(
    map: &'a mut Map<String, Value>,
    key: &str,
    fallback: impl FnOnce() -> Value,
) -> &'a mut Value {
    let slot = map.entry(key).or_insert(Value::Null);
    if slot.is_null() {
        *slot = fallback();
    }
    slot
}

/// A contact request leaves out what it does not know: a null there goes.
pub(super) fn contact_request(map: &mut Map<String, Value>) {
    const OPTIONAL: [&str; 3] = ["from_handle", "from_name", "message"];
    map.retain(|key, value| !(value.is_null() && OPTIONAL.contains(&key.as_str())));
}

/// `is_remote` and `is_external` are one fact under two names: where one of them alone is known, the other
/// gets its value.
pub(super) fn aliases(map: &mut Map<String, Value>) {
    let [remote, external] = ["is_remote", "is_external"].map(|key| map.get(key).and_then(Value::as_bool));
    match (remote, external) {
        (Some(flag), None) => map.insert("is_external".to_owned(), flag.into()),
        (None, Some(flag)) => map.insert("is_remote".to_owned(), flag.into()),
        (Some(_), Some(_)) | (None, None) => None,
    };
}

/// `retryable` is true for JSON true alone. `retry_after`, where it is there, is a whole number or null.
pub(super) fn supersede(map: &mut Map<String, Value>) {
    let retryable = map.get("retryable") == Some(&Value::Bool(true));
    map.insert("retryable".to_owned(), retryable.into());
    if let Some(seconds) = map.get_mut("retry_after") {
        *seconds = whole_seconds(seconds).map_or(Value::Null, Value::from);
    }
}

/// A whole number that fits 64 bits with a sign, however it is written.
fn whole_seconds(value: &Value) -> Option<i64> {
    /// 2^63: the first float too large.
    const END: f64 = 9_223_372_036_854_775_808.0;
    let number = value.as_number()?;
    if let Some(whole) = number.as_i64() {
        return Some(whole);
    }
    let float = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0)?;
    #[expect(clippy::cast_possible_truncation, reason = "whole, and inside the range of i64")]
    (-END..END).contains(&float).then_some(float as i64)
}
