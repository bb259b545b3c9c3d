//! Chat Completions.

use serde_json::{Value, json};

use super::{Event, pieces};
use crate::model_server::check::Refused;
use crate::model_server::state::Minted;
use crate::model_server::step::{Answer, Tokens};

pub(super) fn whole(model: &str, answer: &Answer, minted: &mut Minted) -> Value {
    let mut message = json!({ "role": "assistant", "content": answer.text, "refusal": null });
    if let Some(thinking) = &answer.thinking {
        set(&mut message, "reasoning_content", json!(thinking));
    }
    let calls = calls(answer, minted);
    if !calls.is_empty() {
        set(&mut message, "tool_calls", json!(calls));
    }
    json!({
        "id": minted.id("chatcmpl"), "object": "chat.completion", "created": 1_764_500_000, "model": model,
        "choices": [{ "index": 0, "message": message, "logprobs": null, "finish_reason": reason(answer) }],
        "usage": usage(&answer.tokens),
    })
}

pub(super) fn events(body: &Value, model: &str, answer: &Answer, minted: &mut Minted) -> Vec<Event> {
    let id = minted.id("chatcmpl");
    let chunk = |choices: Value, usage: Value| {
        Event::data(&json!({
            "id": id, "object": "chat.completion.chunk", "created": 1_764_500_000, "model": model,
            "choices": choices, "usage": usage,
        }))
    };
    let delta = |delta: Value, reason: Option<&str>| {
        chunk(json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": reason }]), Value::Null)
    };
    let mut events = vec![delta(json!({ "role": "assistant", "content": "" }), None)];
    for piece in pieces(answer.thinking.as_deref().unwrap_or_default()) {
        events.push(delta(json!({ "reasoning_content": piece }), None));
    }
    for piece in pieces(answer.text.as_deref().unwrap_or_default()) {
        events.push(delta(json!({ "content": piece }), None));
    }
    for (index, call) in calls(answer, minted).iter().enumerate() {
        let mut start = call.clone();
        set(&mut start, "index", json!(index));
        let text =
            |key: &str| call.get("function").and_then(|function| function.get(key)).and_then(Value::as_str);
        let name = text("name").unwrap_or_default();
        set(&mut start, "function", json!({ "name": name, "arguments": "" }));
        events.push(delta(json!({ "tool_calls": [start] }), None));
        for piece in pieces(text("arguments").unwrap_or_default()) {
            let more = json!({ "index": index, "function": { "arguments": piece } });
            events.push(delta(json!({ "tool_calls": [more] }), None));
        }
    }
    events.push(delta(json!({}), Some(reason(answer))));
    let wants_usage = body.get("stream_options").and_then(|options| options.get("include_usage"));
    if wants_usage == Some(&Value::Bool(true)) {
        events.push(chunk(json!([]), usage(&answer.tokens)));
    }
    events.push(Event { name: None, data: "[DONE]".to_owned() });
    events
}

fn calls(answer: &Answer, minted: &mut Minted) -> Vec<Value> {
    let made = answer.calls.iter().map(|call| {
        let mut made = json!({
            "id": minted.id("call"), "type": "function",
            "function": { "name": call.name, "arguments": call.arguments },
        });
        if answer.without_ids {
            made.as_object_mut().map(|fields| fields.remove("id"));
        }
        made
    });
    made.collect()
}

fn reason(answer: &Answer) -> &'static str {
    match (answer.is_cut_short, answer.calls.is_empty()) {
        (true, _) => "length",
        (false, true) => "stop",
        (false, false) => "tool_calls",
    }
}

fn usage(tokens: &Tokens) -> Value {
    json!({
        "prompt_tokens": tokens.input, "completion_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "prompt_tokens_details": { "cached_tokens": tokens.cache_read, "cache_write_tokens": tokens.cache_write },
        "completion_tokens_details": { "reasoning_tokens": tokens.reasoning },
    })
}

/// As OpenAI says no.
pub(super) fn refusal(refused: &Refused) -> Value {
    json!({ "error": {
        "message": refused.message, "type": refused.kind, "param": null, "code": refused.code,
    } })
}

pub(super) fn set(object: &mut Value, key: &str, value: Value) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(key.to_owned(), value);
    }
}
