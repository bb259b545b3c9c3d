//! The tools for memories: offered where the adapter chose them.

use band_core::turn::Effect;
use band_wire::rest::{ContextPage, Memory, StoreMemory, code};
use band_wire::tools::args::{ListMemoriesArgs, StoreMemoryArgs, given};
use band_wire::{MemoryId, ParticipantId};
use serde_json::Value;

use super::dispatch::told;
use super::port::{Answer, RestPort};
use super::{RoomTools, ToolError};
use crate::error::{Error, Result};

/// The calls about an agent's memories.
pub(crate) trait MemoryPort: Send + Sync {
    /// Lists those that fit.
    fn memories<'a>(&'a self, query: &'a ListMemoriesArgs) -> Answer<'a, ContextPage<Memory>>;
    /// Stores one.
    fn store_memory<'a>(&'a self, memory: &'a StoreMemory) -> Answer<'a, Memory>;
    /// Reads one.
    fn memory(&self, memory: MemoryId) -> Answer<'_, Memory>;
    /// Marks one as replaced.
    fn supersede_memory(&self, memory: MemoryId) -> Answer<'_, Memory>;
    /// Puts one away.
    fn archive_memory(&self, memory: MemoryId) -> Answer<'_, Memory>;
}

impl MemoryPort for RestPort {
    fn memories<'a>(&'a self, query: &'a ListMemoriesArgs) -> Answer<'a, ContextPage<Memory>> {
        Box::pin(self.rest.memories(query))
    }

    fn store_memory<'a>(&'a self, memory: &'a StoreMemory) -> Answer<'a, Memory> {
        Box::pin(self.rest.store_memory(memory))
    }

    fn memory(&self, memory: MemoryId) -> Answer<'_, Memory> {
        Box::pin(self.rest.memory(memory))
    }

    fn supersede_memory(&self, memory: MemoryId) -> Answer<'_, Memory> {
        Box::pin(self.rest.supersede_memory(memory))
    }

    fn archive_memory(&self, memory: MemoryId) -> Answer<'_, Memory> {
        Box::pin(self.rest.archive_memory(memory))
    }
}

/// Memories: the agent's, whichever room it is in.
impl RoomTools {
    /// The memories that fit, the newest first.
    ///
    /// # Errors
    /// The platform refused or could not be reached; so for all of them.
    pub async fn list_memories(&self, query: &ListMemoriesArgs) -> Result<ContextPage<Memory>> {
        self.shared.port.memories(query).await
    }

    /// Remembers something. Counts as work done.
    ///
    /// # Errors
    /// [`ToolError::NoOrganization`] for an organization's memory without one, or the turn was asked to end.
    pub async fn store_memory(&self, memory: &StoreMemory) -> Result<Memory> {
        self.act(|| self.shared.port.store_memory(memory)).await.map_err(|err| match err.api() {
            Some(api) if api.status_code == 422 && api.code == code::ORG_SCOPE_REQUIRES_ORGANIZATION => {
                ToolError::NoOrganization.into()
            }
            _ => err,
        })
    }

    /// One memory.
    ///
    /// # Errors
    /// There is none that the agent may see.
    pub async fn get_memory(&self, memory: MemoryId) -> Result<Memory> {
        self.shared.port.memory(memory).await
    }

    /// Marks a memory as replaced. Counts as work done.
    ///
    /// # Errors
    /// There is none of this agent, or the turn was asked to end.
    pub async fn supersede_memory(&self, memory: MemoryId) -> Result<Memory> {
        self.act(|| self.shared.port.supersede_memory(memory)).await
    }

    /// Puts a memory away. Counts as work done.
    ///
    /// # Errors
    /// There is none of this agent, or the turn was asked to end.
    pub async fn archive_memory(&self, memory: MemoryId) -> Result<Memory> {
        self.act(|| self.shared.port.archive_memory(memory)).await
    }

    /// What was done counts for the turn; a turn that was asked to end does nothing more.
    pub(super) async fn act<'a, T>(&self, work: impl FnOnce() -> Answer<'a, T> + Send) -> Result<T> {
        self.may_go_on()?;
        let done = work().await?;
        self.shared.ledger().record(Effect::Act);
        Ok(done)
    }

    pub(super) async fn do_store_memory(&self, args: StoreMemoryArgs) -> Result<Value> {
        let subject_id = given(args.subject_id.as_deref()).map(|id| id.trim().parse::<ParticipantId>());
        let memory = StoreMemory {
            content: args.content,
            system: args.system,
            kind: args.kind,
            segment: args.segment,
            thought: args.thought,
            scope: Some(args.scope),
            subject_id: subject_id.transpose().map_err(misfit)?,
            metadata: args.metadata,
        };
        told(self.store_memory(&memory).await)
    }
}

pub(super) fn memory_id(text: &str) -> Result<MemoryId> {
    text.parse().map_err(misfit)
}

/// An argument of the right form that names nothing.
pub(super) fn misfit(err: impl std::fmt::Display) -> Error {
    ToolError::Argument(err.to_string()).into()
}
