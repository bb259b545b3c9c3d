//! Facts of the OpenAPI document.

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

/// The keywords of a schema that are facts.
const KEPT: &[&str] = &[
    "$ref",
    "additionalProperties",
    "const",
    "default",
    "enum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "oneOf",
    "properties",
    "required",
    "type",
];

/// Methods of a path.
const METHODS: &[&str] = &["delete", "get", "patch", "post", "put"];

/// Every named schema, without its texts.
pub(super) fn schemas(document: &Value) -> Result<Value> {
    let schemas = document.pointer("/components/schemas").and_then(Value::as_object);
    let schemas = schemas.context("the document has no schemas")?;
    Ok(schemas.iter().map(|(name, value)| (name.clone(), schema(value))).collect())
}

/// Every operation: parameters, body, answers.
pub(super) fn operations(document: &Value) -> Result<Value> {
    let paths = document.get("paths").and_then(Value::as_object).context("the document has no paths")?;
    let mut operations = Vec::new();
    for (path, item) in paths {
        for method in METHODS {
            operations.extend(item.get(method).map(|found| operation(path, method, found)));
        }
    }
    Ok(operations.into())
}

fn operation(path: &str, method: &str, found: &Value) -> Value {
    let parameters = found.get("parameters").and_then(Value::as_array).into_iter().flatten().map(parameter);
    let responses = found.get("responses").and_then(Value::as_object).into_iter().flatten();
    let answers: Map<_, _> =
        responses.map(|(status, answer)| (status.clone(), content(Some(answer)))).collect();
    json!({
        "answers": answers,
        "body": content(found.get("requestBody")),
        "id": found.get("operationId"),
        "method": method.to_uppercase(),
        "parameters": parameters.collect::<Vec<_>>(),
        "path": path,
    })
}

fn parameter(found: &Value) -> Value {
    json!({
        "in": found.get("in"),
        "name": found.get("name"),
        "required": found.get("required").unwrap_or(&Value::Bool(false)),
        "schema": found.get("schema").map(schema),
    })
}

/// The schema of a JSON body; null where there is none.
fn content(holder: Option<&Value>) -> Value {
    let found = holder.and_then(|holder| holder.pointer("/content/application~1json/schema"));
    found.map_or(Value::Null, schema)
}

/// A schema without its texts. A property may have the name of a keyword, so properties are taken one by one.
pub(super) fn schema(value: &Value) -> Value {
    let Value::Object(map) = value else { return value.clone() };
    let facts = map.iter().filter(|(key, _)| KEPT.contains(&key.as_str()));
    facts.map(|(key, value)| (key.clone(), keyword(key, value))).collect()
}

fn keyword(key: &str, value: &Value) -> Value {
    match (key, value) {
        ("properties", Value::Object(fields)) => {
            fields.iter().map(|(name, value)| (name.clone(), schema(value))).collect()
        }
        ("items" | "additionalProperties", value) => schema(value),
        ("oneOf", Value::Array(choices)) => choices.iter().map(schema).collect(),
        ("$ref", Value::String(path)) => {
            let name = path.trim_start_matches("#/components/schemas/");
            name.replace("~1", "/").into()
        }
        (_, value) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_go_and_properties_named_like_texts_stay() {
        let found = schema(&json!({
            "description": "A thing of some kind, described.",
            "properties": {"title": {"type": "string", "title": "Title", "example": "x"}, "description": {}},
            "required": ["title"],
        }));
        let facts = json!({
            "properties": {"title": {"type": "string"}, "description": {}},
            "required": ["title"],
        });
        assert_eq!(found, facts);
    }

    #[test]
    fn references_are_names() {
        let found = schema(&json!({"items": {"$ref": "#/components/schemas/Agent API~1Peers_list"}}));
        assert_eq!(found, json!({"items": {"$ref": "Agent API/Peers_list"}}));
    }
}
