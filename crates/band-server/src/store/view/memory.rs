//! Memories.

use band_core::platform::memories::MemoryRow;
use band_core::platform::page::{Key, Position};
use band_wire::rest::query::MemoryFilter;
use band_wire::rest::{
    ChatKind, ChatStatus, MemoryScope, MemorySegment, MemoryStatus, MemorySystem, MemoryType,
};
use band_wire::{AgentId, ChatId, MemoryId, ParticipantId, UserId};
use rusqlite::{Row, ToSql, params};
use uuid::Uuid;

use super::View;
use crate::store::{StoreError, column};

const MEMORY: &str =
    "m.id, m.content, m.system, m.kind, m.segment, m.scope, m.status, m.thought, m.subject_id,
    m.agent_id, a.owner_id, m.chat_id, m.metadata, m.inserted_at, m.updated_at";

/// Goes with the columns of [`MEMORY`].
const FROM: &str = "FROM memories m LEFT JOIN agents a ON a.id = m.agent_id";

/// Names that people are shown beside the columns of [`MEMORY`].
const NAMES: &str =
    "coalesce(nullif(trim(coalesce(u.first_name, '') || ' ' || coalesce(u.last_name, '')), ''),
        u.handle, s.name),
    CASE WHEN u.id IS NOT NULL THEN 'user' WHEN s.id IS NOT NULL THEN 'agent' END,
    a.name, c.title, c.status, c.kind";

/// Goes with the columns of [`NAMES`].
const NAMED: &str = "LEFT JOIN users u ON u.id = m.subject_id LEFT JOIN agents s ON s.id = m.subject_id
    LEFT JOIN chats c ON c.id = m.chat_id AND c.deleted_at IS NULL";

/// A memory with the names that people are shown.
#[derive(Debug, Clone)]
pub struct MyMemoryRow {
    /// The memory.
    pub memory: MemoryRow,
    /// The name of its subject.
    pub subject_name: Option<String>,
    /// `user` or `agent`.
    pub subject_type: Option<String>,
    /// The name of the agent that stored it.
    pub agent_name: Option<String>,
    /// The title, status and type of its room.
    pub chat: Option<(String, ChatStatus, ChatKind)>,
}

/// Whose memories a list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhoseMemories {
    /// Those that an agent stored.
    Agent(AgentId),
    /// Those of the organization.
    Organization,
    /// Those about someone that are shared.
    Subject(ParticipantId),
    /// All that a person may see.
    Person(UserId),
    /// What agents of a person keep to themselves, in rooms.
    Rooms(UserId),
}

impl WhoseMemories {
    /// The condition, of which `?1` is the id.
    const fn shown(self) -> &'static str {
        match self {
            Self::Agent(_) => "m.agent_id = ?1",
            Self::Organization => "m.scope = 'organization' AND ?1 IS NULL",
            Self::Subject(_) => "m.subject_id = ?1 AND m.scope <> 'agent'",
            Self::Person(_) => {
                "((m.subject_id = ?1 AND m.scope <> 'agent') OR m.scope = 'organization'
                  OR (m.agent_id IN (SELECT id FROM agents WHERE owner_id = ?1 AND deleted_at IS NULL)
                      AND m.scope = 'agent'))"
            }
            Self::Rooms(_) => {
                "m.agent_id IN (SELECT id FROM agents WHERE owner_id = ?1 AND deleted_at IS NULL)
                 AND m.scope = 'agent' AND m.chat_id IS NOT NULL"
            }
        }
    }

    const fn id(self) -> Option<Uuid> {
        match self {
            Self::Agent(id) => Some(id.uuid()),
            Self::Organization => None,
            Self::Subject(id) => Some(id.uuid()),
            Self::Person(id) | Self::Rooms(id) => Some(id.uuid()),
        }
    }
}

/// Which memories a list shows.
#[derive(Debug, Clone)]
pub struct MemoryQuery {
    /// Whose.
    pub whose: WhoseMemories,
    /// Of this scope alone.
    pub scope: Option<MemoryScope>,
    /// About this person or agent alone.
    pub subject: Option<ParticipantId>,
    /// Of this agent alone.
    pub agent: Option<AgentId>,
    /// Of this room alone.
    pub chat: Option<ChatId>,
    /// What else.
    pub filter: MemoryFilter,
}

const SHOWN: &str = "(?2 IS NULL OR m.scope = ?2) AND (?3 IS NULL OR m.subject_id = ?3)
    AND (?4 IS NULL OR m.agent_id = ?4) AND (?5 IS NULL OR m.chat_id = ?5)
    AND (?6 IS NULL OR m.system = ?6) AND (?7 IS NULL OR m.kind = ?7) AND (?8 IS NULL OR m.segment = ?8)
    AND (?9 IS NULL OR m.status = ?9)
    AND NOT EXISTS (SELECT 1 FROM json_each(?10) WHERE instr(fold(m.content), fold(value)) = 0)";

impl MemoryQuery {
    fn with<T>(&self, more: &[&dyn ToSql], run: impl FnOnce(&[&dyn ToSql]) -> T) -> T {
        let MemoryFilter { system, kind, segment, content, status } = &self.filter;
        let words: Vec<&str> = content.iter().flat_map(|text| text.split_whitespace()).collect();
        let words = serde_json::Value::from(words).to_string();
        let first: [&dyn ToSql; 10] = [
            &self.whose.id(),
            &self.scope.map(MemoryScope::as_str),
            &self.subject.map(ParticipantId::uuid),
            &self.agent.map(AgentId::uuid),
            &self.chat.map(ChatId::uuid),
            &system.map(MemorySystem::as_str),
            &kind.map(MemoryType::as_str),
            &segment.map(MemorySegment::as_str),
            &status.map(MemoryStatus::as_str),
            &words,
        ];
        let all: Vec<&dyn ToSql> = first.into_iter().chain(more.iter().copied()).collect();
        run(&all)
    }
}

impl View<'_> {
    /// A memory, whoever asks.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn memory(self, memory: MemoryId) -> Result<Option<MemoryRow>, StoreError> {
        self.first(&format!("SELECT {MEMORY} {FROM} WHERE m.id = ?1"), params![memory.uuid()], read)
    }

    /// A memory with its names, whoever asks.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn named_memory(self, memory: MemoryId) -> Result<Option<MyMemoryRow>, StoreError> {
        let sql = format!("SELECT {MEMORY}, {NAMES} {FROM} {NAMED} WHERE m.id = ?1");
        self.first(&sql, params![memory.uuid()], read_named)
    }

    /// The memories that a query shows: how many.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn count_memories(self, query: &MemoryQuery) -> Result<u64, StoreError> {
        let sql = format!("SELECT count(*) FROM memories m WHERE {} AND {SHOWN}", query.whose.shown());
        query.with(&[], |params| self.count(&sql, params))
    }

    /// The memories that a query shows, the newest first: some, from a place on.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn memories(
        self,
        query: &MemoryQuery,
        position: &Position,
        limit: u64,
    ) -> Result<Vec<MyMemoryRow>, StoreError> {
        let ((key, id), skip) = match position {
            Position::After(Key::Number(number), id) => ((*number, *id), 0),
            Position::Skip(skip) => ((i64::MAX, Uuid::max()), *skip),
            Position::Start | Position::After(Key::Text(_), _) => ((i64::MAX, Uuid::max()), 0),
        };
        let sql = format!(
            "SELECT {MEMORY}, {NAMES} {FROM} {NAMED} WHERE {} AND {SHOWN} AND (m.inserted_at, m.id) < (?11, ?12)
             ORDER BY m.inserted_at DESC, m.id DESC LIMIT ?13 OFFSET ?14",
            query.whose.shown()
        );
        query.with(&[&key, &id, &limit, &skip], |params| self.list(&sql, params, read_named))
    }

    /// The organization of the site.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn organization(self) -> Result<Option<Uuid>, StoreError> {
        let sql = "SELECT value FROM settings WHERE name = 'organization'";
        let read = |row: &Row<'_>| column::parsed(row, 0, |text| Uuid::try_parse(text).ok());
        self.first(sql, params![], read)
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<MemoryRow> {
    let metadata: Option<String> = row.get(12)?;
    Ok(MemoryRow {
        id: column::id(row, 0)?,
        content: row.get(1)?,
        system: column::parsed(row, 2, MemorySystem::parse)?,
        kind: column::parsed(row, 3, MemoryType::parse)?,
        segment: column::parsed(row, 4, MemorySegment::parse)?,
        scope: column::parsed(row, 5, MemoryScope::parse)?,
        status: column::parsed(row, 6, MemoryStatus::parse)?,
        thought: row.get(7)?,
        subject: column::opt_id(row, 8)?,
        agent: column::opt_id(row, 9)?,
        owner: column::opt_id(row, 10)?,
        chat: column::opt_id(row, 11)?,
        metadata: metadata.and_then(|text| serde_json::from_str(&text).ok()),
        inserted_at: column::stamp(row, 13)?,
        updated_at: column::stamp(row, 14)?,
    })
}

fn read_named(row: &Row<'_>) -> rusqlite::Result<MyMemoryRow> {
    let title: Option<String> = row.get(18)?;
    let chat = match title {
        None => None,
        Some(title) => Some((
            title,
            column::parsed(row, 19, ChatStatus::parse)?,
            column::parsed(row, 20, ChatKind::parse)?,
        )),
    };
    Ok(MyMemoryRow {
        memory: read(row)?,
        subject_name: row.get(15)?,
        subject_type: row.get(16)?,
        agent_name: row.get(17)?,
        chat,
    })
}
