//! The calls about memories.

use band_wire::MemoryId;
use band_wire::rest::{Body, ContextPage, Memory, StoreMemory, routes};
use band_wire::tools::args::{ListMemoriesArgs, given};

use super::client::{Call, RestClient};
use super::retry::Policy;
use crate::error::Result;

impl RestClient {
    /// The memories that fit, the newest first: one page.
    ///
    /// # Errors
    /// As for [`chats`](Self::chats); 403 where the plan has no memory. So for all calls that follow.
    pub async fn memories(&self, query: &ListMemoriesArgs) -> Result<ContextPage<Memory>> {
        let call = Call::get(routes::AGENT_MEMORIES)
            .query("subject_id", given(query.subject_id.as_deref()))
            .query("scope", query.scope)
            .query("system", query.system)
            .query("type", query.kind)
            .query("segment", query.segment)
            .query("content_query", given(query.content_query.as_deref()))
            .query("status", query.status)
            .query("limit", Some(query.page_size));
        Ok(self.call(call).await?.json()?)
    }

    /// Stores a memory.
    ///
    /// # Errors
    /// 422 for what does not fit, an organization's memory without an organization for one.
    pub async fn store_memory(&self, memory: &StoreMemory) -> Result<Memory> {
        let call = Call::post(routes::AGENT_MEMORIES, Policy::Unkeyed).keyed(Some(&self.fresh_key()))?;
        Ok(self.call(call.json(&Body(memory))?).await?.data()?)
    }

    /// One memory.
    ///
    /// # Errors
    /// 404 when there is none that the agent may see.
    pub async fn memory(&self, memory: MemoryId) -> Result<Memory> {
        Ok(self.call(Call::get(routes::agent_memory(memory))).await?.data()?)
    }

    /// Marks a memory as replaced.
    ///
    /// # Errors
    /// 403 for another agent's, 404 when there is none.
    pub async fn supersede_memory(&self, memory: MemoryId) -> Result<Memory> {
        self.memory_act(memory, "supersede").await
    }

    /// Puts a memory away.
    ///
    /// # Errors
    /// 403 for another agent's, 404 when there is none.
    pub async fn archive_memory(&self, memory: MemoryId) -> Result<Memory> {
        self.memory_act(memory, "archive").await
    }

    async fn memory_act(&self, memory: MemoryId, act: &str) -> Result<Memory> {
        let call = Call::post(routes::agent_memory_act(memory, act), Policy::Repeatable);
        Ok(self.call(call).await?.data()?)
    }
}
