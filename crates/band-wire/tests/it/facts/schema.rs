//! Holds values against the schemas of the public description.

use std::collections::{BTreeMap, BTreeSet};

use band_wire::Stamp;
use serde_json::Value;
use uuid::Uuid;

use super::facts;

/// The schemas, what was wrong so far, and which properties of which schema were seen.
pub(super) struct Schemas {
    schemas: Value,
    pub(super) problems: Vec<String>,
    seen: BTreeMap<String, BTreeSet<String>>,
}

impl Schemas {
    pub(super) fn load() -> Self {
        Self { schemas: facts("schemas.json"), problems: Vec::new(), seen: BTreeMap::new() }
    }

    pub(super) fn named(&self, name: &str) -> Value {
        self.schemas.get(name).unwrap_or_else(|| panic!("{name} is no schema")).clone()
    }

    /// Notes what of a value does not fit.
    pub(super) fn check(&mut self, value: &Value, schema: &Value, at: &str) {
        if let Some(name) = schema["$ref"].as_str() {
            let schema = self.named(name);
            if let Value::Object(map) = value {
                self.seen.entry(name.to_owned()).or_default().extend(map.keys().cloned());
            }
            return self.check(value, &schema, at);
        }
        if let Some(choices) = schema["oneOf"].as_array() {
            let fits = |choice: &&Value| {
                let mut trial =
                    Self { problems: Vec::new(), seen: BTreeMap::new(), schemas: self.schemas.clone() };
                trial.check(value, choice, at);
                trial.problems.is_empty()
            };
            if !choices.iter().any(|choice| fits(&choice)) {
                self.problems.push(format!("{at}: {value} is none of the choices"));
            }
            return;
        }
        if !types(schema).any(|wanted| has_type(value, wanted)) {
            self.problems.push(format!("{at}: {value} is no {}", schema["type"]));
        } else if !value.is_null() {
            self.check_inside(value, schema, at);
        }
    }

    fn check_inside(&mut self, value: &Value, schema: &Value, at: &str) {
        if let Some(words) = schema["enum"].as_array()
            && !words.contains(value)
        {
            self.problems.push(format!("{at}: {value} is none of {words:?}"));
        }
        match (value, schema["format"].as_str()) {
            (Value::String(text), Some("uuid")) if Uuid::try_parse(text).is_err() => {
                self.problems.push(format!("{at}: {text} is no UUID"));
            }
            (Value::String(text), Some("date-time"))
                if !text.ends_with('Z') || text.parse::<Stamp>().is_err() =>
            {
                self.problems.push(format!("{at}: {text} is no UTC timestamp"));
            }
            _ => {}
        }
        if let Value::Array(items) = value {
            for (index, item) in items.iter().enumerate() {
                self.check(item, &schema["items"], &format!("{at}/{index}"));
            }
        }
        for key in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if value.get(key).is_none() {
                self.problems.push(format!("{at}: {key} is missing"));
            }
        }
        for (key, inner) in value.as_object().into_iter().flatten() {
            let known = schema["properties"].get(key);
            let free = schema.get("additionalProperties").filter(|schema| schema.is_object());
            if let Some(schema) = known.or(free) {
                self.check(inner, schema, &format!("{at}/{key}"));
            }
        }
    }

    /// Pointers to the properties of a value that may be left out, or may be null.
    pub(super) fn optional(&self, value: &Value, schema: &Value, at: &str) -> Vec<String> {
        let schema = schema["$ref"].as_str().map_or_else(|| schema.clone(), |name| self.named(name));
        let choices = schema["oneOf"].as_array().into_iter().flatten();
        let mut found: Vec<String> = choices.flat_map(|choice| self.optional(value, choice, at)).collect();
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            found.extend(self.optional(item, &schema["items"], &format!("{at}/{index}")));
        }
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (key, inner) in value.as_object().into_iter().flatten() {
            let Some(known) = schema["properties"].get(key) else { continue };
            let at = format!("{at}/{key}");
            found.extend(self.optional(inner, known, &at));
            if !required.contains(&key.as_str()) || types(known).any(|wanted| wanted == "null") {
                found.push(at);
            }
        }
        found
    }

    /// Properties of the schemas met so far that no value had.
    pub(super) fn unseen(&self) -> Vec<String> {
        let unseen = self.seen.iter().flat_map(|(name, seen)| {
            let schema = self.named(name);
            let properties: Vec<String> =
                schema["properties"].as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
            properties.into_iter().filter(|key| !seen.contains(key)).map(move |key| format!("{name}.{key}"))
        });
        unseen.collect()
    }
}

/// The types that a schema allows; an empty one allows anything.
fn types(schema: &Value) -> impl Iterator<Item = &str> {
    let listed = schema["type"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let single = schema["type"].as_str();
    let any = schema.get("type").is_none().then_some("any");
    listed.chain(single).chain(any)
}

fn has_type(value: &Value, wanted: &str) -> bool {
    match wanted {
        "any" => true,
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is no type"),
    }
}

#[test]
fn what_does_not_fit_is_noticed() {
    let mut schemas = Schemas::load();
    let me = schemas.named("AgentMe");
    let wrong = serde_json::json!({"id": "x", "name": 7, "handle": "h", "owner_uuid": Uuid::nil(), "tags": [1],
        "inserted_at": "2026-07-01T10:00:00"});
    schemas.check(&wrong, &me, "me");
    let found: Vec<&str> = schemas.problems.iter().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(found, ["me", "me/id", "me/inserted_at", "me/name", "me/tags/0"]);
}
