//! Timelines: a person's, and what an agent may know of a room's past.

use band_wire::rest::query::Order;
use band_wire::{AgentId, ChatId, Stamp};
use rusqlite::params;

use super::View;
use super::message::{MESSAGE, StoredMessage, read};
use crate::store::StoreError;

/// Which way a slice goes from its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To newer messages, the oldest of them first.
    Newer,
    /// To older messages, the newest of them first.
    Older,
}

impl From<Order> for Direction {
    fn from(order: Order) -> Self {
        match order {
            Order::Asc => Self::Newer,
            Order::Desc => Self::Older,
        }
    }
}

/// A part of a timeline.
#[derive(Debug, Clone, Copy)]
pub struct Slice {
    /// Which way.
    pub direction: Direction,
    /// From which place, which is left out; none is the end the slice comes from.
    pub from: Option<i64>,
    /// Messages to pass over.
    pub skip: u64,
    /// Messages at most.
    pub limit: u64,
}

impl Slice {
    const fn order(self) -> (&'static str, &'static str, i64) {
        match self.direction {
            Direction::Newer => (">", "ASC", i64::MIN),
            Direction::Older => ("<", "DESC", i64::MAX),
        }
    }
}

/// Which types of messages a person wants.
#[derive(Debug, Clone, Default)]
pub struct TypesWanted {
    /// These alone; all when absent.
    pub only: Option<Vec<&'static str>>,
    /// None of these.
    pub except: Vec<&'static str>,
    /// Not before this time.
    pub since: Option<Stamp>,
}

impl TypesWanted {
    fn params(&self) -> (Option<String>, String, Option<i64>) {
        let only = self.only.as_ref().map(|types| serde_json::Value::from(types.as_slice()).to_string());
        let except = serde_json::Value::from(self.except.as_slice()).to_string();
        (only, except, self.since.map(Stamp::as_micros))
    }
}

/// What people never see is never shown, whatever they ask for.
const WANTED: &str = "m.message_type NOT IN ('action', 'guidelines')
    AND (?2 IS NULL OR m.message_type IN (SELECT value FROM json_each(?2)))
    AND m.message_type NOT IN (SELECT value FROM json_each(?3))
    AND (?4 IS NULL OR m.inserted_at >= ?4)";

impl View<'_> {
    /// A part of a room's timeline.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn timeline(
        self,
        chat: ChatId,
        wanted: &TypesWanted,
        slice: Slice,
    ) -> Result<Vec<StoredMessage>, StoreError> {
        let (compare, direction, start) = slice.order();
        let (only, except, since) = wanted.params();
        let sql = format!(
            "SELECT {MESSAGE} FROM messages m WHERE m.chat_id = ?1 AND {WANTED}
                 AND m.seq {compare} ?5
             ORDER BY m.seq {direction} LIMIT ?6 OFFSET ?7"
        );
        let Slice { skip, limit, .. } = slice;
        let from = slice.from.unwrap_or(start);
        self.list(&sql, params![chat.uuid(), only, except, since, from, limit, skip], read)
    }

    /// How long the timeline is.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn count_timeline(self, chat: ChatId, wanted: &TypesWanted) -> Result<u64, StoreError> {
        let (only, except, since) = wanted.params();
        let sql = format!("SELECT count(*) FROM messages m WHERE m.chat_id = ?1 AND {WANTED}");
        self.count(&sql, params![chat.uuid(), only, except, since])
    }

    /// Whether the message at a place is of a wanted type.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn is_wanted(self, chat: ChatId, wanted: &TypesWanted, seq: i64) -> Result<bool, StoreError> {
        let (only, except, since) = wanted.params();
        let sql = format!("SELECT 1 FROM messages m WHERE m.chat_id = ?1 AND {WANTED} AND m.seq = ?5");
        self.exists(&sql, params![chat.uuid(), only, except, since, seq])
    }

    /// A part of what an agent may know: all that it sent, and the texts that mention it.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn context(
        self,
        agent: AgentId,
        chat: ChatId,
        slice: Slice,
    ) -> Result<Vec<StoredMessage>, StoreError> {
        let (compare, direction, start) = slice.order();
        let sql = format!(
            "SELECT {MESSAGE} FROM (
                 SELECT seq FROM messages WHERE chat_id = ?1 AND sender_id = ?2 AND seq {compare} ?3
                 UNION
                 SELECT seq FROM deliveries WHERE agent_id = ?2 AND chat_id = ?1 AND is_mention = 1 AND seq {compare} ?3
                 ORDER BY seq {direction} LIMIT ?4 OFFSET ?5
             ) known JOIN messages m ON m.seq = known.seq ORDER BY m.seq {direction}"
        );
        let Slice { skip, limit, .. } = slice;
        let from = slice.from.unwrap_or(start);
        self.list(&sql, params![chat.uuid(), agent.uuid(), from, limit, skip], read)
    }

    /// How much an agent may know.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn count_context(self, agent: AgentId, chat: ChatId) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) FROM (
            SELECT seq FROM messages WHERE chat_id = ?1 AND sender_id = ?2
            UNION
            SELECT seq FROM deliveries WHERE agent_id = ?2 AND chat_id = ?1 AND is_mention = 1)";
        self.count(sql, params![chat.uuid(), agent.uuid()])
    }
}
