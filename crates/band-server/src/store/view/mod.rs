//! Everything that can be read, by subject.

mod agent;
mod chat;
mod contact;
mod execution;
mod file;
mod key;
mod memory;
mod message;
mod peer;
#[cfg(test)]
mod plans;
mod queue;
mod task;
mod timeline;
mod user;

pub use agent::AgentFilter;
pub use chat::{ChatFilter, ChatRow};
pub use file::WhoseFiles;
pub use key::{FoundKey, StoredAnswer};
pub use memory::{MemoryQuery, MyMemoryRow, WhoseMemories};
pub use message::StoredMessage;
pub use peer::PeerRow;
pub use timeline::{Direction, Slice, TypesWanted};

use rusqlite::{CachedStatement, Connection, Row, ToSql};

use super::StoreError;

/// A consistent view of the database: the writer's open transaction, or a reader's snapshot.
#[derive(Debug, Clone, Copy)]
pub struct View<'c>(&'c Connection);

impl<'c> View<'c> {
    pub(super) const fn new(connection: &'c Connection) -> Self {
        Self(connection)
    }

    pub(super) const fn connection(self) -> &'c Connection {
        self.0
    }

    fn first<T>(
        self,
        sql: &str,
        params: &[&dyn ToSql],
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        let mut statement = self.statement(sql)?;
        let mut rows = statement.query(params)?;
        Ok(rows.next()?.map(read).transpose()?)
    }

    fn list<T>(
        self,
        sql: &str,
        params: &[&dyn ToSql],
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.statement(sql)?;
        let rows = statement.query_map(params, read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn count(self, sql: &str, params: &[&dyn ToSql]) -> Result<u64, StoreError> {
        Ok(self.first(sql, params, |row| row.get(0))?.unwrap_or_default())
    }

    fn exists(self, sql: &str, params: &[&dyn ToSql]) -> Result<bool, StoreError> {
        Ok(self.statement(sql)?.exists(params)?)
    }

    fn statement(self, sql: &str) -> Result<CachedStatement<'c>, StoreError> {
        #[cfg(test)]
        plans::note(sql);
        Ok(self.0.prepare_cached(sql)?)
    }
}
