//! JSON out of thin air, and JSON that looks almost right.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// Any JSON, up to a few levels deep.
pub(super) fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
        Just(json!("00000000-0000-0000-0000-000000000001")),
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            btree_map(".*", inner, 0..6).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// An object with some of the given keys, each with a value that often has the right type, and now and then
/// a key of its own.
pub(super) fn object_with(keys: &'static [&'static str]) -> impl Strategy<Value = Map<String, Value>> {
    let key = prop_oneof![9 => select(keys).prop_map(str::to_owned), 1 => ".{0,9}"];
    btree_map(key, plausible(), 0..keys.len() + 2).prop_map(|map| map.into_iter().collect())
}

fn plausible() -> impl Strategy<Value = Value> {
    let word =
        select(&["text", "thought", "tool_call", "User", "stop", "room", "member", "mention", "", "ü"][..]);
    let mention = btree_map(select(&["id", "handle", "name", "kind", "username"][..]), word.clone(), 0..4)
        .prop_map(|map| json!(map));
    prop_oneof![
        4 => word.prop_map(Value::from),
        2 => Just(json!("00000000-0000-0000-0000-000000000001")),
        2 => any::<bool>().prop_map(Value::from),
        2 => vec(mention, 0..3).prop_map(Value::from).prop_map(|list| json!({ "mentions": list })),
        1 => Just(json!([])),
        1 => Just(json!({})),
        3 => any_json(),
    ]
}
