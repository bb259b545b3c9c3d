//! Anthropic Messages.

use std::collections::BTreeSet;

use serde_json::Value;

use super::reader::{Checked, Object, is_plain, refuse};

/// Checks the array `messages`.
///
/// # Errors
/// The first thing that would be refused.
pub(crate) fn messages(messages: &[Value]) -> Checked {
    let (mut open, mut seen): (BTreeSet<&str>, BTreeSet<&str>) = Default::default();
    let mut last = "assistant";
    for (index, message) in messages.iter().enumerate() {
        let message = Object::read(message, format!("messages.{index}"), &["role", "content"])?;
        let role = message.text("role")?;
        match role {
            "user" | "assistant" if role == last && index == 0 => {
                return refuse("messages: first message must use the \"user\" role");
            }
            "user" | "assistant" if role == last => {
                return refuse("messages: roles must alternate between \"user\" and \"assistant\"");
            }
            "user" => user(&message, &std::mem::take(&mut open), index)?,
            "assistant" => open = assistant(&message, &mut seen)?,
            other => return refuse(format!("messages.{index}.role: '{other}' is not a known role")),
        }
        last = role;
    }
    match (messages.is_empty(), last) {
        (true, _) => refuse("messages: at least one message is required"),
        (false, "user") => Ok(()),
        (false, _) => refuse(
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        ),
    }
}

fn user(message: &Object<'_>, open: &BTreeSet<&str>, index: usize) -> Checked {
    let mut answered = BTreeSet::new();
    if matches!(message.get("content"), Some(Value::String(_))) {
        message.filled("content")?;
    } else {
        let mut after_text = false;
        for (at, block) in message.list("content")?.iter().enumerate() {
            let at = format!("{}.content.{at}", message.at());
            if block.get("type").is_some_and(|kind| kind == "tool_result") {
                let id = result(block, at)?;
                if after_text || !open.contains(id) || !answered.insert(id) {
                    return refuse(format!(
                        "messages.{index}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each \
                         `tool_result` block must have a corresponding `tool_use` block in the previous message."
                    ));
                }
            } else {
                shown(block, at)?;
                after_text = true;
            }
        }
    }
    let missing: Vec<&str> = open.difference(&answered).copied().collect();
    if missing.is_empty() {
        return Ok(());
    }
    refuse(format!(
        "messages.{}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` \
         block must have a corresponding `tool_result` block in the next message.",
        index.saturating_sub(1),
        missing.join(", ")
    ))
}

/// The ids of its calls.
fn assistant<'a>(message: &Object<'a>, seen: &mut BTreeSet<&'a str>) -> Checked<BTreeSet<&'a str>> {
    let mut open = BTreeSet::new();
    if matches!(message.get("content"), Some(Value::String(_))) {
        message.filled("content")?;
        return Ok(open);
    }
    for (index, block) in message.list("content")?.iter().enumerate() {
        let at = format!("{}.content.{index}", message.at());
        let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
        if !open.is_empty() && kind != "tool_use" {
            return refuse(format!("{at}: `tool_use` blocks must be followed by their `tool_result` blocks"));
        }
        match kind {
            "text" => text(block, at)?,
            "thinking" => {
                let block = Object::read(block, at, &["type", "thinking", "signature"])?;
                block.text("thinking")?;
                block.filled("signature")?;
            }
            "redacted_thinking" => drop(Object::read(block, at, &["type", "data"])?.filled("data")?),
            "tool_use" => {
                let block =
                    Object::read(block, at, &["type", "id", "name", "input", "cache_control", "caller"])?;
                let id = block.word("id", usize::MAX, is_plain)?;
                block.word("name", 128, is_plain)?;
                block.map("input")?;
                if !seen.insert(id) {
                    return refuse(format!("messages: `tool_use` ids must be unique: {id}"));
                }
                open.insert(id);
            }
            other => return refuse(format!("{at}.type: '{other}' is not known here")),
        }
    }
    Ok(open)
}

fn text(block: &Value, at: String) -> Checked {
    let block = Object::read(block, at, &["type", "text", "cache_control", "citations"])?;
    if block.text("text")?.trim().is_empty() {
        return refuse("messages: text content blocks must contain non-whitespace text");
    }
    Ok(())
}

/// A text or an image.
fn shown(block: &Value, at: String) -> Checked {
    match block.get("type").and_then(Value::as_str).unwrap_or_default() {
        "text" => text(block, at),
        "image" => {
            let block = Object::read(block, at, &["type", "source", "cache_control"])?;
            let source = block.get("source").unwrap_or(&Value::Null);
            let source = Object::read(source, block.at(), &["type", "media_type", "data"])?;
            source.filled("data")?;
            match source.text("media_type")? {
                "image/jpeg" | "image/png" | "image/gif" | "image/webp" => Ok(()),
                other => refuse(format!("{}.media_type: '{other}' is not supported", source.at())),
            }
        }
        other => refuse(format!("{at}.type: '{other}' is not known here")),
    }
}

/// The id of the call it is for.
fn result(block: &Value, at: String) -> Checked<&str> {
    let block = Object::read(block, at, &["type", "tool_use_id", "content", "is_error", "cache_control"])?;
    let is_error = block.get("is_error") == Some(&Value::Bool(true));
    match block.get("content") {
        Some(Value::String(content)) if is_error && content.is_empty() => {
            return refuse(format!("{}: content cannot be empty if `is_error` is true", block.at()));
        }
        Some(Value::String(_)) => {}
        None if !is_error => {}
        _ => {
            for (index, part) in block.list("content")?.iter().enumerate() {
                shown(part, format!("{}.content.{index}", block.at()))?;
                if is_error && part.get("type").is_none_or(|kind| kind != "text") {
                    return refuse(format!(
                        "{}: all content must be type \"text\" if `is_error` is true",
                        block.at()
                    ));
                }
            }
        }
    }
    block.text("tool_use_id")
}
