//! The types against the facts of the interface, see `facts/README.md`.

mod additions;
mod events;
mod queries;
mod requests;
mod responses;
mod routes;
mod schema;
mod socket;
mod vectors;
mod words;

use serde_json::Value;

/// One file of facts.
fn facts(name: &str) -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("facts").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// One operation of the public description.
fn operation(method: &str, path: &str) -> Value {
    let operations = facts("operations.json");
    let found = operations
        .as_array()
        .unwrap()
        .iter()
        .find(|operation| operation["method"] == method && operation["path"] == path);
    found.unwrap_or_else(|| panic!("{method} {path} is no operation")).clone()
}
