//! Reading what a server sends, for `deserialize_with`: a decoration that is off must not cost the body.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Null reads as the default.
pub(super) fn null_is_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Default + Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Whatever does not fit reads as the default.
pub(super) fn misfit_is_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Default + DeserializeOwned,
    D: Deserializer<'de>,
{
    let value = Value::deserialize(deserializer)?;
    Ok(T::deserialize(value).unwrap_or_default())
}

/// A key that is there, with null or a value: `Some` of what it holds.
pub(super) fn present<'de, T, D>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Some)
}

/// Seconds, as a number or its text; a part of one counts as a whole one; anything else is none.
pub(super) fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Number(number) => number.as_u64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => text.trim().parse().ok().or_else(|| whole(text.trim().parse().ok()?)),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    })
}

fn whole(seconds: f64) -> Option<u64> {
    Duration::try_from_secs_f64(seconds.ceil()).ok().map(|wait| wait.as_secs())
}

/// Texts by pointer. Servers have sent single texts and nested values too; those are kept as one text each.
pub(super) fn details<'de, D>(deserializer: D) -> Result<Option<BTreeMap<String, Vec<String>>>, D::Error>
where
    D: Deserializer<'de>,
{
    let Value::Object(map) = Value::deserialize(deserializer)? else { return Ok(None) };
    Ok(Some(map.into_iter().map(|(pointer, value)| (pointer, texts(value))).collect()))
}

fn texts(value: Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.into_iter().map(text).collect(),
        other => vec![text(other)],
    }
}

fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}
