//! What a plan needs to know of a room.

use band_wire::rest::{ChatKind, ChatStatus};
use band_wire::{ChatId, Stamp};

use super::access::{self, Access};
use super::{Principal, Refusal, Roster};

/// A room as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chat {
    /// The room.
    pub id: ChatId,
    /// Never empty.
    pub title: String,
    /// Where the title came from.
    pub title_state: TitleState,
    /// Its type.
    pub kind: ChatKind,
    /// Its status.
    pub status: ChatStatus,
    /// The task it is bound to.
    pub task_id: Option<String>,
    /// When it was created.
    pub inserted_at: Stamp,
    /// When its title or its participants last changed.
    pub updated_at: Stamp,
}

/// Where a title came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TitleState {
    /// Nobody gave one; the first message will.
    Default,
    /// Taken from the first message.
    Derived,
    /// Given by someone: stays.
    Locked,
}

impl TitleState {
    /// The word it is stored under.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Derived => "derived",
            Self::Locked => "locked",
        }
    }

    /// From the stored word.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Default, Self::Derived, Self::Locked].into_iter().find(|state| state.as_str() == text)
    }
}

/// A room with everyone in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// The room itself.
    pub chat: Chat,
    /// Who is in it.
    pub roster: Roster,
}

impl Room {
    /// What the caller may do here.
    pub fn access(&self, who: Principal) -> Access {
        let row = self
            .roster
            .get(who.participant())
            .map(|member| access::Row { role: member.role, status: member.status });
        let owns_agent = match who {
            Principal::User(user) => self.roster.owns_agent(user),
            Principal::Agent { .. } => false,
        };
        access::decide(who, row, owns_agent)
    }

    /// The caller's own membership, for what only participants may do.
    ///
    /// # Errors
    /// 404 for everyone else: the room is not theirs to know.
    pub fn member(&self, who: Principal) -> Result<&super::Member, Refusal> {
        if !self.access(who).may_write() {
            return Err(Refusal::not_found());
        }
        self.roster.get(who.participant()).ok_or_else(Refusal::not_found)
    }
}
