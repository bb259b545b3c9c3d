//! Who may bring whom into a room, and who may send whom out of it.
//!
//! Coming in, checked in this order:
//!
//! | check | refusal |
//! | --- | --- |
//! | the caller takes part in the room | 404 |
//! | a person is owner or admin of it | 403 |
//! | the newcomer exists | 404 |
//! | it isn't in the room already | 409 |
//! | its role is no higher than the caller's own | 403 |
//! | it is within reach: a contact; for agents their owner, their siblings, and agents open to the organization; for people their own agents, agents open to the organization, and the people of the site | 403 |
//!
//! Going out: whoever is not the room's only owner may leave. Agents never send people out. Owners send out
//! anyone else, admins send out members. On the side of people the last owner's removal has a code of its
//! own.

use band_wire::rest::{MemberStatus, Participant, Role, SenderType, code};
use band_wire::{AgentId, ParticipantId, Stamp, UserId};
use uuid::Uuid;

use super::plan::{Plan, Write};
use super::{Chat, Member, Principal, Push, Refusal, Room, announce};

/// A user or an agent of the site, as a plan sees it from outside a room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// A user or an agent.
    pub id: ParticipantId,
    /// Which of the two.
    pub kind: SenderType,
    /// The person's full name, or the agent's name.
    pub name: String,
    /// Without `@`.
    pub handle: String,
    /// Of agents: what it does.
    pub description: Option<String>,
    /// Of agents: who owns it.
    pub owner: Option<UserId>,
    /// Of agents: whether the organization may discover it.
    pub shared_with_organization: bool,
    /// Of agents: whether the public directory lists it.
    pub listed_in_directory: bool,
    /// Of agents: free labels.
    pub tags: Vec<String>,
}

impl Candidate {
    /// The candidate as a participant. People start active, agents inactive.
    pub fn join(&self, role: Role, at: Stamp) -> Member {
        let status = match self.kind {
            SenderType::User => MemberStatus::Active,
            SenderType::Agent => MemberStatus::Inactive,
        };
        Member {
            id: self.id,
            kind: self.kind,
            role,
            status,
            name: self.name.clone(),
            handle: self.handle.clone(),
            description: self.description.clone(),
            owner: self.owner,
            joined_at: at,
            execution: None,
        }
    }
}

/// Whether the caller may bring someone into its rooms without a contact.
pub fn reaches(who: Principal, target: &Candidate) -> bool {
    let (owner, is_agent) = match who {
        Principal::User(user) => (user, false),
        Principal::Agent { owner, .. } => (owner, true),
    };
    match target.kind {
        SenderType::Agent => target.owner == Some(owner) || target.shared_with_organization,
        SenderType::User => !is_agent || target.id == owner.into(),
    }
}

/// What is known when someone is to come in.
#[derive(Debug)]
pub struct Joining<'a> {
    /// The room.
    pub room: &'a Room,
    /// The newcomer, if there is such a user or agent.
    pub target: Option<&'a Candidate>,
    /// Whether the newcomer is a contact of the caller.
    pub is_contact: bool,
    /// What it shall be.
    pub role: Role,
    /// The id of the newcomer's execution, if it is an agent and has none here yet.
    pub execution: Uuid,
    /// Now.
    pub now: Stamp,
}

/// Plans someone's coming in.
///
/// # Errors
/// As the table of this module says.
pub fn add(facts: &Joining<'_>, who: Principal) -> Result<Plan<Participant>, Refusal> {
    let Joining { room, target, is_contact, role, execution, now } = *facts;
    let actor = room.member(who)?;
    if matches!(who, Principal::User(_)) && actor.role < Role::Admin {
        return Err(Refusal::forbidden("Only owners and admins may add participants"));
    }
    let target = target.ok_or_else(Refusal::not_found)?;
    if room.roster.get(target.id).is_some() {
        let text = format!("{} is already a participant of this room", target.id);
        return Err(Refusal::new(409, code::CONFLICT, text));
    }
    if role > actor.role {
        return Err(Refusal::forbidden(format!(
            "A {} can't add someone as {}",
            actor.role.as_str(),
            role.as_str()
        )));
    }
    if !is_contact && !reaches(who, target) {
        return Err(Refusal::forbidden(format!(
            "{} can't be added: it is not among your peers",
            target.handle
        )));
    }
    let member = target.join(role, now);
    let chat = Chat { updated_at: now, ..room.chat.clone() };
    let mut pushes = vec![announce::participant("participant_added", chat.id, &member)];
    pushes.push(announce::room_added(&chat, &member));
    pushes.extend(announce::room_updated(&chat, room.roster.iter()));
    let answer = announce::participant_view(&member, role);
    Ok(Plan { writes: joins(&chat, &member, execution, now), pushes, answer })
}

/// The writes of someone's coming in.
pub(super) fn joins(chat: &Chat, member: &Member, execution: Uuid, at: Stamp) -> Vec<Write> {
    let (chat, who) = (chat.id, member.id);
    let Member { kind, role, status, .. } = *member;
    let mut writes = vec![Write::AddMember { chat, who, kind, role, status, at }];
    writes.extend(member.agent().map(|agent| Write::OpenExecution { execution, agent, chat, at }));
    writes
}

/// Plans someone's going out.
///
/// # Errors
/// As this module says: 404 for who isn't in the room, 403 for who may not.
pub fn remove(
    room: &Room,
    who: Principal,
    target: ParticipantId,
    now: Stamp,
) -> Result<Plan<Participant>, Refusal> {
    let actor = room.member(who)?;
    let target = room.roster.get(target).ok_or_else(Refusal::not_found)?;
    let is_self = target.id == actor.id;
    let is_sole_owner = target.role == Role::Owner && room.roster.owner_count() == 1;
    let by_agent = matches!(who, Principal::Agent { .. });
    if by_agent && target.kind == SenderType::User {
        return Err(Refusal::forbidden("Agents can't remove people"));
    }
    if !is_self && actor.role < Role::Admin {
        return Err(Refusal::forbidden("Only owners and admins may remove participants"));
    }
    if is_sole_owner && (is_self || !by_agent) {
        let text = "A room keeps an owner: make someone else an owner first";
        return Err(Refusal::new(403, code::CANNOT_REMOVE_SOLE_OWNER, text));
    }
    if !is_self && actor.role < Role::Owner && target.role >= actor.role {
        return Err(Refusal::forbidden(format!("An admin can't remove an {}", target.role.as_str())));
    }
    let (writes, pushes) = leaves(room, target, now);
    Ok(Plan { writes, pushes, answer: announce::participant_view(target, target.role) })
}

/// The writes and pushes of someone's going out.
fn leaves(room: &Room, target: &Member, now: Stamp) -> (Vec<Write>, Vec<Push>) {
    let chat = Chat { updated_at: now, ..room.chat.clone() };
    let mut pushes = vec![announce::participant("participant_removed", chat.id, target)];
    pushes.push(announce::room_removed(&chat, target, now));
    pushes.extend(announce::room_updated(&chat, room.roster.iter().filter(|member| member.id != target.id)));
    (vec![Write::RemoveMember { chat: chat.id, who: target.id, at: now }], pushes)
}

/// Plans an agent's going out of one room because it is deleted. A room whose only owner it was gets another.
pub fn evict(room: &Room, agent: AgentId, now: Stamp) -> Plan<()> {
    let Some(target) = room.roster.get(agent.into()) else { return Plan::answer(()) };
    let (mut writes, pushes) = leaves(room, target, now);
    let heir = if room.roster.owner_count() == 1 { heir(room, target) } else { None };
    writes.extend(heir.map(|who| Write::SetRole { chat: room.chat.id, who, role: Role::Owner, at: now }));
    Plan { writes, pushes, answer: () }
}

/// Who owns a room after its only owner is gone: that agent's own owner if they take part, else whoever has
/// the highest role, people before agents, the longest in the room first.
fn heir(room: &Room, leaving: &Member) -> Option<ParticipantId> {
    if leaving.role != Role::Owner {
        return None;
    }
    let rest = room.roster.iter().filter(|member| member.id != leaving.id && !member.is_blocked());
    let first = rest.min_by_key(|member| {
        let is_owner = leaving.owner.is_some_and(|owner| member.id == owner.into());
        let is_agent = member.kind == SenderType::Agent;
        (!is_owner, std::cmp::Reverse(member.role), is_agent, member.joined_at, member.id)
    });
    first.map(|member| member.id)
}

#[cfg(test)]
mod tests;
