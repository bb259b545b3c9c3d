//! Every decision, without I/O: link, room, turn, and the rules of the platform.
//!
//! Nothing here reads a clock, rolls dice, opens a socket or spawns a task. A shell feeds inputs in, drains
//! outputs and sleeps until the next deadline, so the same code runs under tokio and under a simulator.

pub mod agent;
pub mod backend;
pub mod backoff;
pub mod decisions;
pub mod lifecycle;
pub mod link;
pub mod machine;
pub mod moment;
pub mod oneshot;
pub mod platform;
pub mod residency;
pub mod room;
pub mod timers;
pub mod transcript;
#[doc(hidden)]
pub mod trial;
pub mod turn;

pub use machine::{Deadline, Machine};
pub use moment::Moment;
