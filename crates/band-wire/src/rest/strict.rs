//! Strict reading of request bodies: every issue at once, each under its JSON pointer.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::Id;
use crate::id::Marker;

const NO_UUID: &str = "Invalid format. Expected :uuid";
/// Characters of an unknown field's name that are told.
const SHOWN: usize = 40;

/// What is wrong with a request body: JSON pointer → texts. Becomes the `details` of a 422.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Issues(BTreeMap<String, Vec<String>>);

impl Issues {
    /// No issue yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// One issue alone.
    pub fn one(pointer: impl Into<String>, text: impl Into<String>) -> Self {
        let mut issues = Self::new();
        issues.add(pointer, text);
        issues
    }

    /// Adds an issue under a pointer such as `/message/content`.
    pub fn add(&mut self, pointer: impl Into<String>, text: impl Into<String>) {
        self.0.entry(pointer.into()).or_default().push(text.into());
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many places have an issue.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The issues in pointer order.
    pub fn into_map(self) -> BTreeMap<String, Vec<String>> {
        self.0
    }

    fn extend(&mut self, other: Self) {
        for (pointer, texts) in other.0 {
            self.0.entry(pointer).or_default().extend(texts);
        }
    }
}

/// A request body that is read strictly.
pub trait FromBody: Sized {
    /// The key that the fields stand under, if not at the root.
    const WRAPPER: Option<&'static str> = None;

    /// Reads the parsed JSON of a request.
    ///
    /// # Errors
    /// All issues of the body, not only the first.
    fn from_body(body: Value) -> Result<Self, Issues>;
}

/// A request body as a client sends it, with its wrapper.
///
/// ```
/// use band_wire::rest::{Body, CreateChat};
/// let json = serde_json::to_string(&Body(&CreateChat::default()))?;
/// assert_eq!(json, r#"{"chat":{}}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Body<'a, T>(pub &'a T);

impl<T: FromBody + Serialize> Serialize for Body<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match T::WRAPPER {
            None => self.0.serialize(serializer),
            Some(wrapper) => serializer.collect_map([(wrapper, self.0)]),
        }
    }
}

/// Takes the fields of one object apart and remembers what was wrong. [`ObjectReader::finish`] reports the
/// fields that nobody asked for.
#[derive(Debug)]
pub struct ObjectReader {
    pointer: String,
    map: Map<String, Value>,
    issues: Issues,
}

impl ObjectReader {
    /// Starts inside the wrapper of a body, or at its root where it has none.
    ///
    /// # Errors
    /// See [`ObjectReader::root`] and [`ObjectReader::wrapped`].
    pub fn body<T: FromBody>(body: Value) -> Result<Self, Issues> {
        match T::WRAPPER {
            None => Self::root(body),
            Some(wrapper) => Self::wrapped(body, wrapper),
        }
    }

    /// Starts at the body itself.
    ///
    /// # Errors
    /// The body is no JSON object.
    pub fn root(body: Value) -> Result<Self, Issues> {
        match body {
            Value::Object(map) => Ok(Self { pointer: String::new(), map, issues: Issues::new() }),
            other => Err(Issues::one("/", wrong_type("object", &other))),
        }
    }

    /// Reads the body's wrapper: `{"message":{…}}` with nothing beside it.
    ///
    /// # Errors
    /// The wrapper is missing or no object, or something stands beside it.
    pub fn wrapped(body: Value, wrapper: &str) -> Result<Self, Issues> {
        let mut root = Self::root(body)?;
        let inner = root.object(wrapper);
        match inner {
            Some(inner) => root.finish().map(|()| inner),
            None => {
                root.issues.extend(root.leftovers());
                Err(root.issues)
            }
        }
    }

    fn object(&mut self, field: &str) -> Option<Self> {
        match self.map.remove(field) {
            None => self.missing(field),
            Some(Value::Object(map)) => Some(Self { pointer: self.at(field), map, issues: Issues::new() }),
            Some(other) => self.wrong(field, "object", &other),
        }
    }

    /// The JSON pointer of a field of this object.
    pub fn at(&self, field: &str) -> String {
        format!("{}/{}", self.pointer, field.replace('~', "~0").replace('/', "~1"))
    }

    /// Notes an issue of a field.
    pub fn issue(&mut self, field: &str, text: impl Into<String>) {
        let pointer = self.at(field);
        self.issues.add(pointer, text);
    }

    /// Notes an issue of a part of a field: a key of an object, a place in a list.
    pub fn issue_inside(&mut self, field: &str, part: impl Display, text: impl Into<String>) {
        let pointer = format!("{}/{part}", self.at(field));
        self.issues.add(pointer, text);
    }

    /// A required string.
    pub fn string(&mut self, field: &str) -> Option<String> {
        if self.map.contains_key(field) { self.opt_string(field) } else { self.missing(field) }
    }

    /// A string that may be absent, not null.
    pub fn opt_string(&mut self, field: &str) -> Option<String> {
        match self.map.remove(field)? {
            Value::String(text) => Some(text),
            other => self.wrong(field, "string", &other),
        }
    }

    /// A string that may be absent or null.
    pub fn nullable_string(&mut self, field: &str) -> Option<String> {
        self.drop_null(field);
        self.opt_string(field)
    }

    /// A required boolean.
    pub fn bool(&mut self, field: &str) -> Option<bool> {
        match self.map.remove(field) {
            None => self.missing(field),
            Some(Value::Bool(flag)) => Some(flag),
            Some(other) => self.wrong(field, "boolean", &other),
        }
    }

    /// A required list.
    pub fn list(&mut self, field: &str) -> Option<Vec<Value>> {
        match self.map.remove(field) {
            None => self.missing(field),
            Some(Value::Array(items)) => Some(items),
            Some(other) => self.wrong(field, "array", &other),
        }
    }

    /// A required string that is not blank and has at most so many bytes.
    pub fn filled(&mut self, field: &str, most: usize) -> Option<String> {
        let text = self.string(field)?;
        if text.trim().is_empty() {
            self.issue(field, "can't be blank");
        } else if text.len() > most {
            self.issue(field, format!("should be at most {most} byte(s)"));
        }
        Some(text)
    }

    /// A required string that names one of a closed set.
    pub fn word<T>(&mut self, field: &str, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        let text = self.string(field);
        self.parse(field, text, parse)
    }

    /// An object that may be absent, not null, kept as it is.
    pub fn opt_map(&mut self, field: &str) -> Option<Map<String, Value>> {
        match self.map.remove(field)? {
            Value::Object(map) => Some(map),
            other => self.wrong(field, "object", &other),
        }
    }

    /// An object that may be absent or null, kept as it is.
    pub fn nullable_map(&mut self, field: &str) -> Option<Map<String, Value>> {
        self.drop_null(field);
        self.opt_map(field)
    }

    /// An object that may be absent or null, read by the same rules.
    pub fn nullable_object(&mut self, field: &str) -> Option<Self> {
        self.drop_null(field);
        if self.map.contains_key(field) { self.object(field) } else { None }
    }

    /// An item of a list of this object: `field/index`.
    pub fn item(&mut self, field: &str, index: usize, item: Value) -> Option<Self> {
        let pointer = format!("{}/{index}", self.at(field));
        match item {
            Value::Object(map) => Some(Self { pointer, map, issues: Issues::new() }),
            other => {
                self.issues.add(pointer, wrong_type("object", &other));
                None
            }
        }
    }

    /// An item of a list of ids: `field/index`.
    pub fn item_id(&mut self, field: &str, index: usize, item: Value) -> Option<Uuid> {
        let pointer = format!("{}/{index}", self.at(field));
        let Value::String(text) = item else {
            self.issues.add(pointer, wrong_type("string", &item));
            return None;
        };
        let parsed = Uuid::try_parse(&text).ok();
        if parsed.is_none() {
            self.issues.add(pointer, NO_UUID);
        }
        parsed
    }

    /// A string that names one of a closed set.
    pub fn parse<T>(
        &mut self,
        field: &str,
        text: Option<String>,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let parsed = parse(&text?);
        if parsed.is_none() {
            self.issue(field, "Invalid value for enum");
        }
        parsed
    }

    /// A string that holds a UUID.
    pub fn parse_id<M: Marker>(&mut self, field: &str, text: Option<String>) -> Option<Id<M>> {
        self.uuid(field, text).map(Id::new)
    }

    /// A string that holds a UUID of something without a type of its own.
    pub fn uuid(&mut self, field: &str, text: Option<String>) -> Option<Uuid> {
        let parsed = Uuid::try_parse(&text?).ok();
        if parsed.is_none() {
            self.issue(field, NO_UUID);
        }
        parsed
    }

    /// Whether no field is left.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Whether the field is there, null included.
    pub fn has(&self, field: &str) -> bool {
        self.map.contains_key(field)
    }

    /// Takes the issues of a nested reader over, its unknown fields included.
    pub fn close(&mut self, nested: Self) {
        let leftovers = nested.leftovers();
        self.issues.extend(nested.issues);
        self.issues.extend(leftovers);
    }

    /// Ends the reading.
    ///
    /// # Errors
    /// What was wrong, unknown fields included.
    pub fn finish(self) -> Result<(), Issues> {
        let leftovers = self.leftovers();
        let mut issues = self.issues;
        issues.extend(leftovers);
        if issues.is_empty() { Ok(()) } else { Err(issues) }
    }

    fn leftovers(&self) -> Issues {
        let mut issues = Issues::new();
        for field in self.map.keys() {
            let shown: String = field.chars().take(SHOWN).collect();
            issues.add(self.at(field), format!("Unexpected field: {shown}"));
        }
        issues
    }

    fn drop_null(&mut self, field: &str) {
        if self.map.get(field).is_some_and(Value::is_null) {
            self.map.remove(field);
        }
    }

    fn missing<T>(&mut self, field: &str) -> Option<T> {
        self.issue(field, format!("Missing field: {field}"));
        None
    }

    fn wrong<T>(&mut self, field: &str, wanted: &str, got: &Value) -> Option<T> {
        self.issue(field, wrong_type(wanted, got));
        None
    }
}

fn wrong_type(wanted: &str, got: &Value) -> String {
    let got = match got {
        Value::Null => return format!("null value where {wanted} expected"),
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    format!("Invalid {wanted}. Got: {got}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_pointer_escapes_what_json_pointers_escape() {
        let fields = ObjectReader::root(json!({"a/b~c": 1})).unwrap();
        let issues = fields.finish().unwrap_err().into_map();
        assert_eq!(issues["/a~1b~0c"], ["Unexpected field: a/b~c"]);
    }

    #[test]
    fn something_beside_a_missing_wrapper_is_told_too() {
        let issues = ObjectReader::wrapped(json!({"content": "hi"}), "message").unwrap_err().into_map();
        assert_eq!(issues.keys().collect::<Vec<_>>(), ["/content", "/message"]);
    }

    #[test]
    fn each_type_has_its_word() {
        for (value, got) in [
            (json!(true), "boolean"),
            (json!(1), "integer"),
            (json!(1.5), "number"),
            (json!("x"), "string"),
            (json!([]), "array"),
        ] {
            let issues = ObjectReader::root(value).unwrap_err().into_map();
            assert_eq!(issues["/"], [format!("Invalid object. Got: {got}")]);
        }
    }

    #[test]
    fn a_long_unknown_name_is_cut() {
        let name = "x".repeat(1000);
        let fields = ObjectReader::root(json!({ name.as_str(): 1 })).unwrap();
        let issues = fields.finish().unwrap_err().into_map();
        let (_, texts) = issues.into_iter().next().unwrap();
        assert_eq!(texts, [format!("Unexpected field: {}", "x".repeat(SHOWN))]);
    }
}
