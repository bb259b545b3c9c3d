//! Messages, and where they stand.

use std::collections::BTreeMap;

use band_core::platform::{TEXT, with_deliveries};
use band_wire::rest::{self, AttemptRecord, DeliveryMap, DeliveryRecord, DeliveryStatus, SenderType};
use band_wire::{AgentId, ChatId, MessageId};
use rusqlite::{Row, params};

use super::View;
use super::chat::hex_list;
use crate::store::{StoreError, column};

/// A message with its place in the order of commits.
#[derive(Debug, Clone)]
pub struct StoredMessage {
    /// Its place.
    pub seq: i64,
    /// The message, without delivery records.
    pub message: rest::Message,
}

/// Attempts that are shown of each delivery, the newest ones. A message that fails for ever does not grow
/// for ever.
const SHOWN_ATTEMPTS: u32 = 50;

/// The columns that [`read`] takes, of a table called `m`.
pub(super) const MESSAGE: &str = "m.seq, m.id, m.chat_id, m.sender_id, m.sender_kind, m.sender_name,
    m.message_type, m.content, m.metadata, m.inserted_at, m.updated_at";

impl View<'_> {
    /// One message of a room.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn message(self, chat: ChatId, message: MessageId) -> Result<Option<StoredMessage>, StoreError> {
        let sql = format!("SELECT {MESSAGE} FROM messages m WHERE m.id = ?1 AND m.chat_id = ?2");
        let Some(mut found) = self.first(&sql, params![message.uuid(), chat.uuid()], read)? else {
            return Ok(None);
        };
        self.add_files(std::slice::from_mut(&mut found))?;
        Ok(Some(found))
    }

    /// Whether a message is known and reached an agent that may still read it.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn reached(self, agent: AgentId, message: MessageId) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM messages m JOIN deliveries d ON d.agent_id = ?1 AND d.chat_id = m.chat_id
                AND d.seq = m.seq AND d.is_mention = 1
            JOIN participants p ON p.chat_id = m.chat_id AND p.participant_id = ?1 AND p.status <> 'blocked'
            WHERE m.id = ?2";
        self.exists(sql, params![agent.uuid(), message.uuid()])
    }

    /// The newest message or event of several rooms. One look-up.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn last_messages(self, chats: &[ChatId]) -> Result<Vec<StoredMessage>, StoreError> {
        let sql = format!(
            "SELECT {MESSAGE} FROM chats c JOIN messages m ON m.seq = (
                 SELECT newest.seq FROM messages newest WHERE newest.chat_id = c.id ORDER BY newest.seq DESC LIMIT 1)
             WHERE c.id IN (SELECT unhex(value) FROM json_each(?1))"
        );
        self.list(&sql, params![hex_list(chats)], read)
    }

    /// How many messages and events a room has, by type.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn message_counts(self, chat: ChatId) -> Result<BTreeMap<String, u64>, StoreError> {
        let sql = "SELECT message_type, count(*) FROM messages WHERE chat_id = ?1 GROUP BY message_type";
        let rows = self.list(sql, params![chat.uuid()], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.into_iter().collect())
    }

    /// Where a message stands, for all agents.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn deliveries(self, seq: i64) -> Result<DeliveryMap, StoreError> {
        Ok(self.deliveries_of(&[seq])?.remove(&seq).unwrap_or_default())
    }

    /// Messages as the API shows them: with their delivery records and files, three look-ups for all of them.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn complete(self, mut messages: Vec<StoredMessage>) -> Result<Vec<rest::Message>, StoreError> {
        self.add_files(&mut messages)?;
        let texts = messages.iter().filter(|stored| stored.message.message_type == TEXT);
        let seqs: Vec<i64> = texts.map(|stored| stored.seq).collect();
        let mut deliveries = self.deliveries_of(&seqs)?;
        let complete = |stored: StoredMessage| {
            with_deliveries(stored.message, &deliveries.remove(&stored.seq).unwrap_or_default())
        };
        Ok(messages.into_iter().map(complete).collect())
    }

    /// Puts the files of text messages into them.
    fn add_files(self, messages: &mut [StoredMessage]) -> Result<(), StoreError> {
        let texts = messages.iter().filter(|stored| stored.message.message_type == TEXT);
        let seqs: Vec<i64> = texts.map(|stored| stored.seq).collect();
        if seqs.is_empty() {
            return Ok(());
        }
        let mut files = self.files_of(&seqs)?;
        for stored in messages {
            if let Some(files) = files.remove(&stored.seq) {
                stored.message = stored.message.clone().with_files(&files);
            }
        }
        Ok(())
    }

    fn deliveries_of(self, seqs: &[i64]) -> Result<BTreeMap<i64, DeliveryMap>, StoreError> {
        let mut found: BTreeMap<i64, DeliveryMap> = BTreeMap::new();
        if seqs.is_empty() {
            return Ok(found);
        }
        let seqs = serde_json::Value::from(seqs).to_string();
        let sql = "SELECT seq, agent_id, status, delivered_at, processed_at, current_attempt FROM deliveries
            WHERE seq IN (SELECT value FROM json_each(?1)) AND status <> 'none'";
        for (seq, agent, record) in self.list(sql, params![seqs], read_delivery)? {
            found.entry(seq).or_default().insert(agent, record);
        }
        let sql = "SELECT a.seq, a.agent_id, a.number, a.status, a.started_at, a.completed_at, a.error
            FROM deliveries d JOIN attempts a ON a.seq = d.seq AND a.agent_id = d.agent_id
                AND a.number > d.current_attempt - ?2
            WHERE d.seq IN (SELECT value FROM json_each(?1)) ORDER BY a.seq, a.agent_id, a.number";
        for (seq, agent, attempt) in self.list(sql, params![seqs, SHOWN_ATTEMPTS], read_attempt)? {
            if let Some(record) = found.get_mut(&seq).and_then(|records| records.get_mut(&agent)) {
                record.attempts.push(attempt);
            }
        }
        Ok(found)
    }
}

pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<StoredMessage> {
    let message = rest::Message {
        id: column::id(row, 1)?,
        content: row.get(7)?,
        message_type: row.get(6)?,
        sender_id: column::id(row, 3)?,
        sender_type: column::parsed(row, 4, SenderType::parse)?.as_str().to_owned(),
        sender_name: row.get(5)?,
        chat_room_id: Some(column::id(row, 2)?),
        metadata: column::parsed(row, 8, |text| serde_json::from_str(text).ok())?,
        attachments: Vec::new(),
        inserted_at: Some(column::stamp(row, 9)?),
        updated_at: Some(column::stamp(row, 10)?),
    };
    Ok(StoredMessage { seq: row.get(0)?, message })
}

type Keyed<T> = (i64, AgentId, T);

fn read_delivery(row: &Row<'_>) -> rusqlite::Result<Keyed<DeliveryRecord>> {
    let record = DeliveryRecord {
        status: column::parsed(row, 2, DeliveryStatus::parse)?,
        delivered_at: column::opt_stamp(row, 3)?,
        processed_at: column::opt_stamp(row, 4)?,
        current_attempt: row.get(5)?,
        attempts: Vec::new(),
    };
    Ok((row.get(0)?, column::id(row, 1)?, record))
}

fn read_attempt(row: &Row<'_>) -> rusqlite::Result<Keyed<AttemptRecord>> {
    let attempt = AttemptRecord {
        attempt_number: row.get(2)?,
        status: row.get(3)?,
        started_at: column::opt_stamp(row, 4)?,
        completed_at: column::opt_stamp(row, 5)?,
        error: row.get(6)?,
    };
    Ok((row.get(0)?, column::id(row, 1)?, attempt))
}
