//! Executions: what binds agents and rooms.

use band_core::platform::control::ExecutionRow;
use band_wire::{AgentId, ChatId};
use rusqlite::{Row, params};

use super::View;
use crate::store::{StoreError, column};

impl View<'_> {
    /// How many executions an agent has.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn count_executions(self, agent: AgentId) -> Result<u64, StoreError> {
        self.count("SELECT count(*) FROM executions WHERE agent_id = ?1", params![agent.uuid()])
    }

    /// The executions of an agent in rooms that are there, in order of their rooms.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn executions(self, agent: AgentId) -> Result<Vec<ExecutionRow>, StoreError> {
        let sql = "SELECT e.id, e.agent_id, e.chat_id, e.stop_reason, e.stopped_at, e.inserted_at FROM executions e
            JOIN chats c ON c.id = e.chat_id AND c.deleted_at IS NULL WHERE e.agent_id = ?1 ORDER BY e.chat_id";
        self.list(sql, params![agent.uuid()], read)
    }

    /// Whether someone stopped an agent in a room.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn is_stopped(self, agent: AgentId, chat: ChatId) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM executions WHERE agent_id = ?1 AND chat_id = ?2 AND stopped_at IS NOT NULL";
        self.exists(sql, params![agent.uuid(), chat.uuid()])
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<ExecutionRow> {
    let (reason, since): (Option<String>, _) = (row.get(3)?, column::opt_stamp(row, 4)?);
    Ok(ExecutionRow {
        id: row.get(0)?,
        agent: column::id(row, 1)?,
        chat: column::id(row, 2)?,
        stopped: since.map(|since| (reason.unwrap_or_default(), since)),
        inserted_at: column::stamp(row, 5)?,
    })
}
