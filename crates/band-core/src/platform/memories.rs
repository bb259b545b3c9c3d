//! Memories: who may read them, and who may change them.
//!
//! | caller | memory | may |
//! | --- | --- | --- |
//! | agent | its own | read, supersede, archive |
//! | agent | of the organization, or about a subject | read |
//! | agent | another's own | nothing: it does not exist |
//! | person | about them, that its agent shares | read, supersede, archive, restore, delete |
//! | person | that an agent of theirs keeps to itself | the same |
//! | person | of the organization | read |
//! | person | another | nothing: it does not exist |
//!
//! | act | active | superseded | archived |
//! | --- | --- | --- | --- |
//! | supersede | superseded | – | superseded |
//! | archive | archived | – | – |
//! | restore | 422 | 422 | active |

use band_wire::rest::{
    Issues, Memory, MemoryScope, MemorySegment, MemoryStatus, MemorySystem, MemoryType, StoreMemory, code,
};
use band_wire::{AgentId, ChatId, MemoryId, ParticipantId, Stamp, UserId};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::plan::{Plan, Write};
use super::{Principal, Refusal};

/// A memory as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryRow {
    /// The memory.
    pub id: MemoryId,
    /// What is remembered.
    pub content: String,
    /// Its tier.
    pub system: MemorySystem,
    /// Its type.
    pub kind: MemoryType,
    /// What it is about.
    pub segment: MemorySegment,
    /// Who may read it.
    pub scope: MemoryScope,
    /// Where it stands.
    pub status: MemoryStatus,
    /// Why it was stored.
    pub thought: String,
    /// The person or agent it is about.
    pub subject: Option<ParticipantId>,
    /// The agent that stored it; none once that agent is gone.
    pub agent: Option<AgentId>,
    /// The owner of that agent.
    pub owner: Option<UserId>,
    /// The room it was stored in.
    pub chat: Option<ChatId>,
    /// As it was given.
    pub metadata: Option<Map<String, Value>>,
    /// When it was stored.
    pub inserted_at: Stamp,
    /// When it last changed.
    pub updated_at: Stamp,
}

/// A change of the stored memories.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryWrite {
    /// A new one.
    Add(Box<MemoryRow>),
    /// Another status.
    SetStatus {
        /// Which.
        memory: MemoryId,
        /// Where it stands from here on.
        status: MemoryStatus,
        /// When.
        at: Stamp,
    },
    /// It goes for good.
    Remove(MemoryId),
    /// An agent is deleted: what it kept to itself goes, what it shared stays without an author.
    Orphan(AgentId),
}

impl From<MemoryWrite> for Write {
    fn from(write: MemoryWrite) -> Self {
        Self::Memory(write)
    }
}

/// What a caller may do with a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// Nothing: for this caller it does not exist.
    None,
    /// Read it.
    Read,
    /// Read it and say where it stands.
    Manage,
}

impl Right {
    /// Goes on when the caller may read.
    ///
    /// # Errors
    /// 404 otherwise.
    pub fn read(self) -> Result<(), Refusal> {
        if self >= Self::Read { Ok(()) } else { Err(Refusal::not_found()) }
    }

    /// Goes on when the caller may change it.
    ///
    /// # Errors
    /// 404 when it does not exist for the caller, 403 when they may only read it.
    pub fn manage(self) -> Result<(), Refusal> {
        self.read()?;
        if self == Self::Manage {
            Ok(())
        } else {
            Err(Refusal::forbidden("This memory is not yours to change"))
        }
    }
}

/// Decides by the table of this module.
pub fn right(who: Principal, memory: &MemoryRow) -> Right {
    let shared = memory.scope != MemoryScope::Agent;
    match who {
        Principal::Agent { id, .. } if memory.agent == Some(id) => Right::Manage,
        Principal::Agent { .. } if shared => Right::Read,
        Principal::User(user) if shared && memory.subject == Some(user.into()) => Right::Manage,
        Principal::User(user) if !shared && memory.owner == Some(user) => Right::Manage,
        Principal::User(_) if memory.scope == MemoryScope::Organization => Right::Read,
        Principal::Agent { .. } | Principal::User(_) => Right::None,
    }
}

/// What is known when a memory is stored.
#[derive(Debug, Clone, Copy)]
pub struct Storing {
    /// The id it will have.
    pub id: MemoryId,
    /// The organization of the agent's owner, if there is one.
    pub organization: Option<Uuid>,
    /// Whether the subject is a person or an agent of the site.
    pub subject_exists: bool,
    /// Now.
    pub now: Stamp,
}

/// Plans a new memory of an agent.
///
/// # Errors
/// 403 for people; 422 for a subject that does not exist, and for a memory of an organization where there is none.
pub fn store(facts: Storing, who: Principal, request: StoreMemory) -> Result<Plan<MemoryRow>, Refusal> {
    let (agent, owner) = who.agent()?;
    let scope = request.audience();
    if scope == MemoryScope::Organization && facts.organization.is_none() {
        let text = "needs an owner who belongs to an organization";
        return Err(Refusal::token(code::ORG_SCOPE_REQUIRES_ORGANIZATION, "/memory/scope", text));
    }
    if request.subject_id.is_some() && !facts.subject_exists {
        return Err(Refusal::invalid(Issues::one("/memory/subject_id", "does not exist")));
    }
    let row = MemoryRow {
        id: facts.id,
        content: request.content,
        system: request.system,
        kind: request.kind,
        segment: request.segment,
        scope,
        status: MemoryStatus::Active,
        thought: request.thought,
        subject: request.subject_id,
        agent: Some(agent),
        owner: Some(owner),
        chat: None,
        metadata: request.metadata,
        inserted_at: facts.now,
        updated_at: facts.now,
    };
    let writes = vec![MemoryWrite::Add(Box::new(row.clone())).into()];
    Ok(Plan { writes, pushes: Vec::new(), answer: row })
}

/// What may be said of where a memory stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// It is out of date.
    Supersede,
    /// It is not needed now.
    Archive,
    /// It is needed again. People alone.
    Restore,
}

/// Plans a change of where a memory stands. What stands there already is answered as it is.
///
/// # Errors
/// 404 and 403 by the rights; 422 for the restoring of what isn't archived.
pub fn act(
    memory: Option<MemoryRow>,
    who: Principal,
    act: Act,
    now: Stamp,
) -> Result<Plan<MemoryRow>, Refusal> {
    let memory = memory.ok_or_else(Refusal::not_found)?;
    right(who, &memory).manage()?;
    if act == Act::Restore {
        who.user()?;
    }
    let status = match (act, memory.status) {
        (Act::Supersede, _) | (Act::Archive, MemoryStatus::Superseded) => MemoryStatus::Superseded,
        (Act::Archive, _) => MemoryStatus::Archived,
        (Act::Restore, MemoryStatus::Archived) => MemoryStatus::Active,
        (Act::Restore, _) => {
            return Err(Refusal::invalid(Issues::one("/status", "is not archived")));
        }
    };
    if status == memory.status {
        return Ok(Plan::answer(memory));
    }
    let write = MemoryWrite::SetStatus { memory: memory.id, status, at: now };
    let answer = MemoryRow { status, updated_at: now, ..memory };
    Ok(Plan { writes: vec![write.into()], pushes: Vec::new(), answer })
}

/// Plans a memory's end.
///
/// # Errors
/// 404 and 403 by the rights, and for agents.
pub fn remove(memory: Option<&MemoryRow>, who: Principal) -> Result<Plan<()>, Refusal> {
    let memory = memory.ok_or_else(Refusal::not_found)?;
    who.user()?;
    right(who, memory).manage()?;
    Ok(Plan { writes: vec![MemoryWrite::Remove(memory.id).into()], pushes: Vec::new(), answer: () })
}

/// A memory as agents see it.
pub fn view(row: MemoryRow, organization: Option<Uuid>) -> Memory {
    Memory {
        id: row.id,
        content: row.content,
        system: row.system.into(),
        kind: row.kind.into(),
        segment: row.segment.into(),
        scope: row.scope.into(),
        status: Some(row.status.into()),
        thought: Some(row.thought),
        subject_id: row.subject,
        source_agent_id: row.agent,
        organization_id: organization.filter(|_| row.scope != MemoryScope::Agent),
        metadata: row.metadata,
        inserted_at: row.inserted_at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::test_site::{agent_id, at, bot, user, user_id};

    fn memory(scope: MemoryScope, subject: Option<u128>) -> MemoryRow {
        MemoryRow {
            id: MemoryId::new(Uuid::from_u128(7)),
            content: "Ann likes tea".to_owned(),
            system: MemorySystem::LongTerm,
            kind: MemoryType::Semantic,
            segment: MemorySegment::User,
            scope,
            status: MemoryStatus::Active,
            thought: "she said so".to_owned(),
            subject: subject.map(|id| user_id(id).into()),
            agent: Some(agent_id(2)),
            owner: Some(user_id(1)),
            chat: None,
            metadata: None,
            inserted_at: at(0),
            updated_at: at(0),
        }
    }

    #[test]
    fn the_table_of_rights_over_memories_holds() {
        use MemoryScope::{Agent, Organization, Subject};
        let (own, sibling, ann, bob) = (bot(2, 1), bot(3, 1), user(1), user(5));
        for (who, scope, subject, expected) in [
            (own, Agent, None, Right::Manage),
            (own, Organization, None, Right::Manage),
            (own, Subject, Some(5), Right::Manage),
            (sibling, Agent, None, Right::None),
            (sibling, Agent, Some(5), Right::None),
            (sibling, Organization, None, Right::Read),
            (sibling, Subject, Some(5), Right::Read),
            (ann, Agent, None, Right::Manage),
            (ann, Organization, None, Right::Read),
            (ann, Subject, Some(5), Right::None),
            (ann, Subject, Some(1), Right::Manage),
            (bob, Agent, None, Right::None),
            (bob, Agent, Some(5), Right::None),
            (bob, Organization, None, Right::Read),
            (bob, Organization, Some(5), Right::Manage),
            (bob, Subject, Some(5), Right::Manage),
        ] {
            assert_eq!(right(who, &memory(scope, subject)), expected, "{who:?} {scope} {subject:?}");
        }
    }

    #[test]
    fn the_table_of_where_a_memory_stands_holds() {
        use MemoryStatus::{Active, Archived, Superseded};
        for (what, before, after) in [
            (Act::Supersede, Active, Some(Superseded)),
            (Act::Supersede, Superseded, Some(Superseded)),
            (Act::Supersede, Archived, Some(Superseded)),
            (Act::Archive, Active, Some(Archived)),
            (Act::Archive, Superseded, Some(Superseded)),
            (Act::Archive, Archived, Some(Archived)),
            (Act::Restore, Active, None),
            (Act::Restore, Superseded, None),
            (Act::Restore, Archived, Some(Active)),
        ] {
            let row = MemoryRow { status: before, ..memory(MemoryScope::Agent, None) };
            let plan = act(Some(row), user(1), what, at(1));
            assert_eq!(plan.as_ref().ok().map(|plan| plan.answer.status), after, "{what:?} {before}");
            match plan {
                Ok(plan) => assert_eq!(plan.writes.is_empty(), after == Some(before), "{what:?} {before}"),
                Err(refusal) => assert_eq!(refusal.status, 422),
            }
        }
    }

    #[test]
    fn what_may_only_be_read_is_403_and_the_rest_does_not_exist() {
        let shared = memory(MemoryScope::Organization, None);
        let status =
            |row: &MemoryRow, who| act(Some(row.clone()), who, Act::Archive, at(1)).unwrap_err().status;
        assert_eq!(status(&shared, bot(3, 1)), 403);
        assert_eq!(status(&shared, user(1)), 403, "its owner may read what is everyone's");
        let private = memory(MemoryScope::Agent, None);
        for who in [bot(3, 1), user(5)] {
            assert_eq!(status(&private, who), 404);
            assert_eq!(act(None, who, Act::Archive, at(1)).unwrap_err(), Refusal::not_found());
        }
        assert_eq!(remove(Some(&private), bot(2, 1)).unwrap_err().status, 403, "agents delete nothing");
        assert_eq!(remove(Some(&private), user(1)).unwrap().writes.len(), 1);
    }

    fn request(scope: Option<MemoryScope>, subject: Option<u128>) -> StoreMemory {
        StoreMemory {
            content: "x".to_owned(),
            system: MemorySystem::Working,
            kind: MemoryType::Episodic,
            segment: MemorySegment::Tool,
            thought: "y".to_owned(),
            scope,
            subject_id: subject.map(|id| user_id(id).into()),
            metadata: None,
        }
    }

    #[test]
    fn an_organization_and_a_subject_must_exist() {
        let facts = |organization: Option<Uuid>, subject_exists| Storing {
            id: MemoryId::new(Uuid::nil()),
            organization,
            subject_exists,
            now: at(1),
        };
        let of_all = request(Some(MemoryScope::Organization), None);
        let refusal = store(facts(None, false), bot(2, 1), of_all.clone()).unwrap_err();
        assert_eq!((refusal.status, refusal.code), (422, "org_scope_requires_organization"));
        assert!(store(facts(Some(Uuid::nil()), false), bot(2, 1), of_all).is_ok());
        let about = request(None, Some(5));
        assert_eq!(store(facts(None, false), bot(2, 1), about.clone()).unwrap_err().status, 422);
        let stored = store(facts(None, true), bot(2, 1), about.clone()).unwrap().answer;
        assert_eq!((stored.scope, stored.owner), (MemoryScope::Subject, Some(user_id(1))));
        assert_eq!(store(facts(None, true), user(1), about).unwrap_err().status, 403);
    }

    #[test]
    fn what_an_agent_keeps_to_itself_belongs_to_no_organization() {
        let organization = Some(Uuid::from_u128(9));
        assert_eq!(view(memory(MemoryScope::Agent, None), organization).organization_id, None);
        assert_eq!(view(memory(MemoryScope::Subject, Some(1)), organization).organization_id, organization);
    }
}
