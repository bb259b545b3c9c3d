//! Strict reading of query strings: an unknown parameter is an issue under its name, like an unknown field
//! of a body.

mod agent;
mod contact;
mod human;
mod memory;
mod paging;
mod reader;
mod task;

#[cfg(test)]
mod tests;

pub use agent::{AgentChatsQuery, AgentMessagesQuery, AgentPeersQuery, ContextQuery, StatusFilter};
pub use contact::{AgentContactRequestsQuery, ContactsQuery, SentContactRequestsQuery, SentFilter};
pub use human::{
    AgentSort, Anchor, ChatInclude, ChatSort, DeleteAgentQuery, MyAgentsQuery, MyChatQuery, MyChatsQuery,
    MyMessagesQuery, MyParticipantsQuery, MyPeersQuery, TypeFilter,
};
pub use memory::{AgentMemoriesQuery, MemoryFilter, MemoryOwner, MyMemoriesQuery, MyMemoryScope};
pub use paging::{CursorQuery, OffsetQuery, Order, Paging};
pub use reader::{NoQuery, QueryReader};
pub use task::{FilesQuery, HistoryIncludeQuery, TaskHistoryQuery, TasksQuery};

use super::{Issues, code};

/// A query string that is read strictly.
pub trait FromQuery: Sized {
    /// Reads the decoded pairs of a query string.
    ///
    /// # Errors
    /// All issues of the query, not only the first.
    fn from_query(reader: QueryReader) -> Result<Self, QueryError>;
}

/// What is wrong with a query string: a 422 with this code and these details.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the query has {} issue(s)", .issues.len())]
pub struct QueryError {
    /// [`code::VALIDATION_ERROR`], or [`code::INVALID_PARAMS`] for parameters that do not go together.
    pub code: &'static str,
    /// `/<parameter>` → texts.
    pub issues: Issues,
}

impl QueryError {
    fn invalid(issues: Issues) -> Self {
        Self { code: code::VALIDATION_ERROR, issues }
    }

    fn clash(parameter: &str, text: &str) -> Self {
        Self { code: code::INVALID_PARAMS, issues: Issues::one(format!("/{parameter}"), text) }
    }
}
