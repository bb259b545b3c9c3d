//! What an agent has to do in a room: the messages that mention it.

use band_core::platform::delivery;
use band_core::platform::page::{Key, Position};
use band_wire::rest::query::{Order, StatusFilter};
use band_wire::{AgentId, ChatId};
use rusqlite::params;

use super::View;
use super::message::{MESSAGE, StoredMessage, read};
use crate::store::StoreError;
use crate::store::apply::UNACKNOWLEDGED;

impl View<'_> {
    /// The oldest message that is not processed.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn next_message(self, agent: AgentId, chat: ChatId) -> Result<Option<StoredMessage>, StoreError> {
        let sql = format!(
            "SELECT {MESSAGE} FROM deliveries d JOIN messages m ON m.seq = d.seq
             WHERE d.agent_id = ?1 AND d.chat_id = ?2 AND d.is_mention = 1 AND d.status <> 'processed'
             ORDER BY d.seq LIMIT 1"
        );
        self.first(&sql, params![agent.uuid(), chat.uuid()], read)
    }

    /// The messages that a filter shows: some, from a place on.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn agent_messages(
        self,
        (agent, chat): (AgentId, ChatId),
        filter: StatusFilter,
        order: Order,
        position: &Position,
        limit: u64,
    ) -> Result<Vec<StoredMessage>, StoreError> {
        let (compare, direction, start) = match order {
            Order::Asc => (">", "ASC", i64::MIN),
            Order::Desc => ("<", "DESC", i64::MAX),
        };
        let (seq, skip) = match position {
            Position::After(Key::Number(seq), _) => (*seq, 0),
            Position::Skip(skip) => (start, *skip),
            Position::Start | Position::After(Key::Text(_), _) => (start, 0),
        };
        let states = states(filter);
        let sql = format!(
            "SELECT {MESSAGE} FROM deliveries d JOIN messages m ON m.seq = d.seq
             WHERE d.agent_id = ?1 AND d.chat_id = ?2 AND d.is_mention = 1 AND d.status IN ({states})
                 AND d.seq {compare} ?3
             ORDER BY d.seq {direction} LIMIT ?4 OFFSET ?5"
        );
        self.list(&sql, params![agent.uuid(), chat.uuid(), seq, limit, skip], read)
    }

    /// The messages that a filter shows: how many.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn count_agent_messages(
        self,
        agent: AgentId,
        chat: ChatId,
        filter: StatusFilter,
    ) -> Result<u64, StoreError> {
        let states = states(filter);
        let sql = format!(
            "SELECT count(*) FROM deliveries
             WHERE agent_id = ?1 AND chat_id = ?2 AND is_mention = 1 AND status IN ({states})"
        );
        self.count(&sql, params![agent.uuid(), chat.uuid()])
    }
}

/// The states of a filter as a list of SQL texts; there is one statement for each of six filters.
fn states(filter: StatusFilter) -> String {
    let words = delivery::shown(filter).map(|status| status.map_or(UNACKNOWLEDGED, |status| status.as_str()));
    words.map(|word| format!("'{word}'")).collect::<Vec<_>>().join(", ")
}
