//! What a platform pushes. Each shape is the union of what the known clients require: a key that one of them
//! wants is always there, a null that one of them refuses is left out.
//!
//! `supersede` and `agent.control` are [`super::Supersede`] and [`super::AgentControl`]; `agent_created` and
//! `agent_updated` carry [`crate::rest::MyAgent`].

mod contact;
mod message;
mod participant;
mod room;
mod user;

pub use contact::{Contact, ContactRemoved, ContactRequest, ContactRequestUpdate};
pub use message::{Message, MessageDeleted};
pub use participant::Participant;
pub use room::{Room, RoomDeleted, RoomRemoved};
pub use user::{AgentActivity, AgentConnection, AgentDeleted, RoomTitleChanged, WorkingAgents};

#[cfg(test)]
mod tests;
