//! Holds an object against a table of rules.

use serde_json::{Map, Value};

use super::issue::Issue;
use super::rules::{Field, Shape};

/// All issues of an object, in the order of the rules.
pub(super) fn object(map: &Map<String, Value>, fields: &[Field]) -> Vec<Issue> {
    let mut issues = Vec::new();
    walk(map, fields, "", &mut issues);
    issues
}

/// `prefix` is empty, or the path of the object with a dot behind it.
fn walk(map: &Map<String, Value>, fields: &[Field], prefix: &str, issues: &mut Vec<Issue>) {
    for field in fields {
        let path = || format!("{prefix}{}", field.key);
        match map.get(field.key) {
            None if field.required => issues.push(Issue::missing(path())),
            None => {}
            Some(Value::Null) if field.nullable => {}
            Some(value) => check(value, field.shape, &path, issues),
        }
    }
}

fn check(value: &Value, shape: Shape, path: &dyn Fn() -> String, issues: &mut Vec<Issue>) {
    match (shape, value) {
        (Shape::Text, Value::String(_)) | (Shape::Flag, Value::Bool(_)) | (Shape::List, Value::Array(_)) => {}
        (Shape::Word(words), Value::String(word)) => {
            if !words.contains(&word.as_str()) {
                issues.push(Issue::outside(path(), words));
            }
        }
        (Shape::Object(fields), Value::Object(map)) => walk(map, fields, &format!("{}.", path()), issues),
        (Shape::ListOf(fields), Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                let at = || format!("{}[{index}]", path());
                check(item, Shape::Object(fields), &at, issues);
            }
        }
        (shape, _) => issues.push(Issue::wrong_type(path(), article(shape))),
    }
}

const fn article(shape: Shape) -> &'static str {
    match shape {
        Shape::Text | Shape::Word(_) => "a string",
        Shape::Flag => "a boolean",
        Shape::Object(_) => "an object",
        Shape::List | Shape::ListOf(_) => "an array",
    }
}
