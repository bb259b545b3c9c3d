//! The agent against a platform that follows a script: what the real one can't be made to do.

#![allow(clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, reason = "all of this is tests")]

mod beside;
mod claims;
mod cleanups;
mod contract;
mod control;
mod cut_off;
mod faults;
mod grepped;
mod health;
mod knobs;
mod layers;
mod lifecycle;
mod logging;
mod metrics;
mod orders;
mod platform;
mod posting;
mod rooms;
mod scene;
mod signals;
mod starting;
mod supervision;
mod traps;
