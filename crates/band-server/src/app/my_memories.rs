//! Memories, on the side of people.

use band_core::platform::memories::{self, Act};
use band_core::platform::page::{List, Scope as Bound, Span};
use band_core::platform::{Principal, Refusal};
use band_wire::MemoryId;
use band_wire::rest::query::{MyMemoriesQuery, MyMemoryScope};
use band_wire::rest::{ContextPage, MyMemory, Paged};
use uuid::Uuid;

use super::agent_memories::{act_on, place};
use super::{App, AppError, AppResult};
use crate::store::{MemoryQuery, MyMemoryRow, Scope, View, WhoseMemories};

impl App {
    /// The memories that a person may see.
    ///
    /// # Errors
    /// 403 for agents, 422 for a bad cursor.
    pub async fn my_memories(
        &self,
        who: Principal,
        query: MyMemoriesQuery,
    ) -> AppResult<ContextPage<MyMemory>> {
        let user = who.user()?;
        let MyMemoriesQuery { paging, scope, chat, source, filter } = query;
        let number = match scope {
            MyMemoryScope::All => 0,
            MyMemoryScope::AboutMe => 1,
            MyMemoryScope::Organization => 2,
            MyMemoryScope::Room => 3,
        };
        let span = Span::read(&paging, Bound { list: List::MyMemories, order: 0, filter: number })?;
        let whose = match scope {
            MyMemoryScope::All => WhoseMemories::Person(user),
            MyMemoryScope::AboutMe => WhoseMemories::Subject(user.into()),
            MyMemoryScope::Organization => WhoseMemories::Organization,
            MyMemoryScope::Room => WhoseMemories::Rooms(user),
        };
        let query = MemoryQuery { whose, scope: None, subject: None, agent: source, chat, filter };
        let load = move |view: View<'_>| {
            let organization = view.organization()?;
            let total = if span.counts() { Some(view.count_memories(&query)?) } else { None };
            let found = view.memories(&query, &span.position, span.wanted())?;
            let (found, metadata) = span.page(found, total, place);
            let shown = found.into_iter().map(|row| shape(row, organization));
            Ok::<_, AppError>(Paged { data: shown.collect(), metadata }.into())
        };
        self.store().read(load).await
    }

    /// One memory that the person may see.
    ///
    /// # Errors
    /// 403 for agents, 404 for the rest.
    pub async fn my_memory(&self, who: Principal, memory: MemoryId) -> AppResult<MyMemory> {
        who.user()?;
        let load = move |view: View<'_>| {
            let row = view.named_memory(memory)?.ok_or_else(Refusal::not_found)?;
            memories::right(who, &row.memory).read()?;
            Ok::<_, AppError>(shape(row, view.organization()?))
        };
        self.store().read(load).await
    }

    /// The person says where a memory stands.
    ///
    /// # Errors
    /// 403 and 404 by the rights over memories, 422 for the restoring of what isn't archived.
    pub async fn act_on_my_memory(&self, who: Principal, memory: MemoryId, act: Act) -> AppResult<MyMemory> {
        who.user()?;
        let command = move |scope: &mut Scope<'_>| {
            act_on(scope, who, memory, act)?;
            let row = scope.view().named_memory(memory)?.ok_or_else(Refusal::not_found)?;
            Ok(shape(row, scope.view().organization()?))
        };
        self.store().write(command).await
    }

    /// Deletes a memory for good.
    ///
    /// # Errors
    /// 403 and 404 by the rights over memories.
    pub async fn delete_memory(&self, who: Principal, memory: MemoryId) -> AppResult<()> {
        let command = move |scope: &mut Scope<'_>| {
            let row = scope.view().memory(memory)?;
            Ok(scope.carry_out(memories::remove(row.as_ref(), who)?)?)
        };
        self.store().write(command).await
    }
}

fn shape(row: MyMemoryRow, organization: Option<Uuid>) -> MyMemory {
    let MyMemoryRow { memory, subject_name, subject_type, agent_name, chat } = row;
    let (chat_room_id, updated_at) = (memory.chat, memory.updated_at);
    let (title, status, kind) = match chat {
        Some((title, status, kind)) => (Some(title), Some(status), Some(kind)),
        None => (None, None, None),
    };
    MyMemory {
        memory: memories::view(memory, organization),
        chat_room_id,
        updated_at,
        subject_name,
        subject_type,
        source_agent_name: agent_name,
        chat_room_title: title,
        chat_room_status: status.map(|status| status.as_str().to_owned()),
        chat_room_type: kind.map(|kind| kind.as_str().to_owned()),
    }
}
