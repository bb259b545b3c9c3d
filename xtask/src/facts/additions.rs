//! Facts of the page on what newer clients know beyond the document.

use anyhow::{Result, bail};
use serde_json::{Map, Value, json};

use super::table::{Table, quoted, statuses, tables};

/// New operations, parameters, body fields and response fields.
pub(super) fn facts(page: &str) -> Result<Value> {
    let tables = tables(page);
    let find = |number: &str| tables.iter().find(|table| table.heading.starts_with(number));
    let (Some(operations), Some(parameters), Some(body), Some(fields), Some(objects)) =
        (find("1."), find("2."), find("3."), find("4."), find("5."))
    else {
        bail!("the page on additions has lost a section");
    };
    Ok(json!({
        "body_fields": names(body),
        "objects": response_fields(objects),
        "operations": new_operations(operations),
        "query_parameters": names(parameters),
        "response_fields": response_fields(fields),
    }))
}

fn new_operations(table: &Table) -> Vec<Value> {
    let rows = table.rows.iter().filter_map(|row| match row.as_slice() {
        [operation, _, success, errors] => Some((operation, success, errors)),
        _ => None,
    });
    rows.map(|(operation, success, errors)| {
        json!({
            "errors": statuses(errors),
            "method": operation.split_whitespace().next(),
            "path": quoted(operation).first(),
            "success": statuses(success),
        })
    })
    .collect()
}

/// Names in the second column, by the operation in the first. A row that tells its operation in words is left
/// out.
fn names(table: &Table) -> Vec<Value> {
    let rows = table.rows.iter().filter_map(|row| Some((row.first()?, row.get(1)?)));
    let told = rows.filter_map(|(operation, names)| {
        let path = *quoted(operation).first()?;
        let method = operation.split_whitespace().next()?;
        Some(json!({"method": method, "names": quoted(names), "path": path}))
    });
    told.collect()
}

/// Fields by object. Bold is required.
fn response_fields(table: &Table) -> Value {
    let mut objects = Map::new();
    for row in &table.rows {
        let [object, fields] = row.as_slice() else { continue };
        let fields: Vec<Value> = without_parentheses(fields).split(',').filter_map(field).collect();
        for name in object.split([' ', ',', '/', '(']).filter(|word| is_object(word)) {
            objects.entry(name).or_insert_with(|| fields.clone().into());
        }
    }
    objects.into()
}

fn is_object(word: &str) -> bool {
    let upper = word.starts_with(|c: char| c.is_ascii_uppercase());
    upper
        && word.chars().any(|c| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
}

/// `**name**`, `name?`, `name null`; none for a change of a field that was there before.
fn field(text: &str) -> Option<Value> {
    let text = text.rsplit('+').next()?.trim();
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let rest: Vec<&str> = words.collect();
    if rest.first() == Some(&"adds") {
        return None;
    }
    let name = first.trim_matches(['*', '?', '`', '[', ']']);
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    is_name.then(|| {
        json!({
            "name": name,
            "nullable": rest.iter().any(|word| matches!(*word, "null" | "nullable")),
            "optional": first.ends_with('?'),
            "required": first.starts_with("**"),
        })
    })
}

/// What stands in round or curly brackets goes, brackets in brackets too.
fn without_parentheses(text: &str) -> String {
    let mut depth = 0_u32;
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth = depth.saturating_sub(1),
            c if depth == 0 => out.push(c),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_read_with_its_marks() {
        let read = |text: &str| field(text).map(|field| field["name"].clone());
        assert_eq!(field("**online** bool").unwrap()["required"], true);
        assert_eq!(field(" avatar_url null").unwrap()["nullable"], true);
        assert_eq!(field("ChatRoom + participants?").unwrap()["name"], "participants");
        assert_eq!(read("role adds `business`"), None);
        assert_eq!(read("(all only with a flag)"), None);
    }

    #[test]
    fn objects_are_told_from_words() {
        assert!(is_object("ChatMessage.metadata"));
        assert!(!is_object("GET"));
        assert!(!is_object("rows"));
    }
}
