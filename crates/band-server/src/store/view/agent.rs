//! Agents.

use super::View;
use band_core::platform::page::{Key, Position};
use band_core::platform::plan::AgentRow;
use band_wire::rest::query::{AgentSort, Order};
use band_wire::{AgentId, UserId};
use rusqlite::types::Value as SqlValue;
use rusqlite::{Row, params};

use crate::store::{StoreError, column};

const AGENT: &str =
    "SELECT id, owner_id, slug, name, description, shared_with_organization, listed_in_directory,
    tags, inserted_at, updated_at FROM agents";

/// Which agents of an owner a list shows.
#[derive(Debug, Clone, Default)]
pub struct AgentFilter {
    /// Part of the name, in any case.
    pub name: Option<String>,
    /// Those that the public directory lists, or the others.
    pub listed: Option<bool>,
    /// Those whose loop runs outside the platform, or the others, of which there are none.
    pub external: Option<bool>,
}

impl View<'_> {
    /// An agent that is not deleted.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn agent(self, agent: AgentId) -> Result<Option<AgentRow>, StoreError> {
        self.first(&format!("{AGENT} WHERE id = ?1 AND deleted_at IS NULL"), params![agent.uuid()], read)
    }

    /// Whether one of the owner's agents has a name.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn has_agent_named(self, owner: UserId, name: &str) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM agents WHERE owner_id = ?1 AND name = ?2 AND deleted_at IS NULL";
        self.exists(sql, params![owner.uuid(), name])
    }

    /// The slugs of the owner's agents.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn slugs(self, owner: UserId) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT slug FROM agents WHERE owner_id = ?1 AND deleted_at IS NULL";
        self.list(sql, params![owner.uuid()], |row| row.get(0))
    }

    /// The agents of an owner that a filter shows: how many.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn count_agents(self, owner: UserId, filter: &AgentFilter) -> Result<u64, StoreError> {
        let sql = format!("SELECT count(*) FROM agents WHERE {SHOWN}");
        self.count(&sql, params![owner.uuid(), filter.name, filter.listed, filter.external])
    }

    /// The agents of an owner that a filter shows: some, from a place on.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn agents(
        self,
        owner: UserId,
        filter: &AgentFilter,
        (sort, order): (AgentSort, Order),
        position: &Position,
        limit: u64,
    ) -> Result<Vec<AgentRow>, StoreError> {
        let column = match sort {
            AgentSort::Name => "name",
            AgentSort::Inserted => "inserted_at",
            AgentSort::Updated => "updated_at",
        };
        let (compare, direction) = match order {
            Order::Asc => (">", "ASC"),
            Order::Desc => ("<", "DESC"),
        };
        let (key, id, skip) = match position {
            Position::Start => (None, None, 0),
            Position::Skip(skip) => (None, None, *skip),
            Position::After(Key::Number(number), id) => (Some(SqlValue::from(*number)), Some(*id), 0),
            Position::After(Key::Text(text), id) => (Some(SqlValue::from(text.clone())), Some(*id), 0),
        };
        let sql = format!(
            "{AGENT} WHERE {SHOWN} AND (?7 IS NULL OR ({column}, id) {compare} (?7, ?8))
             ORDER BY {column} {direction}, id {direction} LIMIT ?5 OFFSET ?6"
        );
        let AgentFilter { name, listed, external } = filter;
        self.list(&sql, params![owner.uuid(), name, listed, external, limit, skip, key, id], read)
    }
}

const SHOWN: &str = "owner_id = ?1 AND deleted_at IS NULL
    AND (?2 IS NULL OR instr(fold(name), fold(?2)) > 0) AND (?3 IS NULL OR listed_in_directory = ?3)
    AND (?4 IS NULL OR ?4 = 1)";

fn read(row: &Row<'_>) -> rusqlite::Result<AgentRow> {
    Ok(AgentRow {
        id: column::id(row, 0)?,
        owner: column::id(row, 1)?,
        slug: row.get(2)?,
        name: row.get(3)?,
        description: row.get(4)?,
        shared_with_organization: row.get(5)?,
        listed_in_directory: row.get(6)?,
        tags: column::parsed(row, 7, |tags| serde_json::from_str(tags).ok())?,
        inserted_at: column::stamp(row, 8)?,
        updated_at: column::stamp(row, 9)?,
    })
}
