//! Who the agent is, as the platform says.

use band_wire::rest::AgentMe;
use band_wire::{AgentId, UserId};

/// The agent, from `GET /agent/me`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// The agent.
    pub id: AgentId,
    /// Its name.
    pub name: String,
    /// What it does. Never empty: an agent without a description does not start.
    pub description: String,
    /// Without `@`.
    pub handle: String,
    /// The person who owns it.
    pub owner: UserId,
}

impl Identity {
    /// An identity to test an adapter with.
    pub fn new(id: AgentId, name: &str, description: &str) -> Self {
        let (name, description) = (name.to_owned(), description.to_owned());
        Self { id, name, description, handle: String::new(), owner: id.cast() }
    }
}

impl From<AgentMe> for Identity {
    fn from(me: AgentMe) -> Self {
        Self {
            id: me.id,
            name: me.name,
            description: me.description.unwrap_or_default(),
            handle: me.handle,
            owner: me.owner_uuid,
        }
    }
}
