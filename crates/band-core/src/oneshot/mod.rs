//! One event for a host that lives no longer than it: a function of a serverless platform, a queue's worker.
//!
//! | event | what becomes of it |
//! |---|---|
//! | `message_created` | an invocation, see [`Flow`]; the agent's own is skipped |
//! | `room_removed`, `room_deleted` | the adapter cleans the room up |
//! | any other | ignored |
//!
//! Parts: [`route`] reads the event, [`Claims`] knows what this process has in hand and has handled, [`Flow`]
//! takes one message from its claim to its mark, and what else the model saw with it along ([`drain_step`]).

mod claims;
mod drain;
mod flow;
mod past;
mod route;
#[cfg(test)]
mod tests;

pub use claims::Claims;
pub use drain::{DrainStep, Waiting, drain_step, is_self_echo};
pub use flow::{Answer, Call, DRAIN_MAX, ERROR_MAX, End, Flow, Outcome, Ran, Refusal, Start};
pub use past::{FETCHES_MAX, PAGE, PAGES_KEPT, Page, Past};
pub use route::{Envelope, Route, route};
