//! OpenAI Responses.

use std::collections::BTreeSet;

use serde_json::Value;

use super::reader::{Checked, Object, is_object, is_plain, refuse};

/// Checks the array `input`.
///
/// # Errors
/// The first thing that would be refused.
pub(crate) fn input(items: &[Value]) -> Checked {
    if items.is_empty() {
        return refuse("Invalid 'input': empty array.");
    }
    let (mut open, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut thinking = false;
    for (index, item) in items.iter().enumerate() {
        let at = format!("input[{index}]");
        let kind = item.get("type").and_then(Value::as_str).unwrap_or("message");
        if kind == "message" || kind == "reasoning" {
            answered(&open)?;
        }
        let after_thought = std::mem::take(&mut thinking);
        match kind {
            "message" => {
                let role = message(item, at)?;
                if after_thought && role != "assistant" {
                    return lonely();
                }
            }
            "reasoning" => {
                let fields = ["type", "id", "summary", "content", "encrypted_content", "status"];
                let item = Object::read(item, at, &fields)?;
                item.filled("id")?;
                thinking = true;
            }
            "function_call" => {
                let item = Object::read(item, at, &["type", "id", "call_id", "name", "arguments", "status"])?;
                item.word("name", 64, is_plain)?;
                if !is_object(item.text("arguments")?) {
                    return refuse(format!("{}.arguments: should be the JSON of an object", item.at()));
                }
                let id = item.word("call_id", 64, |_| true)?;
                if !seen.insert(id) {
                    return refuse(format!("Duplicate call_id {id}."));
                }
                open.insert(id);
            }
            "function_call_output" => {
                if after_thought {
                    return lonely();
                }
                let id = output(&Object::read(item, at, &["type", "id", "call_id", "output", "status"])?)?;
                if !open.remove(id) {
                    return refuse(format!("No tool call found for function call output with call_id {id}."));
                }
            }
            other => return refuse(format!("{at}.type: '{other}' is not a known type")),
        }
    }
    if thinking {
        return lonely();
    }
    answered(&open)
}

fn lonely() -> Checked {
    refuse("Item of type 'reasoning' was provided without its required following item.")
}

fn answered(open: &BTreeSet<&str>) -> Checked {
    match open.first() {
        Some(id) => refuse(format!("No tool output found for function call {id}.")),
        None => Ok(()),
    }
}

/// Its role.
fn message(item: &Value, at: String) -> Checked<&str> {
    let item = Object::read(item, at, &["type", "role", "content", "id", "status", "phase"])?;
    let role = item.text("role")?;
    let part_type = match role {
        "user" | "system" | "developer" => "input_text",
        "assistant" => "output_text",
        other => return refuse(format!("{}.role: '{other}' is not a known role", item.at())),
    };
    if matches!(item.get("content"), Some(Value::String(_))) {
        item.filled("content")?;
        return Ok(role);
    }
    parts(item.list("content")?, item.at(), part_type)?;
    Ok(role)
}

fn parts(parts: &[Value], at: &str, text_type: &str) -> Checked {
    for (index, part) in parts.iter().enumerate() {
        let fields = ["type", "text", "image_url", "detail", "annotations", "logprobs"];
        let part = Object::read(part, format!("{at}.content[{index}]"), &fields)?;
        match part.text("type")? {
            "input_image" if text_type == "input_text" => drop(part.filled("image_url")?),
            kind if kind == text_type => drop(part.filled("text")?),
            other => return refuse(format!("{}.type: '{other}' does not belong there", part.at())),
        }
    }
    Ok(())
}

/// The id of the call it is for.
fn output<'a>(item: &Object<'a>) -> Checked<&'a str> {
    if !matches!(item.get("output"), Some(Value::String(_))) {
        parts(item.list("output")?, item.at(), "input_text")?;
    }
    item.text("call_id")
}
