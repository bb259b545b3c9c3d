//! Whether a tool's schema is one.

use serde_json::Value;

use super::{Checked, object};

const KINDS: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// Words that the schemas of `parameters` at Google know.
const OPENAPI: [&str; 22] = [
    "anyOf",
    "default",
    "description",
    "enum",
    "example",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "nullable",
    "pattern",
    "properties",
    "propertyOrdering",
    "required",
    "title",
    "type",
];

/// A JSON Schema of a tool's arguments: an object whose parts are schemas.
pub(in crate::model_server) fn arguments(schema: &Value, at: &str) -> Checked {
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        return Err(format!("{at}.type: expected 'object'"));
    }
    json_schema(schema, schema, at)
}

/// The same in the subset that Google's own schema type has.
pub(in crate::model_server) fn openapi(schema: &Value, at: &str) -> Checked {
    let fields = object(schema, at)?;
    // Names of either spelling are taken.
    if let Some(word) = fields.keys().find(|word| !OPENAPI.contains(&camel(word).as_str())) {
        return Err(format!(
            "Invalid JSON payload received. Unknown name \"{word}\" at '{at}': Cannot find field."
        ));
    }
    if let Some(kind) = fields.get("type") {
        let known = kind.as_str().is_some_and(|kind| KINDS.contains(&kind.to_ascii_lowercase().as_str()));
        if !known {
            return Err(format!("Invalid value at '{at}.type': {kind}"));
        }
    }
    for (key, value) in fields {
        match key.as_str() {
            "properties" => {
                for (name, part) in object(value, at)? {
                    openapi(part, &format!("{at}.properties.{name}"))?;
                }
            }
            "items" => openapi(value, &format!("{at}.items"))?,
            "anyOf" | "any_of" => {
                for part in value.as_array().into_iter().flatten() {
                    openapi(part, &format!("{at}.any_of"))?;
                }
            }
            _ => {}
        }
    }
    required(schema, at)
}

/// `any_of` as `anyOf`.
fn camel(word: &str) -> String {
    let mut parts = word.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| {
        let mut letters = part.chars();
        let capital = letters.next().map(|letter| letter.to_ascii_uppercase());
        all + &capital.into_iter().chain(letters).collect::<String>()
    })
}

fn json_schema(root: &Value, schema: &Value, at: &str) -> Checked {
    if schema.is_boolean() {
        return Ok(());
    }
    for (key, value) in object(schema, at)? {
        match key.as_str() {
            "type" => kinds(value, at)?,
            "properties" | "$defs" | "definitions" => {
                for (name, part) in object(value, &format!("{at}.{key}"))? {
                    json_schema(root, part, &format!("{at}.{key}.{name}"))?;
                }
            }
            "items" | "additionalProperties" => json_schema(root, value, &format!("{at}.{key}"))?,
            "anyOf" | "oneOf" | "allOf" => {
                let parts = value.as_array().filter(|parts| !parts.is_empty());
                for part in parts.ok_or_else(|| format!("{at}.{key}: expected a list of schemas"))? {
                    json_schema(root, part, &format!("{at}.{key}"))?;
                }
            }
            "enum" if value.as_array().is_none_or(Vec::is_empty) => {
                return Err(format!("{at}.enum: expected a list of values"));
            }
            "$ref" => {
                let target = value.as_str().and_then(|target| target.strip_prefix('#'));
                if target.and_then(|target| root.pointer(target)).is_none() {
                    return Err(format!("{at}.$ref: {value} is not in the schema"));
                }
            }
            _ => {}
        }
    }
    let is_list = schema.get("type").and_then(Value::as_str) == Some("array");
    if is_list && schema.get("items").is_none() {
        return Err(format!("{at}: array schema missing items"));
    }
    required(schema, at)
}

fn kinds(value: &Value, at: &str) -> Checked {
    let known = |kind: &Value| kind.as_str().is_some_and(|kind| KINDS.contains(&kind));
    let fits = match value {
        Value::Array(list) => !list.is_empty() && list.iter().all(known),
        one => known(one),
    };
    if fits { Ok(()) } else { Err(format!("{at}.type: {value} is not valid")) }
}

fn required(schema: &Value, at: &str) -> Checked {
    let Some(required) = schema.get("required") else { return Ok(()) };
    let names = required.as_array().ok_or_else(|| format!("{at}.required: expected a list"))?;
    for name in names {
        let name = name.as_str().ok_or_else(|| format!("{at}.required: expected names"))?;
        if schema.get("properties").and_then(|properties| properties.get(name)).is_none() {
            return Err(format!("{at}.required: {name} is not among the properties"));
        }
    }
    Ok(())
}
