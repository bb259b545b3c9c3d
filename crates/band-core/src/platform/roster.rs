//! Who is in a room.

use std::collections::{BTreeMap, BTreeSet};

use band_wire::rest::{MemberStatus, Role, SenderType};
use band_wire::{AgentId, ParticipantId, Stamp, UserId};
use uuid::Uuid;

use super::handles;

/// A participant with its membership.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// A user or an agent.
    pub id: ParticipantId,
    /// Which of the two.
    pub kind: SenderType,
    /// What it may do.
    pub role: Role,
    /// The state of its membership.
    pub status: MemberStatus,
    /// The person's full name, or the agent's name.
    pub name: String,
    /// Without `@`.
    pub handle: String,
    /// Of agents: what it does.
    pub description: Option<String>,
    /// Of agents: who owns it.
    pub owner: Option<UserId>,
    /// When it came into the room.
    pub joined_at: Stamp,
    /// Of agents: what binds it to the room.
    pub execution: Option<Execution>,
}

/// What binds an agent to a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Execution {
    /// One for each agent and room.
    pub id: Uuid,
    /// Whether someone stopped the agent here.
    pub stopped: bool,
}

impl Member {
    /// The agent's id, if it is one.
    pub fn agent(&self) -> Option<AgentId> {
        (self.kind == SenderType::Agent).then(|| self.id.cast())
    }

    /// The person's id, if it is one.
    pub fn user(&self) -> Option<UserId> {
        (self.kind == SenderType::User).then(|| self.id.cast())
    }

    /// Whether it is an agent that someone stopped here.
    pub fn is_stopped(&self) -> bool {
        self.execution.is_some_and(|execution| execution.stopped)
    }

    /// Whether the room is denied to it.
    pub fn is_blocked(&self) -> bool {
        self.status == MemberStatus::Blocked
    }
}

/// All participants of a room, found by id and by handle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Roster {
    members: BTreeMap<ParticipantId, Member>,
    handles: BTreeMap<String, ParticipantId>,
    owners: BTreeSet<UserId>,
}

impl Roster {
    /// One participant.
    pub fn get(&self, id: ParticipantId) -> Option<&Member> {
        self.members.get(&id)
    }

    /// The participant with a handle: with or without `@`, in any case.
    pub fn by_handle(&self, handle: &str) -> Option<&Member> {
        self.get(*self.handles.get(&handles::canonical(handle))?)
    }

    /// Whether someone owns an agent that is in the room and not blocked.
    pub fn owns_agent(&self, user: UserId) -> bool {
        self.owners.contains(&user)
    }

    /// All of them, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Member> {
        self.members.values()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether nobody is in the room.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// How many owners the room has.
    pub fn owner_count(&self) -> usize {
        self.iter().filter(|member| member.role == Role::Owner).count()
    }
}

impl FromIterator<Member> for Roster {
    fn from_iter<I: IntoIterator<Item = Member>>(members: I) -> Self {
        let mut roster = Self::default();
        for member in members {
            roster.handles.insert(handles::canonical(&member.handle), member.id);
            if let (Some(owner), false) = (member.owner, member.is_blocked()) {
                roster.owners.insert(owner);
            }
            roster.members.insert(member.id, member);
        }
        roster
    }
}
