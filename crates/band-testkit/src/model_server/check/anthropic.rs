//! What the Messages API refuses.

use axum::http::HeaderMap;
use serde_json::Value;

use super::{Checked, Once, Refused, list, object, schema, text, tool_name, unknown};
use crate::model_server::state::Minted;

const FIELDS: [&str; 22] = [
    "cache_control",
    "container",
    "context_management",
    "diagnostics",
    "inference_geo",
    "max_tokens",
    "messages",
    "metadata",
    "model",
    "output_config",
    "service_tier",
    "speed",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_k",
    "top_p",
    "user_profile_id",
];
/// Marks of the prompt cache in one request.
const CACHE_MARKS: usize = 4;
/// The least budget for thoughts, in tokens.
const THINKING_MIN: u64 = 1024;

pub(in crate::model_server) fn request(
    headers: &HeaderMap,
    body: &Value,
    minted: &Minted,
) -> Result<(), Refused> {
    let checked = match headers.get("anthropic-version") {
        None => Err("anthropic-version: header is required".to_owned()),
        Some(_) => check(body, minted),
    };
    checked.map_err(|message| Refused {
        status: 400,
        kind: "invalid_request_error".into(),
        code: None,
        message,
    })
}

fn check(body: &Value, minted: &Minted) -> Checked {
    object(body, "body")?;
    if let Some(field) = unknown(body, &FIELDS) {
        return Err(format!("{field}: Extra inputs are not permitted"));
    }
    text(body, "model", "body").map_err(|_| "model: Field required".to_owned())?;
    let most = body.get("max_tokens").and_then(Value::as_u64).filter(|most| *most > 0);
    let most = most.ok_or("max_tokens: Field required")?;
    thinking(body, most)?;
    if cache_marks(body) > CACHE_MARKS {
        return Err(format!("A maximum of {CACHE_MARKS} blocks with cache_control may be provided."));
    }
    match body.get("system") {
        None | Some(Value::String(_)) => {}
        Some(Value::Array(blocks)) => {
            for (index, block) in blocks.iter().enumerate() {
                words(block, &format!("system.{index}"))?;
            }
        }
        Some(_) => return Err("system: Input should be a valid string or list".into()),
    }
    if let Some(tools) = body.get("tools") {
        tools_of(tools)?;
    }
    messages(list(body, "messages", "body").map_err(|_| "messages: Field required".to_owned())?, minted)
}

fn thinking(body: &Value, most: u64) -> Checked {
    let Some(thinking) = body.get("thinking") else { return Ok(()) };
    match thinking.get("type").and_then(Value::as_str) {
        Some("disabled" | "adaptive") => Ok(()),
        Some("enabled") => {
            let budget = thinking.get("budget_tokens").and_then(Value::as_u64).unwrap_or_default();
            if budget < THINKING_MIN {
                return Err(format!(
                    "thinking.enabled.budget_tokens: Input should be greater than or equal to {THINKING_MIN}"
                ));
            }
            if budget >= most {
                return Err("`max_tokens` must be greater than `thinking.budget_tokens`.".into());
            }
            if body.get("temperature").is_some_and(|value| value.as_f64() != Some(1.0)) {
                return Err("`temperature` may only be set to 1 when thinking is enabled.".into());
            }
            Ok(())
        }
        _ => Err("thinking.type: Input should be 'enabled', 'disabled' or 'adaptive'".into()),
    }
}

fn cache_marks(value: &Value) -> usize {
    match value {
        Value::Object(fields) => {
            let here = usize::from(fields.contains_key("cache_control"));
            here + fields.values().map(cache_marks).sum::<usize>()
        }
        Value::Array(list) => list.iter().map(cache_marks).sum(),
        _ => 0,
    }
}

fn tools_of(tools: &Value) -> Checked {
    let mut names = Once::default();
    for (index, tool) in tools.as_array().ok_or("tools: Input should be a valid list")?.iter().enumerate() {
        let at = format!("tools.{index}");
        let known = [
            "name",
            "description",
            "input_schema",
            "type",
            "cache_control",
            "strict",
            "defer_loading",
            "input_examples",
            "allowed_callers",
            "eager_input_streaming",
        ];
        if let Some(field) = unknown(tool, &known) {
            return Err(format!("{at}.{field}: Extra inputs are not permitted"));
        }
        let name = text(tool, "name", &at)?;
        tool_name(name, 128, &at)?;
        names.see(name, "tools: Tool names")?;
        let schema = tool.get("input_schema").ok_or_else(|| format!("{at}.input_schema: Field required"))?;
        schema::arguments(schema, &format!("{at}.input_schema"))?;
    }
    Ok(())
}

/// A block of text with something to read in it.
fn words(block: &Value, at: &str) -> Checked {
    if let Some(field) = unknown(block, &["type", "text", "cache_control", "citations"]) {
        return Err(format!("{at}.{field}: Extra inputs are not permitted"));
    }
    match block.get("text").and_then(Value::as_str) {
        None => Err(format!("{at}.text: Field required")),
        Some("") => Err(format!("{at}: text content blocks must be non-empty")),
        Some(text) if text.trim().is_empty() => {
            Err(format!("{at}: text content blocks must contain non-whitespace text"))
        }
        Some(_) => Ok(()),
    }
}

fn messages(messages: &[Value], minted: &Minted) -> Checked {
    let mut open: Vec<String> = Vec::new();
    let mut ids = Once::default();
    let mut last = "";
    if messages.is_empty() {
        return Err("messages: at least one message is required".into());
    }
    for (index, message) in messages.iter().enumerate() {
        let at = format!("messages.{index}");
        if let Some(field) = unknown(message, &["role", "content"]) {
            return Err(format!("{at}.{field}: Extra inputs are not permitted"));
        }
        last = message.get("role").and_then(Value::as_str).unwrap_or_default();
        if index == 0 && last == "assistant" {
            return Err("messages: first message must use the \"user\" role".into());
        }
        let content = match message.get("content") {
            Some(Value::String(text)) if !text.trim().is_empty() => Vec::new(),
            Some(Value::Array(blocks)) if !blocks.is_empty() => blocks.iter().collect(),
            _ => return Err(format!("{at}: all messages must have non-empty content")),
        };
        match last {
            "user" => results(&content, &mut open, &at)?,
            "assistant" => {
                unanswered(&open, index)?;
                open = uses(&content, &mut ids, minted, &at)?;
            }
            other => {
                return Err(format!(
                    "{at}.role: Unexpected role \"{other}\". The Messages API accepts a top-level `system` parameter."
                ));
            }
        }
        if last == "user" {
            unanswered(&open, index)?;
        }
    }
    if last == "user" {
        Ok(())
    } else {
        Err("This model does not support assistant message prefill. The conversation must end with a user message.".into())
    }
}

fn unanswered(open: &[String], index: usize) -> Checked {
    if open.is_empty() {
        return Ok(());
    }
    Err(format!(
        "messages.{index}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each \
         `tool_use` block must have a corresponding `tool_result` block in the next message.",
        open.join(", ")
    ))
}

fn results(blocks: &[&Value], open: &mut Vec<String>, at: &str) -> Checked {
    let mut has_spoken = false;
    for (index, block) in blocks.iter().enumerate() {
        let at = format!("{at}.content.{index}");
        match block.get("type").and_then(Value::as_str).unwrap_or_default() {
            "text" => {
                words(block, &at)?;
                has_spoken = true;
            }
            "image" => has_spoken = true,
            "tool_result" => {
                if let Some(field) =
                    unknown(block, &["type", "tool_use_id", "content", "is_error", "cache_control"])
                {
                    return Err(format!("{at}.{field}: Extra inputs are not permitted"));
                }
                let id = text(block, "tool_use_id", &at)?;
                let Some(position) = open.iter().position(|call| call == id) else {
                    return Err(format!(
                        "{at}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
                    ));
                };
                if has_spoken {
                    return Err(format!("{at}: `tool_result` blocks must come first in the message"));
                }
                open.remove(position);
            }
            other => return Err(format!("{at}.type: '{other}' is not expected here")),
        }
    }
    Ok(())
}

/// What an assistant says; gives the uses of tools that it leaves open.
fn uses(blocks: &[&Value], ids: &mut Once, minted: &Minted, at: &str) -> Checked<Vec<String>> {
    let mut open = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let at = format!("{at}.content.{index}");
        match block.get("type").and_then(Value::as_str).unwrap_or_default() {
            "text" => words(block, &at)?,
            "thinking" => {
                let signature = block.get("signature").and_then(Value::as_str).unwrap_or_default();
                if !minted.is_signed(signature) {
                    return Err(format!("{at}: Invalid `signature` in `thinking` block"));
                }
            }
            "redacted_thinking" => {}
            "tool_use" => {
                if let Some(field) =
                    unknown(block, &["type", "id", "name", "input", "cache_control", "caller"])
                {
                    return Err(format!("{at}.{field}: Extra inputs are not permitted"));
                }
                let id = text(block, "id", &at)?;
                tool_name(id, 200, &format!("{at}.id"))?;
                ids.see(id, "`tool_use` ids")?;
                tool_name(text(block, "name", &at)?, 128, &at)?;
                if !block.get("input").is_some_and(Value::is_object) {
                    return Err(format!("{at}.input: Input should be a valid dictionary"));
                }
                open.push(id.to_owned());
            }
            other => return Err(format!("{at}.type: '{other}' is not expected here")),
        }
    }
    Ok(open)
}
