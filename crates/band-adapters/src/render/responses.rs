//! OpenAI Responses: the array `input`.

use band_core::transcript::{Exchange, Outcome, Transcript};
use serde_json::{Value, json};

use super::names::{Ids, tool_name};
use super::{Step, data_url, steps, told};

/// Whose opaque values are put back: items of the type `reasoning`, with what is encrypted in them.
pub const PROVIDER: &str = "openai-responses";

/// The longest id of a call.
const ID_MAX: usize = 64;
/// The longest name of a tool.
const NAME_MAX: usize = 64;

/// The items; the system prompt is a field of its own there.
pub fn messages(transcript: &Transcript) -> Vec<Value> {
    let mut items = Vec::new();
    let mut ids = Ids::new(ID_MAX);
    for step in steps(transcript) {
        match step {
            Step::User(text) => items.push(message("user", &text)),
            Step::Own(text) => items.push(message("assistant", text)),
            Step::Exchange(exchange) => write(exchange, &mut ids, &mut items),
        }
    }
    items
}

fn message(role: &str, text: &str) -> Value {
    json!({ "type": "message", "role": role, "content": text })
}

fn write(exchange: &Exchange, ids: &mut Ids, items: &mut Vec<Value>) {
    let is_reasoning = |item: &&Value| item.get("type").is_some_and(|kind| kind == "reasoning");
    items.extend(exchange.opaque_of(PROVIDER).filter(is_reasoning).cloned());
    items.extend(exchange.text().map(|text| message("assistant", text)));
    let mut results = Vec::new();
    for one in exchange.calls() {
        let id = ids.give(&one.call.id);
        items.push(json!({
            "type": "function_call", "call_id": id, "name": tool_name(&one.call.name, NAME_MAX),
            "arguments": Value::Object(one.call.arguments.clone()).to_string(),
        }));
        results.push(json!({ "type": "function_call_output", "call_id": id, "output": given(&one.outcome) }));
    }
    items.extend(results);
}

/// A text, or a list where there are images.
fn given(outcome: &Outcome) -> Value {
    let images: Vec<Value> = outcome
        .images()
        .map(|image| json!({ "type": "input_image", "image_url": data_url(image) }))
        .collect();
    if images.is_empty() {
        return Value::String(told(outcome));
    }
    let mut parts = vec![json!({ "type": "input_text", "text": told(outcome) })];
    parts.extend(images);
    Value::Array(parts)
}
