//! What Chat Completions refuses.

use serde_json::Value;

use super::{Checked, Once, Refused, list, object, schema, text, tool_name, unknown};

const FIELDS: [&str; 38] = [
    "audio",
    "frequency_penalty",
    "function_call",
    "functions",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "metadata",
    "modalities",
    "model",
    "moderation",
    "n",
    "parallel_tool_calls",
    "prediction",
    "presence_penalty",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "reasoning_effort",
    "response_format",
    "safety_identifier",
    "seed",
    "service_tier",
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
    "verbosity",
    "web_search_options",
    "provider",
];
/// Tools in one request.
const TOOLS_MAX: usize = 128;

pub(in crate::model_server) fn request(body: &Value) -> Result<(), Refused> {
    check(body).map_err(invalid)
}

/// OpenAI's form of a request that is wrong.
pub(super) fn invalid(message: String) -> Refused {
    Refused { status: 400, kind: "invalid_request_error".into(), code: None, message }
}

fn check(body: &Value) -> Checked {
    object(body, "body")?;
    if let Some(field) = unknown(body, &FIELDS) {
        return Err(format!("Unrecognized request argument supplied: {field}"));
    }
    text(body, "model", "body").map_err(|_| "you must provide a model parameter".to_owned())?;
    sampling(body)?;
    if body.get("stream_options").is_some() && body.get("stream") != Some(&Value::Bool(true)) {
        return Err("The 'stream_options' parameter is only allowed when 'stream' is enabled.".into());
    }
    if let Some(tools) = body.get("tools") {
        tools_of(tools, |tool| tool.get("function"))?;
    } else if body.get("tool_choice").is_some() {
        return Err("'tool_choice' is only allowed when 'tools' are specified.".into());
    }
    messages(list(body, "messages", "body")?)
}

pub(super) fn sampling(body: &Value) -> Checked {
    for (field, most) in [("temperature", 2.0), ("top_p", 1.0)] {
        let Some(value) = body.get(field).filter(|value| !value.is_null()) else { continue };
        if value.as_f64().is_none_or(|value| !(0.0..=most).contains(&value)) {
            return Err(format!("Invalid '{field}': expected a number from 0 to {most}"));
        }
    }
    for field in ["max_tokens", "max_completion_tokens", "max_output_tokens"] {
        let Some(value) = body.get(field).filter(|value| !value.is_null()) else { continue };
        if value.as_u64().is_none_or(|value| value == 0) {
            return Err(format!("Invalid '{field}': expected a whole number above 0"));
        }
    }
    Ok(())
}

/// The list of tools; `inner` finds the function in one.
pub(super) fn tools_of(tools: &Value, inner: impl Fn(&Value) -> Option<&Value>) -> Checked {
    let tools = tools.as_array().ok_or("Invalid type for 'tools': expected an array of objects")?;
    if tools.is_empty() {
        return Err("Invalid 'tools': empty array. Expected an array with minimum length 1.".into());
    }
    if tools.len() > TOOLS_MAX {
        return Err(format!("Invalid 'tools': array too long, at most {TOOLS_MAX}"));
    }
    let mut names = Once::default();
    for (index, tool) in tools.iter().enumerate() {
        let at = format!("tools[{index}]");
        if tool.get("type").and_then(Value::as_str) != Some("function") {
            return Err(format!("Invalid value for '{at}.type': expected 'function'"));
        }
        let function = inner(tool).ok_or_else(|| format!("Missing required parameter: '{at}.function'"))?;
        let name = text(function, "name", &at)?;
        tool_name(name, 64, &at)?;
        names.see(name, "Tool names")?;
        if function.get("description").is_some_and(|text| !text.is_string()) {
            return Err(format!("Invalid type for '{at}.function.description'"));
        }
        if let Some(parameters) = function.get("parameters") {
            schema::arguments(parameters, &at)
                .map_err(|problem| format!("Invalid schema for function '{name}': {problem}"))?;
        }
    }
    Ok(())
}

fn messages(messages: &[Value]) -> Checked {
    if messages.is_empty() {
        return Err("Invalid 'messages': empty array. Expected an array with minimum length 1.".into());
    }
    let mut open: Vec<String> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let at = format!("messages[{index}]");
        let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
        if role == "tool" {
            answer(message, &mut open, &at)?;
            continue;
        }
        answered(&open)?;
        match role {
            "system" | "developer" => speech(message, &["text"], &at)?,
            "user" => speech(message, &["text", "image_url"], &at)?,
            "assistant" => open = assistant(message, &at)?,
            other => {
                return Err(format!(
                    "Invalid value: '{other}'. Supported values are: 'system', 'developer', 'assistant', 'user' and 'tool'. ({at}.role)"
                ));
            }
        }
    }
    answered(&open)
}

fn answered(open: &[String]) -> Checked {
    if open.is_empty() {
        return Ok(());
    }
    Err(format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
         'tool_call_id'. The following tool_call_ids did not have response messages: {}",
        open.join(", ")
    ))
}

fn answer(message: &Value, open: &mut Vec<String>, at: &str) -> Checked {
    if let Some(field) = unknown(message, &["role", "content", "tool_call_id"]) {
        return Err(format!("Unknown parameter: '{at}.{field}'"));
    }
    let id = text(message, "tool_call_id", at)?;
    let Some(position) = open.iter().position(|call| call == id) else {
        return Err(
            "messages with role 'tool' must be a response to a preceding message with 'tool_calls'.".into()
        );
    };
    open.remove(position);
    if message.get("content").is_none_or(|content| !content.is_string() && !content.is_array()) {
        return Err(format!("Invalid type for '{at}.content'"));
    }
    Ok(())
}

/// A message that is all content.
fn speech(message: &Value, parts: &[&str], at: &str) -> Checked {
    if let Some(field) = unknown(message, &["role", "content", "name"]) {
        return Err(format!("Unknown parameter: '{at}.{field}'"));
    }
    match message.get("content") {
        Some(Value::String(_)) => Ok(()),
        Some(Value::Array(list)) if !list.is_empty() => {
            for (index, part) in list.iter().enumerate() {
                let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
                if !parts.contains(&kind)
                    || part.get(if kind == "text" { "text" } else { "image_url" }).is_none()
                {
                    return Err(format!("Invalid value for '{at}.content[{index}].type': '{kind}'"));
                }
            }
            Ok(())
        }
        _ => Err(format!("Invalid value for '{at}.content': expected a string, got null.")),
    }
}

/// An assistant's message; gives the calls that it leaves open.
fn assistant(message: &Value, at: &str) -> Checked<Vec<String>> {
    let known =
        ["role", "content", "name", "refusal", "tool_calls", "reasoning_content", "reasoning_details"];
    if let Some(field) = unknown(message, &known) {
        return Err(format!("Unknown parameter: '{at}.{field}'"));
    }
    let mut open = Vec::new();
    let calls = message.get("tool_calls").map(|calls| calls.as_array().filter(|calls| !calls.is_empty()));
    if let Some(calls) = calls {
        let calls = calls.ok_or_else(|| format!("Invalid '{at}.tool_calls': empty array"))?;
        let mut ids = Once::default();
        for (index, call) in calls.iter().enumerate() {
            let at = format!("{at}.tool_calls[{index}]");
            let id = text(call, "id", &at)?;
            ids.see(id, "Tool call ids")?;
            if call.get("type").and_then(Value::as_str) != Some("function") {
                return Err(format!("Invalid value for '{at}.type': expected 'function'"));
            }
            let function = call.get("function").ok_or_else(|| format!("Missing '{at}.function'"))?;
            tool_name(text(function, "name", &at)?, 64, &at)?;
            if !function.get("arguments").is_some_and(Value::is_string) {
                return Err(format!("Invalid type for '{at}.function.arguments': expected a string"));
            }
            open.push(id.to_owned());
        }
    }
    let says = message.get("content").is_some_and(|content| !content.is_null());
    if says || !open.is_empty() {
        return Ok(open);
    }
    Err(format!("Invalid value for '{at}.content': expected a string, got null."))
}
