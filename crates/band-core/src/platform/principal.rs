//! Who is calling.

use band_wire::{AgentId, ParticipantId, UserId};

use super::Refusal;

/// An authenticated caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Principal {
    /// A person.
    User(UserId),
    /// An agent, with its owner.
    Agent {
        /// The agent.
        id: AgentId,
        /// The person who owns it.
        owner: UserId,
    },
}

impl Principal {
    /// The id under which the caller takes part in rooms.
    pub const fn participant(self) -> ParticipantId {
        match self {
            Self::User(id) => id.cast(),
            Self::Agent { id, .. } => id.cast(),
        }
    }
}

impl Principal {
    /// The agent and its owner, for what only agents may do.
    ///
    /// # Errors
    /// 403 for people.
    pub fn agent(self) -> Result<(AgentId, UserId), Refusal> {
        match self {
            Self::Agent { id, owner } => Ok((id, owner)),
            Self::User(_) => Err(Refusal::forbidden("Agent authentication required")),
        }
    }

    /// The person, for what only people may do.
    ///
    /// # Errors
    /// 403 for agents.
    pub fn user(self) -> Result<UserId, Refusal> {
        match self {
            Self::User(id) => Ok(id),
            Self::Agent { .. } => Err(Refusal::forbidden("User authentication required")),
        }
    }
}
