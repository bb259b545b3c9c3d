//! Traffic with a provider, kept, and played again.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What was asked and answered, in order. Holds no keys and no headers; it can be kept in a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// The exchanges.
    pub exchanges: Vec<Exchange>,
}

/// One request and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// The path, without its query.
    pub path: String,
    /// The body of the request. When it is played again, the request must have the same one.
    pub request: Value,
    /// The status of the answer.
    pub status: u16,
    /// The content type of the answer.
    pub content_type: String,
    /// The body of the answer.
    pub body: String,
}

/// Where two values differ first, with both: `messages.2.content: recorded "a", asked "b"`.
pub(super) fn difference(recorded: &Value, asked: &Value) -> Option<String> {
    first(recorded, asked, "")
}

fn first(recorded: &Value, asked: &Value, at: &str) -> Option<String> {
    let below = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
    match (recorded, asked) {
        (Value::Object(one), Value::Object(other)) => {
            let keys = one.keys().chain(other.keys().filter(|key| !one.contains_key(*key)));
            let nothing = Value::Null;
            let pair = |key: &String| (one.get(key).unwrap_or(&nothing), other.get(key).unwrap_or(&nothing));
            keys.into_iter().find_map(|key| {
                let (recorded, asked) = pair(key);
                first(recorded, asked, &below(key))
            })
        }
        (Value::Array(one), Value::Array(other)) => {
            let both = one.iter().zip(other).enumerate();
            let inside = |(index, (recorded, asked)): (usize, (&Value, &Value))| {
                first(recorded, asked, &below(&index.to_string()))
            };
            let lengths = || {
                let (one, other) = (one.len(), other.len());
                (one != other).then(|| format!("{at}: recorded {one} items, asked {other}"))
            };
            both.into_iter().find_map(inside).or_else(lengths)
        }
        (one, other) if one == other => None,
        (one, other) => Some(format!("{at}: recorded {one}, asked {other}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_difference_is_named_with_its_place() {
        let table = [
            (json!({ "a": [1, 2] }), json!({ "a": [1, 2] }), None),
            (json!({ "a": [1, 2] }), json!({ "a": [1, 3] }), Some("a.1: recorded 2, asked 3")),
            (json!({ "a": [1] }), json!({ "a": [1, 3] }), Some("a: recorded 1 items, asked 2")),
            (json!({}), json!({ "b": true }), Some("b: recorded null, asked true")),
        ];
        for (recorded, asked, expected) in table {
            assert_eq!(difference(&recorded, &asked).as_deref(), expected);
        }
    }
}
