//! What the Responses API refuses.

use serde_json::Value;

use super::chat::{invalid, sampling, tools_of};
use super::{Checked, Once, Refused, object, text, tool_name, unknown};
use crate::model_server::state::Minted;

const FIELDS: [&str; 34] = [
    "access_programs",
    "background",
    "background_options",
    "context_management",
    "conversation",
    "image",
    "include",
    "input",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "model",
    "moderation",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
];

pub(in crate::model_server) fn request(body: &Value, minted: &Minted) -> Result<(), Refused> {
    check(body, minted).map_err(invalid)
}

fn check(body: &Value, minted: &Minted) -> Checked {
    object(body, "body")?;
    if let Some(field) = unknown(body, &FIELDS) {
        return Err(format!("Unknown parameter: '{field}'."));
    }
    text(body, "model", "body").map_err(|_| "Missing required parameter: 'model'.".to_owned())?;
    sampling(body)?;
    if let Some(tools) =
        body.get("tools").filter(|tools| tools.as_array().is_none_or(|list| !list.is_empty()))
    {
        tools_of(tools, |tool| Some(tool))?;
    }
    match body.get("input") {
        Some(Value::String(input)) if !input.is_empty() => Ok(()),
        Some(Value::Array(items)) if !items.is_empty() => input(items, minted),
        _ => Err("Missing required parameter: 'input'.".into()),
    }
}

fn input(items: &[Value], minted: &Minted) -> Checked {
    let mut calls: Vec<String> = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut ids = Once::default();
    for (index, item) in items.iter().enumerate() {
        let at = format!("input[{index}]");
        match item.get("type").and_then(Value::as_str).unwrap_or("message") {
            "message" => message(item, &at)?,
            "function_call" => {
                if let Some(field) = unknown(item, &["type", "id", "call_id", "name", "arguments", "status"])
                {
                    return Err(format!("Unknown parameter: '{at}.{field}'."));
                }
                tool_name(text(item, "name", &at)?, 64, &at)?;
                if !item.get("arguments").is_some_and(Value::is_string) {
                    return Err(format!("Invalid type for '{at}.arguments': expected a string"));
                }
                let id = text(item, "call_id", &at)?;
                ids.see(id, "call_id")?;
                calls.push(id.to_owned());
                open.push(id.to_owned());
            }
            "function_call_output" => {
                if let Some(field) = unknown(item, &["type", "id", "call_id", "output", "status"]) {
                    return Err(format!("Unknown parameter: '{at}.{field}'."));
                }
                let id = text(item, "call_id", &at)?;
                if !calls.iter().any(|call| call == id) {
                    return Err(format!("No tool call found for function call output with call_id {id}."));
                }
                open.retain(|call| call != id);
                if item.get("output").is_none_or(|output| !output.is_string() && !output.is_array()) {
                    return Err(format!("Invalid type for '{at}.output'"));
                }
            }
            "reasoning" => {
                let sealed = item.get("encrypted_content").and_then(Value::as_str).unwrap_or_default();
                if !minted.is_signed(sealed) {
                    return Err(format!("The encrypted content for item {at} could not be verified."));
                }
                let follows = items.get(index + 1).is_some_and(|next| next.get("type").is_some());
                if !follows {
                    return Err(format!(
                        "Item {at} of type 'reasoning' was provided without its required following item."
                    ));
                }
            }
            other => return Err(format!("Invalid value: '{other}'. ({at}.type)")),
        }
    }
    match open.first() {
        None => Ok(()),
        Some(id) => Err(format!("No tool output found for function call {id}.")),
    }
}

fn message(item: &Value, at: &str) -> Checked {
    if let Some(field) = unknown(item, &["type", "id", "role", "content", "status"]) {
        return Err(format!("Unknown parameter: '{at}.{field}'."));
    }
    let role = item.get("role").and_then(Value::as_str).unwrap_or_default();
    let parts: &[&str] = match role {
        "user" | "system" | "developer" => &["input_text", "input_image", "input_file"],
        "assistant" => &["output_text", "refusal"],
        other => {
            return Err(format!(
                "Invalid value: '{other}'. Supported values are: 'assistant', 'system', 'developer', and 'user'. ({at}.role)"
            ));
        }
    };
    match item.get("content") {
        Some(Value::String(_)) => Ok(()),
        Some(Value::Array(list)) if !list.is_empty() => {
            let kind = |part: &Value| part.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
            match list.iter().map(kind).find(|kind| !parts.contains(&kind.as_str())) {
                None => Ok(()),
                Some(kind) => {
                    Err(format!("Invalid value: '{kind}'. Supported values are: {parts:?}. ({at}.content)"))
                }
            }
        }
        _ => Err(format!("Missing required parameter: '{at}.content'.")),
    }
}
