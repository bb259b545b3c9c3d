//! What an agent has to do in a room: the messages that mention it.

use band_core::platform::delivery;
use band_core::platform::page::{Key, Position};
use band_wire::rest::DeliveryStatus;
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
            "SELECT {MESSAGE} FROM deliveries d INDEXED BY deliveries_open JOIN messages m ON m.seq = d.seq
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
        let (index, states) = states(filter);
        let sql = format!(
            "SELECT {MESSAGE} FROM deliveries d {index} JOIN messages m ON m.seq = d.seq
             WHERE d.agent_id = ?1 AND d.chat_id = ?2 AND d.is_mention = 1 AND {states} AND d.seq {compare} ?3
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
        let (index, states) = states(filter);
        let sql = format!(
            "SELECT count(*) FROM deliveries d {index}
             WHERE d.agent_id = ?1 AND d.chat_id = ?2 AND d.is_mention = 1 AND {states}"
        );
        self.count(&sql, params![agent.uuid(), chat.uuid()])
    }
}

/// The states of a filter as a condition, and the index that serves it; one statement for each filter. What
/// is processed grows without end, so whoever does not ask for it must not walk over it.
fn states(filter: StatusFilter) -> (&'static str, String) {
    let words: Vec<&str> = delivery::shown(filter)
        .map(|status| status.map_or(UNACKNOWLEDGED, |status| status.as_str()))
        .collect();
    let list = format!("d.status IN ('{}')", words.join("', '"));
    if delivery::shows(filter, Some(DeliveryStatus::Processed)) {
        ("", list)
    } else {
        ("INDEXED BY deliveries_open", format!("{list} AND d.status <> 'processed'"))
    }
}
