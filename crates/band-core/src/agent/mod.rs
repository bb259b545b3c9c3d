//! One agent: how long its start keeps trying, and which rooms it is in.

mod patience;
mod presence;

pub use patience::{Setback, StartPatience};
pub use presence::{Input, Output, Presence, Why};
