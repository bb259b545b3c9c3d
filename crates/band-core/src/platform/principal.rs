//! Who is calling.

use band_wire::{AgentId, ParticipantId, UserId};

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
