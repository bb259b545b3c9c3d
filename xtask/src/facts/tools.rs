//! Facts of the tools that models are offered.

use anyhow::{Context, Result};
use serde_json::{Map, Value};

use super::prose;

/// What a tool is, beside its parameters.
const KEPT: &[&str] = &[
    "capability",
    "effect",
    "group",
    "method",
    "name",
    "params",
    "read_only",
    "rest",
    "room_bound",
    "rules",
    "surface",
];

/// What is known of all tools together.
const COMMON: &[&str] = &[
    "advertised",
    "aliases",
    "capabilities",
    "capability_feature_flags",
    "categories",
    "default_capabilities",
    "emit",
    "event_message_types",
    "limits",
    "memory_types_by_system",
    "message_types",
    "name_sets",
    "tool_event_keys",
    "turn_effects",
    "turn_verdicts",
];

/// Every tool, without its texts.
pub(super) fn facts(document: &Value) -> Result<Value> {
    let tools = document.get("tools").and_then(Value::as_array).context("the document has no tools")?;
    let mut facts: Map<String, Value> =
        COMMON.iter().filter_map(|key| Some(((*key).to_owned(), document.get(key)?.clone()))).collect();
    facts.insert("tools".to_owned(), tools.iter().map(tool).collect());
    Ok(silent(Value::Object(facts)))
}

fn tool(found: &Value) -> Value {
    let mut facts: Map<String, Value> =
        KEPT.iter().filter_map(|key| Some(((*key).to_owned(), found.get(key)?.clone()))).collect();
    // These schemas come without their texts.
    facts.extend(found.get("parameters").map(|schema| ("parameters".to_owned(), schema.clone())));
    facts.into()
}

/// The same without the entries whose value is a sentence.
fn silent(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let facts =
                map.into_iter().filter(|(_, value)| !value.is_string() || prose::first(value).is_none());
            facts.map(|(key, value)| (key, silent(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(silent).collect(),
        other => other,
    }
}
