//! The Gemini API.

use serde_json::{Value, json};

use super::chat::set;
use super::{Event, pieces};
use crate::model_server::check::Refused;
use crate::model_server::state::Minted;
use crate::model_server::step::{Answer, Tokens};

pub(super) fn whole(model: &str, answer: &Answer, minted: &mut Minted) -> Value {
    let mut parts = Vec::new();
    if let Some(thinking) = &answer.thinking {
        parts.push(json!({ "text": thinking, "thought": true }));
    }
    if let Some(text) = &answer.text {
        parts.push(json!({ "text": text }));
    }
    parts.extend(calls(answer, minted));
    response(model, &parts, Some(answer), minted)
}

pub(super) fn events(model: &str, answer: &Answer, minted: &mut Minted) -> Vec<Event> {
    let mut parts = Vec::new();
    for piece in pieces(answer.thinking.as_deref().unwrap_or_default()) {
        parts.push(json!({ "text": piece, "thought": true }));
    }
    for piece in pieces(answer.text.as_deref().unwrap_or_default()) {
        parts.push(json!({ "text": piece }));
    }
    parts.extend(calls(answer, minted));
    let mut events: Vec<Event> =
        parts.into_iter().map(|part| Event::data(&response(model, &[part], None, minted))).collect();
    events.push(Event::data(&response(model, &[json!({ "text": "" })], Some(answer), minted)));
    events
}

/// Only the first call of an answer is signed, and only when the model thought.
fn calls(answer: &Answer, minted: &mut Minted) -> Vec<Value> {
    let made = answer.calls.iter().enumerate().map(|(index, call)| {
        let args =
            serde_json::from_str(&call.arguments).ok().filter(Value::is_object).unwrap_or_else(|| json!({}));
        let mut function = json!({ "name": call.name, "args": args });
        let id = minted.id("fc");
        if !answer.without_ids {
            set(&mut function, "id", json!(id));
        }
        let mut part = json!({ "functionCall": function });
        if index == 0 && answer.thinking.is_some() {
            set(&mut part, "thoughtSignature", json!(minted.sign(&call.name)));
        }
        part
    });
    made.collect()
}

fn response(model: &str, parts: &[Value], end: Option<&Answer>, minted: &mut Minted) -> Value {
    let mut candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
    let mut body = json!({ "modelVersion": model, "responseId": minted.id("resp") });
    if let Some(answer) = end {
        let reason = if answer.is_cut_short { "MAX_TOKENS" } else { "STOP" };
        set(&mut candidate, "finishReason", json!(reason));
        set(&mut body, "usageMetadata", usage(&answer.tokens));
    }
    set(&mut body, "candidates", json!([candidate]));
    body
}

fn usage(tokens: &Tokens) -> Value {
    json!({
        "promptTokenCount": tokens.input,
        "candidatesTokenCount": tokens.output.saturating_sub(tokens.reasoning),
        "thoughtsTokenCount": tokens.reasoning, "cachedContentTokenCount": tokens.cache_read,
        "totalTokenCount": tokens.input + tokens.output,
    })
}

/// As Google says no.
pub(super) fn refusal(refused: &Refused) -> Value {
    json!({ "error": { "code": refused.status, "message": refused.message, "status": refused.kind } })
}
