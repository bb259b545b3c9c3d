//! The Responses API.

use serde_json::{Value, json};

use super::chat::set;
use super::{Event, pieces};
use crate::model_server::state::Minted;
use crate::model_server::step::Answer;

pub(super) fn whole(model: &str, answer: &Answer, minted: &mut Minted) -> Value {
    let mut output = Vec::new();
    if let Some(thinking) = &answer.thinking {
        let (id, sealed) = (minted.id("rs"), minted.sign("reasoning"));
        output.push(json!({
            "type": "reasoning", "id": id, "encrypted_content": sealed,
            "summary": [{ "type": "summary_text", "text": thinking }],
        }));
    }
    if let Some(text) = &answer.text {
        output.push(json!({
            "type": "message", "id": minted.id("msg"), "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [], "logprobs": [] }],
        }));
    }
    for call in &answer.calls {
        output.push(json!({
            "type": "function_call", "id": minted.id("fc"), "call_id": minted.id("call"), "status": "completed",
            "name": call.name, "arguments": call.arguments,
        }));
    }
    let tokens = &answer.tokens;
    let (status, incomplete) = if answer.is_cut_short {
        ("incomplete", json!({ "reason": "max_output_tokens" }))
    } else {
        ("completed", Value::Null)
    };
    json!({
        "id": minted.id("resp"), "object": "response", "created_at": 1_764_500_000, "status": status,
        "error": null, "incomplete_details": incomplete, "instructions": null, "metadata": {}, "model": model,
        "output": output, "parallel_tool_calls": true, "temperature": 1.0, "tool_choice": "auto", "tools": [],
        "top_p": 1.0, "usage": {
            "input_tokens": tokens.input, "output_tokens": tokens.output,
            "total_tokens": tokens.input + tokens.output,
            "input_tokens_details": {
                "cached_tokens": tokens.cache_read, "cache_write_tokens": tokens.cache_write,
            },
            "output_tokens_details": { "reasoning_tokens": tokens.reasoning },
        },
    })
}

/// The same answer as a stream: it opens, each item opens, grows and closes, and it ends as a whole.
pub(super) fn events(whole: &Value) -> Vec<Event> {
    let mut list = Vec::new();
    let mut opened = whole.clone();
    set(&mut opened, "status", json!("in_progress"));
    set(&mut opened, "output", json!([]));
    set(&mut opened, "usage", Value::Null);
    list.push(("response.created", json!({ "response": opened })));
    list.push(("response.in_progress", json!({ "response": opened })));
    let output = whole.get("output").and_then(Value::as_array);
    for (index, item) in output.into_iter().flatten().enumerate() {
        grow(&mut list, index, item);
    }
    let is_whole = whole.get("status").and_then(Value::as_str) == Some("completed");
    let end = if is_whole { "response.completed" } else { "response.incomplete" };
    list.push((end, json!({ "response": whole })));
    let numbered = list.into_iter().enumerate().map(|(number, (name, mut data))| {
        set(&mut data, "type", json!(name));
        set(&mut data, "sequence_number", json!(number));
        Event::named(name, &data)
    });
    numbered.collect()
}

fn grow(list: &mut Vec<(&'static str, Value)>, index: usize, item: &Value) {
    let field = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default();
    let id = field("id");
    let mut opened = item.clone();
    match field("type") {
        "function_call" => set(&mut opened, "arguments", json!("")),
        "message" => set(&mut opened, "content", json!([])),
        _ => set(&mut opened, "summary", json!([])),
    }
    list.push(("response.output_item.added", json!({ "output_index": index, "item": opened })));
    match field("type") {
        "function_call" => {
            for piece in pieces(field("arguments")) {
                let delta = json!({ "item_id": id, "output_index": index, "delta": piece });
                list.push(("response.function_call_arguments.delta", delta));
            }
            let done = json!({
                "item_id": id, "output_index": index, "name": field("name"), "arguments": field("arguments"),
            });
            list.push(("response.function_call_arguments.done", done));
        }
        "message" => {
            let part = item.get("content").and_then(|parts| parts.get(0)).cloned().unwrap_or_default();
            let text = part.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
            let at = json!({ "item_id": id, "output_index": index, "content_index": 0 });
            let with = |key: &str, value: Value| {
                let mut data = at.clone();
                set(&mut data, key, value);
                data
            };
            let empty = json!({ "type": "output_text", "text": "", "annotations": [], "logprobs": [] });
            list.push(("response.content_part.added", with("part", empty)));
            for piece in pieces(&text) {
                let mut delta = with("delta", json!(piece));
                set(&mut delta, "logprobs", json!([]));
                list.push(("response.output_text.delta", delta));
            }
            let mut done = with("text", json!(text));
            set(&mut done, "logprobs", json!([]));
            list.push(("response.output_text.done", done));
            list.push(("response.content_part.done", with("part", part)));
        }
        _ => {}
    }
    list.push(("response.output_item.done", json!({ "output_index": index, "item": item })));
}
