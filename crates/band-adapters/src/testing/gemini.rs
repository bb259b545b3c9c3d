//! Gemini.

use serde_json::Value;

use super::reader::{Checked, Object, refuse};

/// What can be in a part, one of them.
const DATA: [&str; 4] = ["text", "inlineData", "functionCall", "functionResponse"];

/// Checks the array `contents`.
///
/// # Errors
/// The first thing that would be refused.
pub(crate) fn contents(contents: &[Value]) -> Checked {
    let mut open: Vec<&str> = Vec::new();
    let mut last = "model";
    for (index, content) in contents.iter().enumerate() {
        let content = Object::read(content, format!("contents[{index}]"), &["role", "parts"])?;
        let role = content.text("role")?;
        if !["user", "model"].contains(&role) {
            return refuse("Please use a valid role: user, model.");
        }
        if role == last {
            return refuse("Please ensure that multiturn requests alternate between user and model.");
        }
        let parts = content.list("parts")?;
        open = if role == "user" { user(parts, content.at(), &open)? } else { model(parts, content.at())? };
        last = role;
    }
    match (contents.is_empty(), last) {
        (true, _) => refuse("GenerateContentRequest.contents: contents is not specified"),
        (false, "user") => Ok(()),
        (false, _) => {
            refuse("Please ensure that single turn requests end with a user role or the role field is empty.")
        }
    }
}

/// What models that sign their thoughts want besides: in the turn that is under way, the first call of each step
/// has its signature. A turn begins with the newest text of the other side.
///
/// # Errors
/// A signature is missing.
pub(crate) fn signatures(contents: &[Value]) -> Checked {
    let has = |part: &Value, key| part.get(key).is_some();
    let parts = |content: &Value| content.get("parts").and_then(Value::as_array).cloned().unwrap_or_default();
    let is_user = |content: &Value| content.get("role").is_some_and(|role| role == "user");
    let begins = |content: &Value| is_user(content) && parts(content).iter().any(|part| has(part, "text"));
    let from = contents.iter().rposition(begins).unwrap_or_default();
    for (index, content) in contents.iter().enumerate().skip(from) {
        let parts = parts(content);
        let first = parts.iter().find(|part| has(part, "functionCall"));
        if first.is_some_and(|part| !has(part, "thoughtSignature")) {
            return refuse(format!(
                "Function call is missing a thought_signature in functionCall parts: contents[{index}]"
            ));
        }
    }
    Ok(())
}

fn data(part: &Value, at: String) -> Checked<(Object<'_>, &'static str)> {
    let part = Object::read(
        part,
        at,
        &["text", "inlineData", "functionCall", "functionResponse", "thoughtSignature", "thought"],
    )?;
    let mut data = DATA.into_iter().filter(|key| part.has(key));
    match (data.next(), data.next()) {
        (Some(key), None) => Ok((part, key)),
        _ => {
            refuse(format!("{}.data: required oneof field 'data' must have one initialized field", part.at()))
        }
    }
}

/// The names of its calls.
fn model<'a>(parts: &'a [Value], at: &str) -> Checked<Vec<&'a str>> {
    let mut names = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let (part, key) = data(part, format!("{at}.parts[{index}]"))?;
        match key {
            "text" => drop(part.filled("text")?),
            "functionCall" => {
                let call = part.get(key).unwrap_or(&Value::Null);
                let call = Object::read(call, format!("{}.{key}", part.at()), &["id", "name", "args"])?;
                names.push(name(&call)?);
                if call.has("args") {
                    call.map("args")?;
                }
            }
            other => return refuse(format!("{}: {other} does not belong to the model", part.at())),
        }
    }
    Ok(names)
}

/// Whether it answers the calls before it: each, in their order, before all else. None are left open.
fn user<'a>(parts: &[Value], at: &str, open: &[&str]) -> Checked<Vec<&'a str>> {
    let mut answered = Vec::new();
    let mut after = false;
    for (index, part) in parts.iter().enumerate() {
        let (part, key) = data(part, format!("{at}.parts[{index}]"))?;
        match key {
            "text" => drop(part.filled("text")?),
            "inlineData" => {
                let blob = part.get(key).unwrap_or(&Value::Null);
                let blob = Object::read(blob, part.at(), &["mimeType", "data"])?;
                blob.filled("mimeType")?;
                blob.filled("data")?;
            }
            "functionResponse" if after => {
                return refuse(format!("{}: function responses must stand together", part.at()));
            }
            "functionResponse" => {
                let given = part.get(key).unwrap_or(&Value::Null);
                let given = Object::read(given, part.at(), &["id", "name", "response"])?;
                answered.push(name(&given)?);
                given.map("response")?;
            }
            other => return refuse(format!("{}: {other} does not belong to the user", part.at())),
        }
        after |= key != "functionResponse";
    }
    if answered != open {
        return refuse(
            "Please ensure that the number of function response parts is equal to the number of function call parts \
             of the function call turn.",
        );
    }
    Ok(Vec::new())
}

fn name<'a>(call: &Object<'a>) -> Checked<&'a str> {
    let name = call.word("name", 64, |c| c.is_ascii_alphanumeric() || "_.:-".contains(c))?;
    if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        return Ok(name);
    }
    refuse(format!("{}.name: Must start with a letter or an underscore.", call.at()))
}
