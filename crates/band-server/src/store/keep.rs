//! Runs the writes of memories, files and rooms that go.

use band_core::platform::deletions::DeletionRow;
use band_core::platform::files::FileRow;
use band_core::platform::memories::{MemoryRow, MemoryWrite};
use band_core::platform::plan::Write;
use band_wire::rest::{Attachment, ChatStatus};
use band_wire::{ChatId, ParticipantId, Stamp};
use rusqlite::{Connection, params};

use super::StoreError;
use super::apply::execute;
use super::scope::Scope;

pub(super) fn memory(connection: &Connection, write: &MemoryWrite) -> Result<(), StoreError> {
    match write {
        MemoryWrite::Add(memory) => add_memory(connection, memory),
        MemoryWrite::SetStatus { memory, status, at } => {
            let sql = "UPDATE memories SET status = ?2, updated_at = ?3 WHERE id = ?1";
            execute(connection, sql, params![memory.uuid(), status.as_str(), at.as_micros()])
        }
        MemoryWrite::Remove(memory) => {
            execute(connection, "DELETE FROM memories WHERE id = ?1", params![memory.uuid()])
        }
        MemoryWrite::Orphan(agent) => {
            let own = "DELETE FROM memories WHERE agent_id = ?1 AND scope = 'agent'";
            execute(connection, own, params![agent.uuid()])?;
            let shared = "UPDATE memories SET agent_id = NULL WHERE agent_id = ?1";
            execute(connection, shared, params![agent.uuid()])
        }
    }
}

fn add_memory(connection: &Connection, memory: &MemoryRow) -> Result<(), StoreError> {
    let sql = "INSERT INTO memories (id, content, system, kind, segment, scope, status, thought, subject_id,
                   agent_id, chat_id, metadata, inserted_at, updated_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";
    let metadata = memory.metadata.as_ref().map(|map| serde_json::to_string(map).unwrap_or_default());
    execute(
        connection,
        sql,
        params![
            memory.id.uuid(),
            memory.content,
            memory.system.as_str(),
            memory.kind.as_str(),
            memory.segment.as_str(),
            memory.scope.as_str(),
            memory.status.as_str(),
            memory.thought,
            memory.subject.map(ParticipantId::uuid),
            memory.agent.map(band_wire::AgentId::uuid),
            memory.chat.map(ChatId::uuid),
            metadata,
            memory.inserted_at.as_micros(),
            memory.updated_at.as_micros(),
        ],
    )
}

pub(super) fn add_file(connection: &Connection, file: &FileRow) -> Result<(), StoreError> {
    let sql = "INSERT INTO files (id, chat_id, name, bytes, content_type, sha256, uploader_id, inserted_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let FileRow { name, bytes, content_type, sha256, .. } = file;
    let (id, chat, uploader) = (file.id.uuid(), file.chat.uuid(), file.uploader.uuid());
    let at = file.inserted_at.as_micros();
    execute(connection, sql, params![id, chat, name, bytes, content_type, sha256, uploader, at])
}

/// Binds files to a message.
pub(super) fn attach(connection: &Connection, seq: i64, files: &[Attachment]) -> Result<(), StoreError> {
    for (place, file) in (0_i64..).zip(files) {
        let sql = "INSERT INTO message_files (seq, place, file_id) VALUES (?1, ?2, ?3)";
        execute(connection, sql, params![seq, place, file.id.uuid()])?;
    }
    Ok(())
}

/// What becomes of a room as a whole.
pub(super) fn chat(scope: &Scope<'_>, write: &Write) -> Result<(), StoreError> {
    let connection = scope.view.connection();
    match write {
        Write::SetChatStatus { chat, status, at } => {
            scope.rosters.forget(*chat);
            set_chat_status(connection, *chat, *status, *at)
        }
        Write::RemoveChat { chat, at } => {
            scope.rosters.forget(*chat);
            remove_chat(connection, *chat, *at)
        }
        _ => Ok(()),
    }
}

fn set_chat_status(
    connection: &Connection,
    chat: ChatId,
    status: ChatStatus,
    at: Stamp,
) -> Result<(), StoreError> {
    let sql = "UPDATE chats SET status = ?2, updated_at = ?3 WHERE id = ?1";
    execute(connection, sql, params![chat.uuid(), status.as_str(), at.as_micros()])
}

/// A room goes with its tasks, its goal and its files. What the files hold is removed a little later.
fn remove_chat(connection: &Connection, chat: ChatId, at: Stamp) -> Result<(), StoreError> {
    let id = chat.uuid();
    let gone = "UPDATE chats SET deleted_at = ?2, updated_at = ?2 WHERE id = ?1";
    execute(connection, gone, params![id, at.as_micros()])?;
    for sql in [
        "DELETE FROM participants WHERE chat_id = ?1",
        "DELETE FROM message_files WHERE file_id IN (SELECT id FROM files WHERE chat_id = ?1)",
        "INSERT OR IGNORE INTO lost_files (id) SELECT id FROM files WHERE chat_id = ?1",
        "DELETE FROM files WHERE chat_id = ?1",
        "DELETE FROM task_assignments WHERE task_id IN (SELECT id FROM tasks WHERE chat_id = ?1)",
        "DELETE FROM task_events WHERE task_id IN (SELECT id FROM tasks WHERE chat_id = ?1)",
        "DELETE FROM tasks WHERE chat_id = ?1",
        "DELETE FROM board_events WHERE chat_id = ?1",
        "DELETE FROM boards WHERE chat_id = ?1",
    ] {
        execute(connection, sql, params![id])?;
    }
    Ok(())
}

pub(super) fn add_deletion(connection: &Connection, deletion: &DeletionRow) -> Result<(), StoreError> {
    let sql = "INSERT INTO deletions (id, user_id, resource, force, results, inserted_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let results = serde_json::to_string(&deletion.results).unwrap_or_else(|_| "[]".to_owned());
    let (id, user, resource) = (deletion.id.uuid(), deletion.user.uuid(), deletion.resource.as_str());
    let at = deletion.at.as_micros();
    execute(connection, sql, params![id, user, resource, deletion.force, results, at])
}
