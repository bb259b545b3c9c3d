//! One agent: how long its start keeps trying, which rooms it is in, and what becomes of its contacts' events.

pub mod contacts;
mod patience;
mod presence;

pub use patience::{Setback, StartPatience};
pub use presence::{Input, Output, Presence, Why};
