//! Queries of the task board and of a room's files.

use super::{CursorQuery, FromQuery, QueryError, QueryReader};
use crate::rest::TaskState;

/// `GET …/tasks`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TasksQuery {
    /// Which page; 50 a page when nobody says.
    pub page: CursorQuery,
    /// `state`: active ones when absent; `None` is all of them.
    pub state: Option<TaskState>,
}

impl FromQuery for TasksQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let page = CursorQuery::read(&mut reader, 50);
        let state = reader
            .word("state", |word| if word == "all" { Some(None) } else { TaskState::parse(word).map(Some) });
        reader.finish()?;
        Ok(Self { page, state: state.unwrap_or(Some(TaskState::Active)) })
    }
}

/// `GET …/tasks/{id}`, `GET …/board`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HistoryIncludeQuery {
    /// `include=history`.
    pub history: bool,
}

impl FromQuery for HistoryIncludeQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let include = reader.words("include", |word| (word == "history").then_some(()));
        reader.finish()?;
        Ok(Self { history: !include.is_empty() })
    }
}

/// `GET …/tasks/{id}/history`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskHistoryQuery {
    /// Which page; 50 a page when nobody says.
    pub page: CursorQuery,
}

impl FromQuery for TaskHistoryQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let page = CursorQuery::read(&mut reader, 50);
        reader.finish()?;
        Ok(Self { page })
    }
}

/// `GET …/files`, a list of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilesQuery {
    /// Which page; 50 a page when nobody says.
    pub page: CursorQuery,
}

impl FromQuery for FilesQuery {
    fn from_query(mut reader: QueryReader) -> Result<Self, QueryError> {
        let page = CursorQuery::read(&mut reader, 50);
        reader.finish()?;
        Ok(Self { page })
    }
}
