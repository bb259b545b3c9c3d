//! What the Gemini API refuses.

use serde_json::Value;

use super::{Checked, Once, Refused, list, object, schema, text, unknown};
use crate::model_server::state::Minted;

const FIELDS: [&str; 10] = [
    "contents",
    "tools",
    "toolConfig",
    "safetySettings",
    "systemInstruction",
    "generationConfig",
    "cachedContent",
    "serviceTier",
    "store",
    "labels",
];
const PART: [&str; 6] =
    ["text", "thought", "thoughtSignature", "functionCall", "functionResponse", "inlineData"];

pub(in crate::model_server) fn request(body: &Value, minted: &Minted) -> Result<(), Refused> {
    let refused = |message| Refused { status: 400, kind: "INVALID_ARGUMENT".into(), code: None, message };
    check(body, minted).map_err(refused)
}

fn no_field(field: &str, at: &str) -> String {
    format!("Invalid JSON payload received. Unknown name \"{field}\"{at}: Cannot find field.")
}

fn check(body: &Value, minted: &Minted) -> Checked {
    object(body, "body")?;
    if let Some(field) = unknown(body, &FIELDS) {
        return Err(no_field(field, ""));
    }
    if let Some(system) = body.get("systemInstruction") {
        for part in list(system, "parts", "system_instruction")? {
            text(part, "text", "system_instruction.parts")?;
        }
    }
    let mut names = Once::default();
    for tool in body.get("tools").and_then(Value::as_array).into_iter().flatten() {
        if let Some(field) = unknown(tool, &["functionDeclarations"]) {
            return Err(no_field(field, " at 'tools'"));
        }
        for declaration in list(tool, "functionDeclarations", "tools")? {
            declared(declaration, &mut names)?;
        }
    }
    let contents = list(body, "contents", "body").ok().filter(|list| !list.is_empty());
    turns(contents.ok_or("* GenerateContentRequest.contents: contents is not specified")?, minted)
}

fn declared(declaration: &Value, names: &mut Once) -> Checked {
    let at = "tools.function_declarations";
    let known = [
        "name",
        "description",
        "parameters",
        "parametersJsonSchema",
        "response",
        "responseJsonSchema",
        "behavior",
    ];
    if let Some(field) = unknown(declaration, &known) {
        return Err(no_field(field, " at 'tools.function_declarations'"));
    }
    let name = text(declaration, "name", at)?;
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "_.:-".contains(letter);
    let starts = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    if !starts || name.len() > 64 || !name.chars().all(fits) {
        return Err(format!("Invalid function name: {name}. Must start with a letter or an underscore."));
    }
    names.see(name, "Function names")?;
    match (declaration.get("parameters"), declaration.get("parametersJsonSchema")) {
        (Some(_), Some(_)) => {
            Err(format!("{at}: only one of parameters and parameters_json_schema may be set"))
        }
        (Some(own), None) => schema::openapi(own, &format!("{at}.parameters")),
        (None, Some(json)) => schema::arguments(json, &format!("{at}.parameters_json_schema")),
        (None, None) => Ok(()),
    }
}

/// Calls of one turn of the model: names, in order.
type Calls = Vec<String>;

fn turns(contents: &[Value], minted: &Minted) -> Checked {
    let mut open = Calls::new();
    let mut before = "";
    for (index, content) in contents.iter().enumerate() {
        let at = format!("contents[{index}]");
        if let Some(field) = unknown(content, &["role", "parts"]) {
            return Err(no_field(field, &format!(" at '{at}'")));
        }
        let role = content.get("role").and_then(Value::as_str).unwrap_or_default();
        if !["user", "model"].contains(&role) {
            return Err("Please use a valid role: user, model.".into());
        }
        let parts = list(content, "parts", &at)?;
        if parts.is_empty() {
            return Err(format!("* GenerateContentRequest.{at}.parts: contents.parts must not be empty."));
        }
        let (calls, answers) = parts_of(parts, minted, &at)?;
        if answers != open {
            return Err("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.".into());
        }
        if !calls.is_empty() && before != "user" {
            return Err("Please ensure that function call turn comes immediately after a user turn or after a function response turn.".into());
        }
        if (role == "user" && !calls.is_empty()) || (role == "model" && !answers.is_empty()) {
            return Err("Please use a valid role: user, model.".into());
        }
        open = calls;
        before = role;
    }
    if !open.is_empty() {
        return Err("Please ensure that function call turn is followed by a function response turn.".into());
    }
    if before == "user" {
        Ok(())
    } else {
        Err("Please ensure that single turn requests end with a user role or the role field is empty.".into())
    }
}

/// The calls and the answers among the parts.
fn parts_of(parts: &[Value], minted: &Minted, at: &str) -> Checked<(Calls, Calls)> {
    let (mut calls, mut answers) = (Calls::new(), Calls::new());
    for (index, part) in parts.iter().enumerate() {
        let at = format!("{at}.parts[{index}]");
        if let Some(field) = unknown(part, &PART) {
            return Err(no_field(field, &format!(" at '{at}'")));
        }
        let data = ["text", "functionCall", "functionResponse", "inlineData"];
        let count = data.iter().filter(|key| part.get(**key).is_some()).count();
        if count != 1 {
            return Err(format!(
                "* GenerateContentRequest.{at}.data: required oneof field 'data' must have one initialized field"
            ));
        }
        if let Some(signature) = part.get("thoughtSignature").and_then(Value::as_str)
            && !minted.is_signed(signature)
        {
            return Err("Thought signature is not valid.".into());
        }
        if let Some(call) = part.get("functionCall") {
            if let Some(field) = unknown(call, &["id", "name", "args"]) {
                return Err(no_field(field, &format!(" at '{at}.function_call'")));
            }
            calls.push(text(call, "name", &at)?.to_owned());
        }
        if let Some(answer) = part.get("functionResponse") {
            if let Some(field) = unknown(answer, &["id", "name", "response", "parts"]) {
                return Err(no_field(field, &format!(" at '{at}.function_response'")));
            }
            if !answer.get("response").is_some_and(Value::is_object) {
                return Err(format!("Invalid value at '{at}.function_response.response'"));
            }
            answers.push(text(answer, "name", &at)?.to_owned());
        }
    }
    Ok((calls, answers))
}
