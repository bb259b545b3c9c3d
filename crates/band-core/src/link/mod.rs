//! The Phoenix client: connect, heartbeat, joins, reconnect and session policy.
//!
//! | Link is | What happens | Then it is |
//! |---|---|---|
//! | new | start | opening |
//! | opening | the upgrade is accepted | open: joins `agent_control`, `agent_rooms`, `agent_contacts` and all wanted rooms at once, in this order |
//! | opening | refused, unreachable, 10 s | waiting, or ended |
//! | open | every one of those joins has succeeded, failed or timed out, `agent_control` is joined | open; the owner hears `Connected` |
//! | open | `agent_control` refused before it was ever joined | closing |
//! | open | `agent_control` refused later, or not answered | waiting |
//! | open | supersede for good | closing |
//! | open | supersede for now, close, broken, dead, ten malformed frames in a row | waiting, or ended |
//! | waiting | its moment has come | opening, with the next generation |
//! | open | the owner closes | leaving: `agent_control` is left |
//! | leaving | the leave is answered, 5 s | closing |
//! | closing | the socket is gone, 2 s | ended |
//! | new, opening, waiting | the owner closes | ended |
//! | leaving | the socket is gone | ended |
//!
//! Parts: `session` decides when to try again and when to give up, `heartbeat` whether the socket lives,
//! `channels` keeps the topics of a socket, `rooms` and `own` what should be joined, `queue` the events that
//! wait for the owner. Every socket has a [`Generation`]; what belongs to an older one has no effect, and
//! nothing is sent to it.

mod channels;
mod close;
mod event;
mod heartbeat;
pub mod limits;
mod machine;
mod own;
mod port;
mod queue;
mod rooms;
mod session;
mod stop;
mod waiting;

pub use event::{Disconnect, LinkEvent};
pub use machine::LinkMachine;
pub use port::{Counters, Failure, Generation, Gone, Input, LinkOptions, Note, Output, Received, Why};
pub use stop::{Refusal, StopReason};
