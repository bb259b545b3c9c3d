//! One value of each type, for snapshots and for comparison with facts.

pub(crate) mod agent_api;
pub(crate) mod events;
pub(crate) mod human_api;
pub(crate) mod keeping;
pub(crate) mod requests;
pub(crate) mod shared;

use band_wire::{Id, Stamp};
use uuid::Uuid;

/// A fixed id.
pub(crate) fn id<M>(number: u128) -> Id<M> {
    Id::new(Uuid::from_u128(number))
}

/// A fixed point in time, so many seconds after another one.
pub(crate) fn at(seconds: i64) -> Stamp {
    Stamp::from_micros(1_782_900_000_284_136 + seconds * 1_000_000)
}
