//! What an agent remembers whose platform is made up.

use band_wire::rest::{ContextPage, Cursored, Memory, MemoryScope, MemoryStatus, Paged, StoreMemory};
use band_wire::tools::args::{ListMemoriesArgs, MemoryStatusFilter, given};
use band_wire::{Id, MemoryId, Stamp};
use uuid::Uuid;

use super::fake_tools::{EPOCH, Said, answered, locked, not_found};
use crate::tools::{Answer, MemoryPort};

/// Memories by their order.
#[derive(Debug, Default)]
pub(super) struct FakeMemory(pub(super) Vec<Memory>);

impl FakeMemory {
    fn change(&mut self, id: MemoryId, status: MemoryStatus) -> Option<Memory> {
        let memory = self.0.iter_mut().find(|memory| memory.id == id)?;
        memory.status = Some(status.into());
        Some(memory.clone())
    }
}

fn fits(memory: &Memory, query: &ListMemoriesArgs) -> bool {
    let word = |wanted: Option<&str>, is: &str| wanted.is_none_or(|wanted| wanted == "all" || wanted == is);
    let status = query.status.unwrap_or(MemoryStatusFilter::Active);
    let stands = memory.status.as_ref().map_or("active", |status| status.as_str());
    let about = memory.subject_id.map(|id| id.to_string());
    let asked = given(query.content_query.as_deref()).map(str::to_lowercase);
    word(Some(status.as_str()), stands)
        && word(query.scope.map(band_wire::tools::args::MemoryListScope::as_str), memory.scope.as_str())
        && word(query.system.map(band_wire::rest::MemorySystem::as_str), memory.system.as_str())
        && word(query.kind.map(band_wire::rest::MemoryType::as_str), memory.kind.as_str())
        && word(query.segment.map(band_wire::rest::MemorySegment::as_str), memory.segment.as_str())
        && given(query.subject_id.as_deref()).is_none_or(|subject| about.as_deref() == Some(subject.trim()))
        && asked.is_none_or(|words| memory.content.to_lowercase().contains(&words))
}

impl MemoryPort for Said {
    fn memories<'a>(&'a self, query: &'a ListMemoriesArgs) -> Answer<'a, ContextPage<Memory>> {
        let known = locked(&self.memories);
        let most = usize::try_from(query.page_size).unwrap_or_default();
        let fitting: Vec<Memory> =
            known.0.iter().rev().filter(|memory| fits(memory, query)).cloned().collect();
        let has_more = fitting.len() > most;
        let data = fitting.into_iter().take(most).collect();
        let metadata = Cursored { has_more, limit: query.page_size.unsigned_abs(), ..Cursored::default() };
        answered(Paged { data, metadata }.into())
    }

    fn store_memory<'a>(&'a self, memory: &'a StoreMemory) -> Answer<'a, Memory> {
        if let Some(refused) = self.refused() {
            return refused;
        }
        let stored = Memory {
            id: Id::new(Uuid::new_v4()),
            content: memory.content.clone(),
            system: memory.system.into(),
            kind: memory.kind.into(),
            segment: memory.segment.into(),
            scope: memory.scope.unwrap_or(MemoryScope::Agent).into(),
            status: Some(MemoryStatus::Active.into()),
            thought: Some(memory.thought.clone()),
            subject_id: memory.subject_id,
            source_agent_id: Some(Self::agent()),
            organization_id: None,
            metadata: memory.metadata.clone(),
            inserted_at: Stamp::from_micros(EPOCH),
        };
        locked(&self.memories).0.push(stored.clone());
        answered(stored)
    }

    fn memory(&self, memory: MemoryId) -> Answer<'_, Memory> {
        let found = locked(&self.memories).0.iter().find(|known| known.id == memory).cloned();
        found.map_or_else(not_found, answered)
    }

    fn supersede_memory(&self, memory: MemoryId) -> Answer<'_, Memory> {
        let refused = self.refused();
        let done = || locked(&self.memories).change(memory, MemoryStatus::Superseded);
        refused.unwrap_or_else(|| done().map_or_else(not_found, answered))
    }

    fn archive_memory(&self, memory: MemoryId) -> Answer<'_, Memory> {
        let refused = self.refused();
        let done = || locked(&self.memories).change(memory, MemoryStatus::Archived);
        refused.unwrap_or_else(|| done().map_or_else(not_found, answered))
    }
}
