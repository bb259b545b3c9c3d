//! Tells facts from sentences.

use serde_json::Value;

/// A name, a path or a word has fewer words than this.
const SENTENCE: usize = 5;

/// The first text that reads like a sentence.
pub(super) fn first(facts: &Value) -> Option<&str> {
    match facts {
        Value::String(text) => is_sentence(text).then_some(text),
        Value::Array(items) => items.iter().find_map(first),
        Value::Object(map) => map
            .iter()
            .find_map(|(key, value)| if is_sentence(key) { Some(key.as_str()) } else { first(value) }),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn is_sentence(text: &str) -> bool {
    text.split_whitespace().count() >= SENTENCE
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_sentence_is_found_wherever_it_is() {
        assert_eq!(first(&json!({"a": [1, "GET /x", {"b": "Agent API/Tasks_list"}]})), None);
        assert_eq!(first(&json!([{"a": "this is a whole sentence"}])), Some("this is a whole sentence"));
        assert!(first(&json!({"a key of five words": 1})).is_some());
    }
}
