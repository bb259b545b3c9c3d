//! Who may answer.

use std::collections::BTreeSet;

use band_wire::ParticipantId;

/// Who may answer an ask.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Senders {
    /// Anybody in the room.
    #[default]
    Anyone,
    /// These, and if there are none nobody.
    Only(BTreeSet<ParticipantId>),
}

impl Senders {
    /// Whether this one may.
    pub fn admits(&self, sender: ParticipantId) -> bool {
        match self {
            Self::Anyone => true,
            Self::Only(senders) => senders.contains(&sender),
        }
    }
}
