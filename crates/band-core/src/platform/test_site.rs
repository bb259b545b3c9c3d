//! Small sites for unit tests.

use band_wire::rest::{ChatKind, ChatStatus, MemberStatus, Role, SenderType};
use band_wire::{AgentId, ChatId, MessageId, ParticipantId, Stamp, UserId};
use uuid::Uuid;

use super::room::TitleState;
use super::{Chat, Execution, Member, Principal, Room, Roster, handles};

pub(crate) fn at(seconds: i64) -> Stamp {
    Stamp::from_micros(1_700_000_000_000_000 + seconds * 1_000_000)
}

pub(crate) fn message_id(number: u128) -> MessageId {
    MessageId::new(Uuid::from_u128(0xffff_0000 + number))
}

pub(crate) fn user_id(number: u128) -> UserId {
    UserId::new(Uuid::from_u128(number))
}

pub(crate) fn agent_id(number: u128) -> AgentId {
    AgentId::new(Uuid::from_u128(number))
}

pub(crate) fn user(number: u128) -> Principal {
    Principal::User(user_id(number))
}

pub(crate) fn bot(number: u128, owner: u128) -> Principal {
    Principal::Agent { id: agent_id(number), owner: user_id(owner) }
}

/// A person; the handle is the name's slug.
pub(crate) fn person(number: u128, name: &str) -> Member {
    Member {
        id: ParticipantId::new(Uuid::from_u128(number)),
        kind: SenderType::User,
        role: Role::Member,
        status: MemberStatus::Active,
        name: name.to_owned(),
        handle: handles::slug(name, "user"),
        description: None,
        owner: None,
        joined_at: at(i64::try_from(number).unwrap_or_default()),
        execution: None,
    }
}

/// An agent of an owner whose handle is `ann`.
pub(crate) fn agent(number: u128, name: &str, owner: u128) -> Member {
    Member {
        kind: SenderType::Agent,
        status: MemberStatus::Inactive,
        handle: handles::of_agent("ann", &handles::slug(name, "agent")),
        description: Some(format!("Does what {name} does")),
        owner: Some(user_id(owner)),
        execution: Some(Execution { id: Uuid::from_u128(0xe000 + number), stopped: false }),
        ..person(number, name)
    }
}

/// An agent that someone stopped in its room.
pub(crate) fn stopped(member: Member) -> Member {
    let execution = member.execution.map(|execution| Execution { stopped: true, ..execution });
    Member { execution, ..member }
}

pub(crate) fn blocked(member: Member) -> Member {
    Member { status: MemberStatus::Blocked, ..member }
}

pub(crate) fn with_role(role: Role, member: Member) -> Member {
    Member { role, ..member }
}

pub(crate) fn roster(members: impl IntoIterator<Item = Member>) -> Roster {
    members.into_iter().collect()
}

pub(crate) fn room(members: impl IntoIterator<Item = Member>) -> Room {
    let chat = Chat {
        id: ChatId::new(Uuid::from_u128(0xc0de)),
        title: "Plans".to_owned(),
        title_state: TitleState::Locked,
        kind: ChatKind::Direct,
        status: ChatStatus::Active,
        task_id: None,
        inserted_at: at(0),
        updated_at: at(0),
    };
    Room { chat, roster: roster(members) }
}
