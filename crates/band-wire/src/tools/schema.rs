//! Schemas from types, in the one form that all providers take.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// How deep schemas may refer to others.
const MAX_DEPTH: usize = 32;

/// What is left out of schemas for models: several providers refuse it.
const BOUNDS: [&str; 5] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];

/// The JSON Schema of a type's fields, and the description of the whole: both from its doc comments.
///
/// Definitions stand where they are used, whatever may be null is `anyOf` with null and null its default, and titles are
/// left out. A definition that refers to itself stays a reference.
pub fn schema_of<A: JsonSchema>() -> (Value, String) {
    let raw = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<A>();
    let mut raw = raw.to_value();
    let description = raw.get("description").and_then(Value::as_str).map(one_paragraph).unwrap_or_default();
    let defs = match raw.as_object_mut() {
        Some(root) => {
            root.remove("description");
            root.remove("$schema");
            root.remove("$defs")
        }
        None => None,
    };
    let defs = match defs {
        Some(Value::Object(defs)) => defs,
        _ => Map::new(),
    };
    let mut shaper = Shaper { defs: &defs, open: Vec::new(), recursive: false };
    let mut schema = shaper.shaped(raw);
    let recursive = shaper.recursive;
    if let Value::Object(root) = &mut schema {
        root.entry("type").or_insert_with(|| "object".into());
        root.entry("properties").or_insert_with(|| json!({}));
        if recursive {
            let mut shaper = Shaper { defs: &defs, open: Vec::new(), recursive: false };
            let kept =
                defs.iter().map(|(name, def)| (name.clone(), shaper.whole(name, def.clone()))).collect();
            root.insert("$defs".to_owned(), Value::Object(kept));
        }
    }
    (schema, description)
}

/// A schema as models are told it: without numeric bounds. Fields that are called like a bound stay.
pub fn for_models(schema: &Value) -> Value {
    without(schema, &BOUNDS)
}

/// What Gemini refuses in a schema.
const NOT_GEMINI: [&str; 13] = [
    "$defs",
    "$schema",
    "additionalProperties",
    "contains",
    "dependentSchemas",
    "else",
    "examples",
    "if",
    "not",
    "patternProperties",
    "propertyNames",
    "then",
    "unevaluatedProperties",
];

/// A schema in the words that Gemini knows.
pub(super) fn for_gemini(schema: &Value) -> Value {
    let mut schema = without(&without(schema, &NOT_GEMINI), &BOUNDS);
    plain(&mut schema);
    schema
}

/// References become objects, and one of several forms any of them.
fn plain(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    if map.remove("$ref").is_some() {
        map.insert("type".to_owned(), "object".into());
    }
    if let Some(forms) = map.remove("oneOf") {
        map.insert("anyOf".to_owned(), forms);
    }
    for (key, value) in map.iter_mut() {
        match (key.as_str(), value) {
            ("properties", Value::Object(named)) => named.values_mut().for_each(plain),
            ("anyOf" | "allOf" | "prefixItems", Value::Array(all)) => all.iter_mut().for_each(plain),
            ("items", schema) => plain(schema),
            _ => {}
        }
    }
}

/// A schema without these keywords, wherever they stand as keywords.
pub(super) fn without(schema: &Value, keywords: &[&str]) -> Value {
    match schema {
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, _)| !keywords.contains(&key.as_str()));
            kept.map(|(key, value)| (key.clone(), below(key, value, |schema| without(schema, keywords))))
                .collect()
        }
        other => other.clone(),
    }
}

/// What stands under a keyword: schemas by name, a list of schemas, a schema, or data.
fn below(key: &str, value: &Value, mut each: impl FnMut(&Value) -> Value) -> Value {
    match (key, value) {
        (
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas",
            Value::Object(named),
        ) => named.iter().map(|(name, schema)| (name.clone(), each(schema))).collect(),
        ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(all)) => all.iter().map(each).collect(),
        ("items" | "additionalProperties" | "not" | "contains" | "propertyNames", Value::Object(_)) => {
            each(value)
        }
        _ => value.clone(),
    }
}

struct Shaper<'a> {
    defs: &'a Map<String, Value>,
    /// The definitions that are being put in place.
    open: Vec<String>,
    recursive: bool,
}

impl Shaper<'_> {
    fn whole(&mut self, name: &str, def: Value) -> Value {
        self.open.push(name.to_owned());
        let shaped = self.shaped(def);
        self.open.pop();
        shaped
    }

    fn shaped(&mut self, schema: Value) -> Value {
        let Value::Object(mut map) = schema else { return schema };
        if let Some(target) =
            map.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix("#/$defs/"))
        {
            let target = target.to_owned();
            if self.open.contains(&target) || self.open.len() >= MAX_DEPTH {
                self.recursive = true;
                return Value::Object(map);
            }
            let def = self.defs.get(&target).cloned().unwrap_or(Value::Bool(true));
            let mut put = self.whole(&target, def);
            map.remove("$ref");
            if let Value::Object(put) = &mut put {
                // What is said where it is used says more than what is said of the type.
                put.append(&mut tidy(map));
            }
            return put;
        }
        let map = tidy(map);
        let mut shaped: Map<String, Value> = map
            .into_iter()
            .map(|(key, value)| {
                let value = below(&key, &value, |schema| self.shaped(schema.clone()));
                (key, value)
            })
            .collect();
        nullable(&mut shaped);
        Value::Object(shaped)
    }
}

/// Without titles and the names of machine integers, and with its description in one paragraph.
fn tidy(mut map: Map<String, Value>) -> Map<String, Value> {
    if map.get("title").is_some_and(Value::is_string) {
        map.remove("title");
    }
    if let Some(Value::String(text)) = map.get_mut("description") {
        *text = one_paragraph(text);
    }
    let is_machine = |format: &str| format.starts_with("uint") || format.starts_with("int");
    if map.get("format").and_then(Value::as_str).is_some_and(is_machine) {
        map.remove("format");
        if map.get("minimum") == Some(&json!(0)) {
            map.remove("minimum");
        }
    }
    if map.get("required").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        map.remove("required");
    }
    if let Some(only) = map.remove("const") {
        map.insert("enum".to_owned(), json!([only]));
    }
    map
}

/// Writes what may be null in one way.
fn nullable(map: &mut Map<String, Value>) {
    let types = map.get("type").and_then(Value::as_array).cloned().unwrap_or_default();
    let has_null = |list: &[Value]| list.iter().any(|one| one == "null");
    if has_null(&types) {
        let mut inner = Map::new();
        for (key, value) in std::mem::take(map) {
            match key.as_str() {
                "description" | "default" => {
                    map.insert(key, value);
                }
                _ => {
                    inner.insert(key, value);
                }
            }
        }
        let others: Vec<Value> = types.into_iter().filter(|one| one != "null").collect();
        let kind = if let [one] = others.as_slice() { one.clone() } else { Value::Array(others) };
        inner.insert("type".to_owned(), kind);
        if let Some(Value::Array(words)) = inner.get_mut("enum") {
            words.retain(|word| !word.is_null());
        }
        map.insert("anyOf".to_owned(), json!([inner, { "type": "null" }]));
    }
    let is_null = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "null");
    if map.get("anyOf").and_then(Value::as_array).is_some_and(|all| all.iter().any(is_null)) {
        map.entry("default").or_insert(Value::Null);
    }
}

/// Doc comments are wrapped where lines end; models get their paragraphs whole.
fn one_paragraph(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::*;

    /// Files a ticket
    /// with the team.
    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "only its schema matters")]
    struct Ticket {
        /// One line:
        /// what is broken.
        summary: String,
        #[schemars(range(min = 1, max = 5))]
        urgency: Option<u8>,
        /// Where it was seen.
        place: Option<Place>,
        #[serde(default)]
        maximum: u32,
    }

    /// A place.
    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "only its schema matters")]
    struct Place {
        house: String,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "only its schema matters")]
    struct Tree {
        leaves: Vec<Tree>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "only its schema matters")]
    struct Wood {
        first: Tree,
    }

    #[test]
    fn a_type_gives_a_schema_that_every_provider_takes() {
        let (schema, description) = schema_of::<Ticket>();
        assert_eq!(description, "Files a ticket with the team.");
        let place = json!({ "type": "object", "description": "A place.",
            "properties": { "house": { "type": "string" } }, "required": ["house"] });
        let expected = json!({
            "type": "object",
            "properties": {
                "summary": { "type": "string", "description": "One line: what is broken." },
                "urgency": { "anyOf": [{ "type": "integer" }, { "type": "null" }], "default": null },
                "place": { "anyOf": [place, { "type": "null" }], "default": null, "description": "Where it was seen." },
                "maximum": { "type": "integer", "default": 0 },
            },
            "required": ["summary"],
        });
        assert_eq!(for_models(&schema), expected);
        let bounds = &schema["properties"]["urgency"]["anyOf"][0];
        assert_eq!(
            (&bounds["minimum"], &bounds["maximum"]),
            (&json!(1), &json!(5)),
            "calls are checked by them"
        );
    }

    #[test]
    fn a_type_that_holds_itself_stays_a_reference() {
        let (schema, _) = schema_of::<Tree>();
        let text = schema.to_string();
        assert!(text.contains(r##""$ref":"#""##), "{text}");
        let (schema, _) = schema_of::<Wood>();
        let tree = &schema["$defs"]["Tree"];
        assert_eq!(tree["properties"]["leaves"]["items"]["$ref"], "#/$defs/Tree", "{schema}");
        let gemini = for_gemini(&schema).to_string();
        assert!(!gemini.contains('$') && gemini.contains(r#""items":{"type":"object"}"#), "{gemini}");
    }
}
