//! Memories, on the side of agents.

use band_core::platform::memories::{self, Act, MemoryRow, Storing};
use band_core::platform::page::{Key, List, Scope as Bound, Span};
use band_core::platform::{Principal, Refusal};
use band_wire::MemoryId;
use band_wire::rest::query::{AgentMemoriesQuery, MemoryOwner};
use band_wire::rest::{ContextPage, Issues, Memory, MemoryScope, Paged, StoreMemory, code};
use uuid::Uuid;

use super::idempotency::Once;
use super::{App, AppError, AppResult};
use crate::store::{MemoryQuery, MyMemoryRow, Scope, View, WhoseMemories};

impl App {
    /// Memories of the agent, or those that its organization shares.
    ///
    /// # Errors
    /// 403 for people; 422 for a bad cursor, without an organization, and for memories about a subject that
    /// nobody names.
    pub async fn agent_memories(
        &self,
        who: Principal,
        query: AgentMemoriesQuery,
    ) -> AppResult<ContextPage<Memory>> {
        let (agent, _) = who.agent()?;
        let AgentMemoriesQuery { paging, owner, scope, subject, filter } = query;
        let bound = Bound {
            list: List::AgentMemories,
            order: 0,
            filter: (owner == MemoryOwner::Organization).into(),
        };
        let span = Span::read(&paging, bound)?;
        let whose = match (owner, scope, subject) {
            (MemoryOwner::Me, ..) => WhoseMemories::Agent(agent),
            (MemoryOwner::Organization, Some(MemoryScope::Subject), Some(subject)) => {
                WhoseMemories::Subject(subject)
            }
            (MemoryOwner::Organization, Some(MemoryScope::Subject), None) => {
                let text = "is needed for memories about a subject";
                return Err(Refusal::invalid(Issues::one("/subject_id", text)).into());
            }
            (MemoryOwner::Organization, ..) => WhoseMemories::Organization,
        };
        let query = MemoryQuery { whose, scope, subject, agent: None, chat: None, filter };
        let load = move |view: View<'_>| {
            let organization = view.organization()?;
            if owner == MemoryOwner::Organization && organization.is_none() {
                let text = "needs an owner who belongs to an organization";
                let refusal = Refusal::token(code::ORG_SCOPE_REQUIRES_ORGANIZATION, "/memory_scope", text);
                return Err(AppError::from(refusal));
            }
            let total = if span.counts() { Some(view.count_memories(&query)?) } else { None };
            let found = view.memories(&query, &span.position, span.wanted())?;
            let (found, metadata) = span.page(found, total, place);
            let shown = found.into_iter().map(|row| memories::view(row.memory, organization));
            Ok(Paged { data: shown.collect(), metadata }.into())
        };
        self.store().read(load).await
    }

    /// A new memory of the agent.
    ///
    /// # Errors
    /// 403 for people, 409 for a repeated key with another request, 422 by the rules of memories.
    pub async fn store_memory(
        &self,
        who: Principal,
        request: StoreMemory,
        idempotency_key: Option<String>,
    ) -> AppResult<Memory> {
        who.agent()?;
        let once = Once::read(who, "memories".to_owned(), idempotency_key, &request)?;
        let create = move |scope: &mut Scope<'_>| {
            let view = scope.view();
            let subject = request.subject_id.map(|subject| view.candidate(subject)).transpose()?;
            let organization = view.organization()?;
            let facts = Storing {
                id: MemoryId::new(Uuid::now_v7()),
                organization,
                subject_exists: subject.flatten().is_some(),
                now: scope.now(),
            };
            let row = scope.carry_out(memories::store(facts, who, request)?)?;
            Ok(memories::view(row, organization))
        };
        self.once(once, |memory: &Memory| memory.id.uuid(), create).await
    }

    /// One memory that the agent may read.
    ///
    /// # Errors
    /// 403 for people, 404 for the rest.
    pub async fn agent_memory(&self, who: Principal, memory: MemoryId) -> AppResult<Memory> {
        who.agent()?;
        let load = move |view: View<'_>| {
            let row = view.memory(memory)?.ok_or_else(Refusal::not_found)?;
            memories::right(who, &row).read()?;
            Ok::<_, AppError>(memories::view(row, view.organization()?))
        };
        self.store().read(load).await
    }

    /// The agent says where one of its memories stands.
    ///
    /// # Errors
    /// 403 and 404 by the rights over memories.
    pub async fn act_on_agent_memory(&self, who: Principal, memory: MemoryId, act: Act) -> AppResult<Memory> {
        who.agent()?;
        let command = move |scope: &mut Scope<'_>| {
            let row = act_on(scope, who, memory, act)?;
            Ok(memories::view(row, scope.view().organization()?))
        };
        self.store().write(command).await
    }
}

/// Says where a memory stands, on either side.
pub(super) fn act_on(
    scope: &mut Scope<'_>,
    who: Principal,
    memory: MemoryId,
    act: Act,
) -> AppResult<MemoryRow> {
    let row = scope.view().memory(memory)?;
    Ok(scope.carry_out(memories::act(row, who, act, scope.now())?)?)
}

/// A memory's place in a list, for a cursor.
pub(super) fn place(row: &MyMemoryRow) -> (Key, Uuid) {
    (Key::Number(row.memory.inserted_at.as_micros()), row.memory.id.uuid())
}
