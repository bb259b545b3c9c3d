//! Strict reading of a request.

use serde_json::{Map, Value};

use super::Refusal;

/// An object of a request, and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Object<'a> {
    fields: &'a Map<String, Value>,
    at: String,
}

pub(super) type Checked<T = ()> = Result<T, Refusal>;

pub(super) fn refuse<T>(message: impl Into<String>) -> Checked<T> {
    Err(Refusal::bad_request(message))
}

impl<'a> Object<'a> {
    /// An object with no other fields than these.
    pub(super) fn read(value: &'a Value, at: impl Into<String>, allowed: &[&str]) -> Checked<Self> {
        let at = at.into();
        let Value::Object(fields) = value else { return refuse(format!("{at}: should be an object")) };
        match fields.keys().find(|key| !allowed.contains(&key.as_str())) {
            Some(key) => refuse(format!("{at}.{key}: Extra inputs are not permitted")),
            None => Ok(Self { fields, at }),
        }
    }

    pub(super) fn at(&self) -> &str {
        &self.at
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.fields.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// A text that has to be there.
    pub(super) fn text(&self, key: &str) -> Checked<&'a str> {
        match self.get(key) {
            Some(Value::String(text)) => Ok(text),
            Some(_) => refuse(format!("{}.{key}: should be a string", self.at)),
            None => refuse(format!("{}.{key}: Field required", self.at)),
        }
    }

    /// A text with something in it.
    pub(super) fn filled(&self, key: &str) -> Checked<&'a str> {
        let text = self.text(key)?;
        if text.trim().is_empty() {
            refuse(format!("{}.{key}: must not be empty", self.at))
        } else {
            Ok(text)
        }
    }

    /// A list with something in it.
    pub(super) fn list(&self, key: &str) -> Checked<&'a [Value]> {
        match self.get(key) {
            Some(Value::Array(list)) if !list.is_empty() => Ok(list),
            Some(Value::Array(_)) => refuse(format!("{}.{key}: must not be empty", self.at)),
            Some(_) => refuse(format!("{}.{key}: should be an array", self.at)),
            None => refuse(format!("{}.{key}: Field required", self.at)),
        }
    }

    /// An object that has to be there, with whatever fields.
    pub(super) fn map(&self, key: &str) -> Checked<&'a Map<String, Value>> {
        match self.get(key) {
            Some(Value::Object(map)) => Ok(map),
            _ => refuse(format!("{}.{key}: should be an object", self.at)),
        }
    }

    /// A text of these letters, and of this length.
    pub(super) fn word(&self, key: &str, most: usize, fits: impl Fn(char) -> bool) -> Checked<&'a str> {
        let word = self.filled(key)?;
        if word.chars().count() > most {
            return refuse(format!(
                "{}.{key}: string too long. Expected a string with maximum length {most}",
                self.at
            ));
        }
        if word.chars().all(fits) {
            Ok(word)
        } else {
            refuse(format!("{}.{key}: '{word}' does not match the expected pattern", self.at))
        }
    }
}

/// What names of tools and ids of calls are made of.
pub(super) const fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Whether it is the JSON of an object.
pub(super) fn is_object(text: &str) -> bool {
    serde_json::from_str::<Map<String, Value>>(text).is_ok()
}
