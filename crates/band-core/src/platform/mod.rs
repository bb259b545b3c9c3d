//! The rules of the platform, as plans: load facts, decide, and get writes and pushes, or a refusal.

pub mod access;
pub mod activity;
pub mod agents;
mod announce;
pub mod contacts;
pub mod control;
pub mod deletions;
pub mod delivery;
pub mod disposal;
pub mod files;
pub mod handles;
pub mod hub;
pub mod marks;
pub mod membership;
pub mod memories;
pub mod mention;
pub mod normalise;
pub mod page;
pub mod people;
pub mod plan;
pub mod post;
mod principal;
mod push;
mod refusal;
pub mod rename;
mod room;
pub mod rooms;
mod roster;
pub mod routing;
pub mod send;
pub mod tasks;
#[cfg(test)]
mod test_site;
pub mod text;
pub mod titles;

pub use announce::{participant_view, with_deliveries};
pub use plan::{Plan, Write};
pub use principal::Principal;
pub use push::{Audience, Push};
pub use refusal::Refusal;
pub use room::{Chat, Room, TitleState};
pub use roster::{Execution, Member, Roster};

/// The type of messages that people and agents write; all others are events.
pub const TEXT: &str = "text";
