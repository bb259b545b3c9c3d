//! What the providers refuse.

pub(super) mod anthropic;
pub(super) mod chat;
pub(super) mod gemini;
pub(super) mod responses;
pub(super) mod schema;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// A request that the provider turns down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) status: u16,
    /// The provider's word for the kind of error.
    pub(super) kind: String,
    pub(super) code: Option<String>,
    pub(super) message: String,
}

/// What is wrong, before it is put as a provider does.
pub(super) type Checked<T = ()> = Result<T, String>;

/// The value as an object.
pub(super) fn object<'v>(value: &'v Value, at: &str) -> Checked<&'v Map<String, Value>> {
    value.as_object().ok_or_else(|| format!("{at}: expected an object"))
}

/// The field as a text that is not empty.
pub(super) fn text<'v>(value: &'v Value, key: &str, at: &str) -> Checked<&'v str> {
    let text = value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    text.ok_or_else(|| format!("{at}.{key}: expected a string that is not empty"))
}

/// The field as a list.
pub(super) fn list<'v>(value: &'v Value, key: &str, at: &str) -> Checked<&'v Vec<Value>> {
    value.get(key).and_then(Value::as_array).ok_or_else(|| format!("{at}.{key}: expected a list"))
}

/// The first field that the provider does not know.
pub(super) fn unknown<'v>(value: &'v Value, known: &[&str]) -> Option<&'v str> {
    let keys = value.as_object().into_iter().flat_map(Map::keys);
    keys.map(String::as_str).find(|key| !known.contains(key))
}

/// A tool's name: not empty, of letters, digits, `_` and `-`, not too long.
pub(super) fn tool_name(name: &str, longest: usize, at: &str) -> Checked {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    if name.is_empty() || name.chars().count() > longest || !name.chars().all(fits) {
        return Err(format!("{at}: {name:?} is no name: letters, digits, _ and -, at most {longest}"));
    }
    Ok(())
}

/// Names that occur once.
#[derive(Debug, Default)]
pub(super) struct Once(BTreeSet<String>);

impl Once {
    pub(super) fn see(&mut self, name: &str, what: &str) -> Checked {
        if self.0.insert(name.to_owned()) {
            Ok(())
        } else {
            Err(format!("{what} must be unique: {name} is there twice"))
        }
    }
}
