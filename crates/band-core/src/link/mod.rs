//! The Phoenix client: connect, heartbeat, joins, reconnect and session policy.

mod event;
pub mod limits;
mod stop;

pub use event::{Disconnect, LinkEvent};
pub use stop::{Refusal, StopReason};
