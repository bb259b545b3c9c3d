//! Who may see a room, and who may act in it.
//!
//! | caller | own row | owns an agent inside | access |
//! | --- | --- | --- | --- |
//! | agent | active, inactive | – | participant |
//! | agent | blocked, none | – | none |
//! | person | active | any | participant |
//! | person | inactive, none | yes | reads through the agent |
//! | person | inactive, none | no | none |
//! | person | blocked | any | none: a block holds, even for the owner of an agent |

use band_wire::rest::{MemberStatus, Role};

use super::{Principal, Refusal};

/// The caller's own row in the room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// What it may do.
    pub role: Role,
    /// The state of the membership.
    pub status: MemberStatus,
}

/// What a caller may do with a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Nothing: for this caller the room does not exist.
    None,
    /// Read, because an agent of theirs is inside.
    ViaAgent,
    /// Read and act, within the role.
    Participant(Role),
}

impl Access {
    /// Whether the caller may read.
    pub const fn may_read(self) -> bool {
        matches!(self, Self::ViaAgent | Self::Participant(_))
    }

    /// Whether the caller may act as a participant.
    pub const fn may_write(self) -> bool {
        matches!(self, Self::Participant(_))
    }

    /// Goes on when the caller may read.
    ///
    /// # Errors
    /// 404 otherwise.
    pub fn read(self) -> Result<Self, Refusal> {
        if self.may_read() { Ok(self) } else { Err(Refusal::not_found()) }
    }
}

/// Decides from the caller's own row, and whether the caller owns an agent that is inside and not blocked.
pub fn decide(who: Principal, row: Option<Row>, owns_agent: bool) -> Access {
    let via = if owns_agent { Access::ViaAgent } else { Access::None };
    match (who, row) {
        (_, Some(Row { status: MemberStatus::Blocked, .. })) | (Principal::Agent { .. }, None) => {
            Access::None
        }
        (Principal::Agent { .. }, Some(row)) => Access::Participant(row.role),
        (Principal::User(_), Some(Row { status: MemberStatus::Active, role })) => Access::Participant(role),
        (Principal::User(_), Some(_) | None) => via,
    }
}

#[cfg(test)]
mod tests {
    use band_wire::{AgentId, UserId};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn every_row_of_the_table_holds() {
        let user = Principal::User(UserId::new(Uuid::from_u128(1)));
        let agent =
            Principal::Agent { id: AgentId::new(Uuid::from_u128(2)), owner: UserId::new(Uuid::from_u128(1)) };
        let row = |status| Some(Row { role: Role::Member, status });
        let inside = Access::Participant(Role::Member);
        let table = [
            (agent, row(MemberStatus::Active), false, inside),
            (agent, row(MemberStatus::Inactive), false, inside),
            (agent, row(MemberStatus::Blocked), false, Access::None),
            (agent, None, false, Access::None),
            (user, row(MemberStatus::Active), false, inside),
            (user, row(MemberStatus::Active), true, inside),
            (user, row(MemberStatus::Inactive), true, Access::ViaAgent),
            (user, row(MemberStatus::Inactive), false, Access::None),
            (user, None, true, Access::ViaAgent),
            (user, None, false, Access::None),
            (user, row(MemberStatus::Blocked), true, Access::None),
            (user, row(MemberStatus::Blocked), false, Access::None),
        ];
        for (who, row, owns, wanted) in table {
            assert_eq!(decide(who, row, owns), wanted, "{who:?} {row:?} {owns}");
        }
    }

    #[test]
    fn reading_through_an_agent_is_no_membership() {
        assert!(Access::ViaAgent.may_read() && !Access::ViaAgent.may_write());
        assert!(Access::None.read().is_err());
    }
}
