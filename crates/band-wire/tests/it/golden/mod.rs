//! What each type looks like on the wire. A change here is a change of the interface.

mod agent_api;
mod events;
mod frames;
mod human_api;
mod keeping;
mod requests;
mod shared;

use serde::Serialize;
use serde::de::DeserializeOwned;

/// What is written is read back.
fn survives<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
    let json = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&json).unwrap(), value);
}

/// Holds a value against its snapshot; `both` also reads it back.
macro_rules! golden {
    ($name:literal, $value:expr) => {
        insta::assert_json_snapshot!($name, &$value)
    };
    ($name:literal, both $value:expr) => {{
        let value = &$value;
        super::survives(value);
        insta::assert_json_snapshot!($name, value);
    }};
}

use golden;
