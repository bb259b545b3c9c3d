//! The Messages API.

use serde_json::{Value, json};

use super::chat::set;
use super::{Event, pieces};
use crate::model_server::check::Refused;
use crate::model_server::state::Minted;
use crate::model_server::step::Answer;

pub(super) fn whole(model: &str, answer: &Answer, minted: &mut Minted) -> Value {
    let mut content = Vec::new();
    if let Some(thinking) = &answer.thinking {
        let signature = minted.sign(thinking);
        content.push(json!({ "type": "thinking", "thinking": thinking, "signature": signature }));
    }
    if let Some(text) = &answer.text {
        content.push(json!({ "type": "text", "text": text, "citations": null }));
    }
    for call in &answer.calls {
        // Its API gives objects only; what a model wrote otherwise has become an empty one by then.
        let input =
            serde_json::from_str(&call.arguments).ok().filter(Value::is_object).unwrap_or_else(|| json!({}));
        content
            .push(json!({ "type": "tool_use", "id": minted.id("toolu"), "name": call.name, "input": input }));
    }
    let reason = match (answer.is_cut_short, answer.calls.is_empty()) {
        (true, _) => "max_tokens",
        (false, true) => "end_turn",
        (false, false) => "tool_use",
    };
    let tokens = &answer.tokens;
    json!({
        "id": minted.id("msg"), "type": "message", "role": "assistant", "model": model, "content": content,
        "stop_reason": reason, "stop_sequence": null, "usage": {
            "input_tokens": tokens.input.saturating_sub(tokens.cache_read + tokens.cache_write),
            "output_tokens": tokens.output,
            "cache_read_input_tokens": tokens.cache_read, "cache_creation_input_tokens": tokens.cache_write,
        },
    })
}

/// The same answer as a stream.
pub(super) fn events(whole: &Value) -> Vec<Event> {
    let mut opened = whole.clone();
    set(&mut opened, "content", json!([]));
    set(&mut opened, "stop_reason", Value::Null);
    if let Some(usage) = opened.get_mut("usage") {
        set(usage, "output_tokens", json!(1));
    }
    let mut list = vec![("message_start", json!({ "message": opened })), ("ping", json!({}))];
    let content = whole.get("content").and_then(Value::as_array);
    for (index, block) in content.into_iter().flatten().enumerate() {
        grow(&mut list, index, block);
    }
    let usage = whole.get("usage").cloned().unwrap_or_default();
    let delta = json!({ "stop_reason": whole.get("stop_reason"), "stop_sequence": null });
    list.push(("message_delta", json!({ "delta": delta, "usage": usage })));
    list.push(("message_stop", json!({})));
    let named = list.into_iter().map(|(name, mut data)| {
        set(&mut data, "type", json!(name));
        Event::named(name, &data)
    });
    named.collect()
}

fn grow(list: &mut Vec<(&'static str, Value)>, index: usize, block: &Value) {
    let field = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut opened = block.clone();
    let mut deltas = Vec::new();
    match field("type") {
        "tool_use" => {
            set(&mut opened, "input", json!({}));
            let input = block.get("input").map(Value::to_string).unwrap_or_default();
            deltas.push(json!({ "type": "input_json_delta", "partial_json": "" }));
            let more = pieces(&input).into_iter();
            deltas.extend(more.map(|piece| json!({ "type": "input_json_delta", "partial_json": piece })));
        }
        "thinking" => {
            set(&mut opened, "thinking", json!(""));
            set(&mut opened, "signature", json!(""));
            let more = pieces(field("thinking")).into_iter();
            deltas.extend(more.map(|piece| json!({ "type": "thinking_delta", "thinking": piece })));
            deltas.push(json!({ "type": "signature_delta", "signature": field("signature") }));
        }
        _ => {
            set(&mut opened, "text", json!(""));
            let more = pieces(field("text")).into_iter();
            deltas.extend(more.map(|piece| json!({ "type": "text_delta", "text": piece })));
        }
    }
    list.push(("content_block_start", json!({ "index": index, "content_block": opened })));
    for delta in deltas {
        list.push(("content_block_delta", json!({ "index": index, "delta": delta })));
    }
    list.push(("content_block_stop", json!({ "index": index })));
}

/// As Anthropic says no.
pub(super) fn refusal(refused: &Refused) -> Value {
    json!({
        "type": "error", "error": { "type": refused.kind, "message": refused.message },
        "request_id": "req_scripted",
    })
}
