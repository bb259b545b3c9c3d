//! Gemini: the array `contents`.

use band_core::transcript::{Exchange, Transcript};
use serde_json::{Value, json};

use super::names::{Ids, tool_name};
use super::{Step, output, steps};

/// Whose opaque values are put back: the signature of a thought, a text, with the call that it came with, or with
/// what was written beside the calls.
pub const PROVIDER: &str = "gemini";

/// The longest id of a call; no limit is published.
const ID_MAX: usize = 128;
/// The longest name of a tool.
const NAME_MAX: usize = 64;

/// The contents; the system prompt is a field of its own there. The sides alternate.
pub fn messages(transcript: &Transcript) -> Vec<Value> {
    let mut sides: Vec<(&'static str, Vec<Value>)> = Vec::new();
    let mut add = |role: &'static str, parts: Vec<Value>| match sides.last_mut() {
        Some((last, content)) if *last == role => content.extend(parts),
        _ => sides.push((role, parts)),
    };
    let mut ids = Ids::new(ID_MAX);
    for step in steps(transcript) {
        match step {
            Step::User(text) => add("user", vec![json!({ "text": text })]),
            Step::Own(text) => add("model", vec![json!({ "text": text })]),
            Step::Exchange(exchange) => {
                let (calls, results) = parts(exchange, &mut ids);
                add("model", calls);
                add("user", results);
            }
        }
    }
    sides.into_iter().map(|(role, parts)| json!({ "role": role, "parts": parts })).collect()
}

/// The calls, and the results: these all together, then their images.
fn parts(exchange: &Exchange, ids: &mut Ids) -> (Vec<Value>, Vec<Value>) {
    let (mut calls, mut results, mut images) = (Vec::new(), Vec::new(), Vec::new());
    if let Some(text) = exchange.text() {
        calls.push(signed(json!({ "text": text }), exchange.opaque_of(PROVIDER).next()));
    }
    for one in exchange.calls() {
        let (id, name) = (ids.give(&one.call.id), tool_name(&one.call.name, NAME_MAX));
        let call = json!({ "functionCall": { "id": id, "name": name, "args": one.call.arguments } });
        calls.push(signed(call, one.call.opaque_of(PROVIDER)));
        let key = if one.outcome.is_error { "error" } else { "output" };
        results.push(json!({ "functionResponse": {
            "id": id, "name": name, "response": { key: output(&one.outcome) },
        } }));
        images.extend(
            one.outcome
                .images()
                .map(|(mime_type, data)| json!({ "inlineData": { "mimeType": mime_type, "data": data } })),
        );
    }
    results.extend(images);
    (calls, results)
}

fn signed(mut part: Value, signature: Option<&Value>) -> Value {
    if let (Some(fields), Some(Value::String(signature))) = (part.as_object_mut(), signature) {
        fields.insert("thoughtSignature".to_owned(), Value::String(signature.clone()));
    }
    part
}
