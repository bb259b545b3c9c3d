//! The Phoenix socket: upgrade, frames, fan-out.
//!
//! Every decision is the hub's (`band_core::platform::hub`). Here are its shell: [`Switchboard`], one lock
//! around the hub; a bounded queue for each socket; one task for each socket that reads and writes.

mod connection;
mod outbox;
mod switchboard;
mod upgrade;

pub(crate) use switchboard::{Presence, Switchboard};
pub(crate) use upgrade::upgrade;
