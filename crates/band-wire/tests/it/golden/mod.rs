//! What each type looks like on the wire. A change here is a change of the interface.

mod agent_api;
mod events;
mod frames;
mod human_api;
mod requests;
mod shared;

use band_wire::{Id, Stamp};
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

/// A fixed id.
fn id<M>(number: u128) -> Id<M> {
    Id::new(Uuid::from_u128(number))
}

/// A fixed point in time, so many seconds after another one.
fn at(seconds: i64) -> Stamp {
    Stamp::from_micros(1_782_900_000_284_136 + seconds * 1_000_000)
}

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
