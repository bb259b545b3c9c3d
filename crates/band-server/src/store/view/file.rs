//! Files of rooms, and the messages that carry them.

use std::collections::BTreeMap;

use band_core::platform::files::FileRow;
use band_core::platform::page::{Key, Position};
use band_wire::rest::Attachment;
use band_wire::{AgentId, ChatId, FileId};
use rusqlite::{Row, params};
use uuid::Uuid;

use super::View;
use super::chat::hex_list;
use crate::store::{StoreError, column};

const FILE: &str = "f.id, f.chat_id, f.name, f.bytes, f.content_type, f.sha256, f.uploader_id, f.inserted_at";

/// Which of a room's files a list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhoseFiles {
    /// All of them.
    Room,
    /// Those that an agent uploaded, and those of messages that it sent or that mention it.
    Agent(AgentId),
}

impl View<'_> {
    /// A file of a room.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn file(self, chat: ChatId, file: FileId) -> Result<Option<FileRow>, StoreError> {
        let sql = format!("SELECT {FILE} FROM files f WHERE f.id = ?1 AND f.chat_id = ?2");
        self.first(&sql, params![file.uuid(), chat.uuid()], read)
    }

    /// The file of a room that holds what has this digest.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn file_by_content(self, chat: ChatId, sha256: &str) -> Result<Option<FileRow>, StoreError> {
        let sql = format!("SELECT {FILE} FROM files f WHERE f.chat_id = ?1 AND f.sha256 = ?2");
        self.first(&sql, params![chat.uuid(), sha256], read)
    }

    /// Those of some files that are of a room.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn some_files(self, chat: ChatId, files: &[FileId]) -> Result<Vec<Attachment>, StoreError> {
        let sql = format!(
            "SELECT {FILE} FROM files f WHERE f.chat_id = ?1
                 AND f.id IN (SELECT unhex(value) FROM json_each(?2))"
        );
        let found = self.list(&sql, params![chat.uuid(), hex_list(files)], read)?;
        Ok(found.iter().map(FileRow::attachment).collect())
    }

    /// Files of a room, the newest first: some, from a place on.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn files(
        self,
        chat: ChatId,
        whose: WhoseFiles,
        position: &Position,
        limit: u64,
    ) -> Result<Vec<FileRow>, StoreError> {
        let agent = match whose {
            WhoseFiles::Room => None,
            WhoseFiles::Agent(agent) => Some(agent.uuid()),
        };
        let (key, id) = match position {
            Position::After(Key::Number(number), id) => (*number, *id),
            Position::Start | Position::Skip(_) | Position::After(Key::Text(_), _) => (i64::MAX, Uuid::max()),
        };
        let sql = format!(
            "SELECT {FILE} FROM files f WHERE f.chat_id = ?1 AND (f.inserted_at, f.id) < (?3, ?4)
                 AND (?2 IS NULL OR f.uploader_id = ?2 OR EXISTS (
                     SELECT 1 FROM message_files mf JOIN messages m ON m.seq = mf.seq
                     WHERE mf.file_id = f.id AND (m.sender_id = ?2 OR EXISTS (
                         SELECT 1 FROM deliveries d WHERE d.agent_id = ?2 AND d.chat_id = ?1 AND d.seq = m.seq
                             AND d.is_mention = 1))))
             ORDER BY f.inserted_at DESC, f.id DESC LIMIT ?5"
        );
        self.list(&sql, params![chat.uuid(), agent, key, id, limit], read)
    }

    /// The files of several messages. One look-up.
    ///
    /// # Errors
    /// The database can't be read.
    pub(super) fn files_of(self, seqs: &[i64]) -> Result<BTreeMap<i64, Vec<Attachment>>, StoreError> {
        let sql = format!(
            "SELECT {FILE}, mf.seq FROM message_files mf JOIN files f ON f.id = mf.file_id
             WHERE mf.seq IN (SELECT value FROM json_each(?1)) ORDER BY mf.seq, mf.place"
        );
        let seqs = serde_json::Value::from(seqs).to_string();
        let mut found: BTreeMap<i64, Vec<Attachment>> = BTreeMap::new();
        for (seq, file) in self.list(&sql, params![seqs], |row| Ok((row.get::<_, i64>(8)?, read(row)?)))? {
            found.entry(seq).or_default().push(file.attachment());
        }
        Ok(found)
    }

    /// Those of some ids that are no file's.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn unknown_files(self, files: &[FileId]) -> Result<Vec<FileId>, StoreError> {
        let sql = "SELECT unhex(value) FROM json_each(?1) WHERE unhex(value) NOT IN (SELECT id FROM files
            WHERE id IN (SELECT unhex(value) FROM json_each(?1)))";
        self.list(sql, params![hex_list(files)], |row| column::id(row, 0))
    }

    /// Some files whose rows are gone and whose content is not.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn lost_files(self, limit: u64) -> Result<Vec<FileId>, StoreError> {
        self.list("SELECT id FROM lost_files ORDER BY id LIMIT ?1", params![limit], |row| column::id(row, 0))
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<FileRow> {
    Ok(FileRow {
        id: column::id(row, 0)?,
        chat: column::id(row, 1)?,
        name: row.get(2)?,
        bytes: row.get(3)?,
        content_type: row.get(4)?,
        sha256: row.get(5)?,
        uploader: column::id(row, 6)?,
        inserted_at: column::stamp(row, 7)?,
    })
}
