//! OpenAI Chat Completions.

use std::collections::BTreeSet;

use serde_json::Value;

use super::reader::{Checked, Object, is_object, is_plain, refuse};

const ASSISTANT: &[&str] = &[
    "role",
    "content",
    "tool_calls",
    "refusal",
    "name",
    "audio",
    "annotations",
    "function_call",
    // Of compatible servers, which want them back.
    "reasoning_content",
    "reasoning_details",
    "reasoning",
];

/// Checks the array `messages`.
///
/// # Errors
/// The first thing that would be refused.
pub(crate) fn messages(messages: &[Value]) -> Checked {
    if messages.is_empty() {
        return refuse("Invalid 'messages': empty array. Expected an array with minimum length 1");
    }
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for (index, message) in messages.iter().enumerate() {
        let at = format!("messages[{index}]");
        let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
        if role != "tool" {
            answered(&open)?;
            open.clear();
        }
        match role {
            "system" | "developer" => {
                let message = Object::read(message, at, &["role", "content", "name"])?;
                message.filled("content")?;
            }
            "user" => user(&Object::read(message, at, &["role", "content", "name"])?)?,
            "assistant" => open = assistant(&Object::read(message, at, ASSISTANT)?)?,
            "tool" => {
                let message = Object::read(message, at, &["role", "content", "tool_call_id"])?;
                message.text("content")?;
                if !open.remove(message.text("tool_call_id")?) {
                    return refuse(
                        "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
                    );
                }
            }
            other => return refuse(format!("{at}.role: '{other}' is not a known role")),
        }
    }
    answered(&open)
}

fn answered(open: &BTreeSet<&str>) -> Checked {
    if open.is_empty() {
        return Ok(());
    }
    let ids: Vec<&str> = open.iter().copied().collect();
    refuse(format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. \
         The following tool_call_ids did not have response messages: {}",
        ids.join(", ")
    ))
}

fn user(message: &Object<'_>) -> Checked {
    if matches!(message.get("content"), Some(Value::String(_))) {
        return message.filled("content").map(|_| ());
    }
    for (index, part) in message.list("content")?.iter().enumerate() {
        let part =
            Object::read(part, format!("{}.content[{index}]", message.at()), &["type", "text", "image_url"])?;
        match part.text("type")? {
            "text" => drop(part.filled("text")?),
            "image_url" => {
                let url = Object::read(
                    part.get("image_url").unwrap_or(&Value::Null),
                    part.at(),
                    &["url", "detail"],
                )?;
                url.filled("url")?;
            }
            other => return refuse(format!("{}.type: '{other}' is not a known type", part.at())),
        }
    }
    Ok(())
}

/// The ids of its calls.
fn assistant<'a>(message: &Object<'a>) -> Checked<BTreeSet<&'a str>> {
    let mut ids = BTreeSet::new();
    if !message.has("tool_calls") {
        message.text("content")?;
        return Ok(ids);
    }
    if message.has("content") {
        message.text("content")?;
    }
    for (index, call) in message.list("tool_calls")?.iter().enumerate() {
        let call =
            Object::read(call, format!("{}.tool_calls[{index}]", message.at()), &["id", "type", "function"])?;
        if call.text("type")? != "function" {
            return refuse(format!("{}.type: should be 'function'", call.at()));
        }
        if !ids.insert(call.word("id", 40, |_| true)?) {
            return refuse(format!("{}.id: duplicate id", call.at()));
        }
        let function = call.get("function").unwrap_or(&Value::Null);
        let function = Object::read(function, format!("{}.function", call.at()), &["name", "arguments"])?;
        function.word("name", 64, is_plain)?;
        if !is_object(function.text("arguments")?) {
            return refuse(format!("{}.arguments: should be the JSON of an object", function.at()));
        }
    }
    Ok(ids)
}
