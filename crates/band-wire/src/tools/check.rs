//! Reading the arguments that a model wrote.

use serde_json::{Map, Value};

use super::{Problems, ToolArgs};

/// Reads arguments by a type and its schema. No arguments at all count as an empty object, unknown fields are passed
/// over.
///
/// # Errors
/// All that is wrong with them.
pub fn read<A: ToolArgs>(schema: &Value, args: Value) -> Result<A, Problems> {
    let mut args = object(args)?;
    for (theirs, ours) in A::ALIASES {
        if let Some(value) = args.remove(*theirs) {
            args.entry(*ours).or_insert(value);
        }
    }
    let args = check(schema, Value::Object(args))?;
    let read: A =
        serde_json::from_value(args).map_err(|err| Problems::one(Problems::WHOLE, err.to_string()))?;
    let mut problems = Problems::new();
    read.rules(&mut problems);
    problems.or(read)
}

fn object(args: Value) -> Result<Map<String, Value>, Problems> {
    match args {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(Map::new()),
        _ => Err(Problems::one(Problems::WHOLE, DICTIONARY)),
    }
}

const DICTIONARY: &str = "Input should be a valid dictionary";
const LIST: &str = "Input should be a valid list";
const STRING: &str = "Input should be a valid string";
const BOOLEAN: &str = "Input should be a valid boolean";
const NUMBER: &str = "Input should be a valid number";
const INTEGER: &str = "Input should be a valid integer";
const NO_INTEGER: &str = "Input should be a valid integer, unable to parse string as an integer";
const FRACTION: &str = "Input should be a valid integer, got a number with a fractional part";

/// Holds arguments against a schema and puts right what models often write otherwise: whole numbers as text or
/// with `.0`, null for what may be left out.
///
/// # Errors
/// All that is wrong with them.
pub fn check(schema: &Value, args: Value) -> Result<Value, Problems> {
    let mut checker = Checker { root: schema, problems: Problems::new(), depth: 0 };
    let read = checker.value(schema, args, "");
    checker.problems.or(read)
}

/// How deep arguments may be nested.
const MAX_DEPTH: usize = 64;

struct Checker<'a> {
    root: &'a Value,
    problems: Problems,
    depth: usize,
}

impl<'a> Checker<'a> {
    fn note(&mut self, path: &str, text: impl Into<String>) {
        let place = if path.is_empty() { Problems::WHOLE } else { path };
        self.problems.note(place, text);
    }

    fn value(&mut self, schema: &'a Value, value: Value, path: &str) -> Value {
        if self.depth >= MAX_DEPTH {
            self.note(path, "Input is nested too deeply");
            return Value::Null;
        }
        self.depth += 1;
        let read = self.inner(schema, value, path);
        self.depth -= 1;
        read
    }

    fn inner(&mut self, schema: &'a Value, value: Value, path: &str) -> Value {
        if let Some(to) = schema.get("$ref").and_then(Value::as_str) {
            return match self.referred(to) {
                Some(schema) => self.value(schema, value, path),
                None => value,
            };
        }
        if let Some(all) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array) {
            return self.one_of(all, value, path);
        }
        if let Some(words) = schema.get("enum").and_then(Value::as_array) {
            if !words.contains(&value) {
                self.note(path, one_of_words(words));
            }
            return value;
        }
        match schema.get("type").and_then(Value::as_str) {
            Some("object") => self.fields(schema, value, path),
            Some("array") => self.items(schema, value, path),
            Some("string") => self.expect(value, path, Value::is_string, STRING),
            Some("integer") => self.integer(schema, value, path),
            Some("number") => self.number(schema, value, path),
            Some("boolean") => self.boolean(value, path),
            Some("null") => self.expect(value, path, Value::is_null, "Input should be null"),
            _ => value,
        }
    }

    fn referred(&self, to: &str) -> Option<&'a Value> {
        match to.strip_prefix("#/$defs/") {
            Some(name) => self.root.get("$defs")?.get(name),
            None => (to == "#").then_some(self.root),
        }
    }

    fn expect(&mut self, value: Value, path: &str, fits: fn(&Value) -> bool, text: &str) -> Value {
        if !fits(&value) {
            self.note(path, text);
        }
        value
    }

    /// The first form that fits; if none does, what is wrong with it as the first that is not null.
    fn one_of(&mut self, all: &'a [Value], value: Value, path: &str) -> Value {
        let mut first = None;
        for schema in all {
            let mut trial = Checker { root: self.root, problems: Problems::new(), depth: self.depth };
            let read = trial.value(schema, value.clone(), path);
            if trial.problems.is_empty() {
                return read;
            }
            if schema.get("type").is_none_or(|kind| kind != "null") {
                first.get_or_insert(trial.problems);
            }
        }
        for (place, text) in first.unwrap_or_default().iter() {
            self.problems.note(place, text);
        }
        value
    }

    fn fields(&mut self, schema: &'a Value, value: Value, path: &str) -> Value {
        let Value::Object(mut map) = value else {
            self.note(path, DICTIONARY);
            return value;
        };
        let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let required =
            schema.get("required").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let known = schema.get("properties").and_then(Value::as_object);
        let mut read = Map::new();
        for (name, schema) in known.into_iter().flatten() {
            match map.remove(name) {
                Some(Value::Null) if may_be_null(schema) => {}
                Some(value) => {
                    let value = self.value(schema, value, &below(name));
                    read.insert(name.clone(), value);
                }
                None if required.iter().any(|one| one == name) => self.note(&below(name), "Field required"),
                None => {}
            }
        }
        match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => {
                for name in map.keys() {
                    self.note(&below(name), "Extra inputs are not permitted");
                }
            }
            Some(other @ Value::Object(_)) => {
                for (name, value) in map {
                    let value = self.value(other, value, &below(&name));
                    read.insert(name, value);
                }
            }
            _ => read.extend(map),
        }
        Value::Object(read)
    }

    fn items(&mut self, schema: &'a Value, value: Value, path: &str) -> Value {
        let Value::Array(items) = value else {
            self.note(path, LIST);
            return value;
        };
        let Some(each) = schema.get("items") else { return Value::Array(items) };
        let read = items.into_iter().enumerate().map(|(at, item)| {
            let place = if path.is_empty() { at.to_string() } else { format!("{path}.{at}") };
            self.value(each, item, &place)
        });
        Value::Array(read.collect())
    }

    fn integer(&mut self, schema: &Value, value: Value, path: &str) -> Value {
        match whole(&value) {
            Ok(number) => {
                self.bounds(schema, number as f64, path);
                number.into()
            }
            Err(text) => {
                self.note(path, text);
                value
            }
        }
    }

    fn number(&mut self, schema: &Value, value: Value, path: &str) -> Value {
        let read = match &value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
            _ => None,
        };
        let Some(number) = read else {
            self.note(path, NUMBER);
            return value;
        };
        self.bounds(schema, number, path);
        if value.is_number() { value } else { number.into() }
    }

    fn boolean(&mut self, value: Value, path: &str) -> Value {
        match &value {
            Value::Bool(_) => value,
            Value::String(text) if text.eq_ignore_ascii_case("true") => true.into(),
            Value::String(text) if text.eq_ignore_ascii_case("false") => false.into(),
            _ => {
                self.note(path, BOOLEAN);
                value
            }
        }
    }

    fn bounds(&mut self, schema: &Value, number: f64, path: &str) {
        let bound = |name| schema.get(name).filter(|bound| bound.is_number());
        if let Some(least) =
            bound("minimum").filter(|least| least.as_f64().is_some_and(|least| number < least))
        {
            self.note(path, format!("Input should be greater than or equal to {}", shown(least)));
        }
        if let Some(most) = bound("maximum").filter(|most| most.as_f64().is_some_and(|most| number > most)) {
            self.note(path, format!("Input should be less than or equal to {}", shown(most)));
        }
    }
}

/// Whole bounds without a fraction.
fn shown(bound: &Value) -> String {
    let text = bound.to_string();
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

fn may_be_null(schema: &Value) -> bool {
    let is_null = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "null");
    schema.get("anyOf").and_then(Value::as_array).is_some_and(|all| all.iter().any(is_null))
}

fn one_of_words(words: &[Value]) -> String {
    let quoted: Vec<String> = words
        .iter()
        .map(|word| match word {
            Value::String(word) => format!("'{word}'"),
            other => other.to_string(),
        })
        .collect();
    match quoted.split_last() {
        Some((last, [])) => format!("Input should be {last}"),
        Some((last, others)) => format!("Input should be {} or {last}", others.join(", ")),
        None => "Input is not allowed".to_owned(),
    }
}

/// Models write whole numbers in several ways.
fn whole(value: &Value) -> Result<i64, &'static str> {
    match value {
        Value::Bool(yes) => Ok(i64::from(*yes)),
        Value::String(text) => {
            let text = text.trim();
            let text = text.split_once('.').map_or(text, |(whole, rest)| {
                if rest.bytes().all(|digit| digit == b'0') { whole } else { text }
            });
            text.parse().map_err(|_| NO_INTEGER)
        }
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Ok(whole),
            (None, Some(float)) if float.fract() != 0.0 => Err(FRACTION),
            // Within these a float holds every whole number exactly.
            (None, Some(float)) if float.abs() <= 9_007_199_254_740_992.0 => Ok(float as i64),
            _ => Err(INTEGER),
        },
        Value::Null | Value::Array(_) | Value::Object(_) => Err(INTEGER),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn problems(schema: &Value, args: Value) -> String {
        check(schema, args).unwrap_err().to_string()
    }

    fn integer() -> Value {
        json!({ "type": "object", "properties": { "n": { "type": "integer", "minimum": 1, "maximum": 100 } } })
    }

    #[test]
    fn whole_numbers_are_taken_as_models_write_them() {
        for (written, read) in [
            (json!(3), 3),
            (json!("3"), 3),
            (json!(10.0), 10),
            (json!(" 7 "), 7),
            (json!("2.0"), 2),
            (json!(true), 1),
        ] {
            assert_eq!(check(&integer(), json!({ "n": written })).unwrap()["n"], read);
        }
        for (written, problem) in [
            (json!("x"), NO_INTEGER),
            (json!(""), NO_INTEGER),
            (json!(1.5), FRACTION),
            (json!(1e30), INTEGER),
            (json!(null), INTEGER),
            (json!([1]), INTEGER),
            (json!(0), "Input should be greater than or equal to 1"),
            (json!(101), "Input should be less than or equal to 100"),
        ] {
            assert_eq!(problems(&integer(), json!({ "n": written })), format!("n: {problem}"));
        }
    }

    #[test]
    fn every_problem_is_told_at_its_place() {
        let schema = json!({ "type": "object", "required": ["a", "b"], "properties": {
            "a": { "type": "array", "items": { "type": "object", "required": ["x"], "properties": { "x": { "type": "boolean" } } } },
            "b": { "enum": ["one", "two", "three"] },
            "c": { "anyOf": [{ "type": "number" }, { "type": "null" }] },
        }, "additionalProperties": false });
        assert_eq!(problems(&schema, json!({})), "a: Field required, b: Field required");
        let args = json!({ "a": [{ "x": "True" }, {}, { "x": 3 }], "b": "four", "c": "much", "d": 1 });
        assert_eq!(
            problems(&schema, args),
            "a.1.x: Field required, a.2.x: Input should be a valid boolean, \
             b: Input should be 'one', 'two' or 'three', c: Input should be a valid number, \
             d: Extra inputs are not permitted"
        );
        let read = check(&schema, json!({ "a": [], "b": "two", "c": null })).unwrap();
        assert_eq!(read, json!({ "a": [], "b": "two" }), "null is left out where it may be");
    }

    #[test]
    fn what_is_nested_without_end_is_refused() {
        let mut schema = json!({ "type": "object", "properties": {} });
        schema["$defs"] = json!({ "Tree": { "type": "array", "items": { "$ref": "#/$defs/Tree" } } });
        schema["properties"]["t"] = json!({ "$ref": "#/$defs/Tree" });
        let deep = |levels| (0..levels).fold(json!([]), |inner, _| json!([inner]));
        assert!(check(&schema, json!({ "t": deep(20) })).is_ok());
        assert!(problems(&schema, json!({ "t": deep(100) })).ends_with("Input is nested too deeply"));
    }
}
