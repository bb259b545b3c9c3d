//! OpenAI Chat Completions: the array `messages`.

use band_core::transcript::{Exchange, Transcript};
use band_core::turn::update_line;
use serde_json::{Map, Value, json};

use super::names::{Ids, tool_name};
use super::{Step, data_url, steps, told};

/// Whose opaque values are put back: objects whose fields join the message that made the calls, such as
/// `reasoning_content`.
pub const PROVIDER: &str = "openai-chat";

/// The longest id of a call that OpenAI takes.
const ID_MAX: usize = 40;
/// The longest name of a tool.
const NAME_MAX: usize = 64;

/// The messages, the system prompt first if there is one.
pub fn messages(system: Option<&str>, transcript: &Transcript) -> Vec<Value> {
    let system = system.map(|text| json!({ "role": "system", "content": text }));
    let mut messages: Vec<Value> = system.into_iter().collect();
    let mut ids = Ids::new(ID_MAX);
    for step in steps(transcript) {
        match step {
            Step::User(text) => messages.push(json!({ "role": "user", "content": text })),
            Step::Own(text) => messages.push(json!({ "role": "assistant", "content": text })),
            Step::Exchange(exchange) => write(exchange, &mut ids, &mut messages),
        }
    }
    messages
}

/// Joins messages of one side that follow each other, for servers whose templates want the sides to alternate.
pub fn alternating(messages: Vec<Value>) -> Vec<Value> {
    let mut joined: Vec<Value> = Vec::with_capacity(messages.len());
    for message in messages {
        if !joined.last_mut().is_some_and(|last| join(last, &message)) {
            joined.push(message);
        }
    }
    joined
}

/// Whether the message could be added to the last one: both are plain texts of one side.
fn join(last: &mut Value, message: &Value) -> bool {
    let is_plain = |message: &Value| message.as_object().is_some_and(|fields| fields.len() == 2);
    if last.get("role") != message.get("role") || !is_plain(last) || !is_plain(message) {
        return false;
    }
    match (last.get_mut("content"), message.get("content")) {
        (Some(Value::String(text)), Some(Value::String(more))) => {
            text.push_str("\n\n");
            text.push_str(more);
            true
        }
        _ => false,
    }
}

fn write(exchange: &Exchange, ids: &mut Ids, messages: &mut Vec<Value>) {
    let mut asked = Map::new();
    for fields in exchange.opaque_of(PROVIDER).filter_map(Value::as_object) {
        asked.extend(fields.iter().map(|(key, value)| (key.clone(), value.clone())));
    }
    let (mut calls, mut results, mut images) = (Vec::new(), Vec::new(), Vec::new());
    for one in exchange.calls() {
        let (id, name) = (ids.give(&one.call.id), tool_name(&one.call.name, NAME_MAX));
        let arguments = Value::Object(one.call.arguments.clone()).to_string();
        calls.push(json!({
            "id": id, "type": "function", "function": { "name": name, "arguments": arguments },
        }));
        results.push(json!({ "role": "tool", "tool_call_id": id, "content": told(&one.outcome) }));
        images.extend(
            one.outcome
                .images()
                .map(|image| json!({ "type": "image_url", "image_url": { "url": data_url(image) } })),
        );
    }
    asked.insert("role".to_owned(), json!("assistant"));
    asked.insert("content".to_owned(), json!(exchange.text()));
    asked.insert("tool_calls".to_owned(), Value::Array(calls));
    messages.push(Value::Object(asked));
    messages.extend(results);
    if !images.is_empty() {
        // A result can't carry images here.
        let mut content =
            vec![json!({ "type": "text", "text": update_line("The tools gave these images.") })];
        content.extend(images);
        messages.push(json!({ "role": "user", "content": content }));
    }
}
