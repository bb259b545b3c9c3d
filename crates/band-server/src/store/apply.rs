//! Runs the writes of plans.

use band_core::platform::plan::{AgentRow, ContactRequestRow, ContactRow, NewMessage, User, Write};
use band_core::platform::{Chat, TEXT};
use band_wire::rest::{DeliveryRecord, Role};
use band_wire::{AgentId, ChatId, MessageId, ParticipantId, Stamp};
use rusqlite::{Connection, ToSql, params};

use super::column::micros;
use super::scope::{Effect, Scope};
use super::{StoreError, board, keep};

/// The status of a message that nobody acknowledged.
pub(super) const UNACKNOWLEDGED: &str = "none";

pub(super) fn run(scope: &mut Scope<'_>, write: &Write) -> Result<(), StoreError> {
    let connection = scope.view.connection();
    match write {
        Write::AddUser(user) => add_user(connection, user),
        Write::NameUser { user, first_name, last_name, at } => {
            scope.rosters.forget_all();
            let sql = "UPDATE users SET first_name = ?2, last_name = ?3, updated_at = ?4 WHERE id = ?1";
            execute(connection, sql, params![user.uuid(), first_name, last_name, at.as_micros()])
        }
        Write::AddAgent(agent) => add_agent(connection, agent),
        Write::RemoveAgent { agent, at } => {
            scope.effects.push(Effect::Revoke(*agent));
            remove_agent(connection, *agent, *at)
        }
        Write::AddChat(chat) => add_chat(connection, chat),
        Write::SetTitle { chat, title, state, at } => {
            scope.rosters.forget(*chat);
            let sql = "UPDATE chats SET title = ?2, title_state = ?3, updated_at = ?4 WHERE id = ?1";
            execute(connection, sql, params![chat.uuid(), title, state.as_str(), at.as_micros()])
        }
        Write::AddMember { chat, who, kind, role, status, at } => {
            scope.rosters.forget(*chat);
            add_member(connection, *chat, *who, [kind.as_str(), role.as_str(), status.as_str()], *at)
        }
        Write::OpenExecution { execution, agent, chat, at } => {
            let sql = "INSERT INTO executions (agent_id, chat_id, id, inserted_at) VALUES (?1, ?2, ?3, ?4)
                       ON CONFLICT (agent_id, chat_id) DO NOTHING";
            execute(connection, sql, params![agent.uuid(), chat.uuid(), execution, at.as_micros()])
        }
        Write::SetStopped { agent, chat, stopped, at } => {
            scope.rosters.forget(*chat);
            let sql = "UPDATE executions SET stopped_at = ?3, stop_reason = ?4
                       WHERE agent_id = ?1 AND chat_id = ?2";
            let since = stopped.map(|_| at.as_micros());
            execute(connection, sql, params![agent.uuid(), chat.uuid(), since, stopped])
        }
        Write::SetRole { chat, who, role, at } => {
            scope.rosters.forget(*chat);
            set_role(connection, (*chat, *who), *role, *at)
        }
        Write::RemoveMember { chat, who, at } => {
            scope.rosters.forget(*chat);
            remove_member(connection, *chat, *who, *at)
        }
        Write::AddMessage(message) => add_message(connection, message),
        Write::SetDelivery { message, agent, record, at } => {
            let sql = "UPDATE messages SET updated_at = ?2 WHERE id = ?1";
            execute(connection, sql, params![message.uuid(), at.as_micros()])?;
            set_delivery(connection, *message, *agent, record)
        }
        Write::AddContactRequest(request) => add_contact_request(connection, request),
        Write::SettleContactRequest { request, status, at } => {
            let sql = "UPDATE contact_requests SET status = ?2, responded_at = ?3 WHERE id = ?1";
            execute(connection, sql, params![request.uuid(), status.as_str(), at.as_micros()])
        }
        Write::AddContact(contact) => add_contact(connection, contact),
        Write::RemoveContact(contact) => {
            execute(connection, "DELETE FROM contacts WHERE id = ?1", params![contact.uuid()])
        }
        Write::SetChatStatus { .. } | Write::RemoveChat { .. } => keep::chat(scope, write),
        Write::AddFile(file) => keep::add_file(connection, file),
        Write::Memory(write) => keep::memory(connection, write),
        Write::Board(write) => board::run(connection, write),
        Write::AddDeletion(deletion) => keep::add_deletion(connection, deletion),
    }
}

pub(super) fn execute(connection: &Connection, sql: &str, params: &[&dyn ToSql]) -> Result<(), StoreError> {
    connection.prepare_cached(sql)?.execute(params)?;
    Ok(())
}

fn set_role(
    connection: &Connection,
    (chat, who): (ChatId, ParticipantId),
    role: Role,
    at: Stamp,
) -> Result<(), StoreError> {
    let sql = "UPDATE participants SET role = ?3 WHERE chat_id = ?1 AND participant_id = ?2";
    execute(connection, sql, params![chat.uuid(), who.uuid(), role.as_str()])?;
    touch(connection, chat, at.as_micros())
}

fn remove_member(
    connection: &Connection,
    chat: ChatId,
    who: ParticipantId,
    at: Stamp,
) -> Result<(), StoreError> {
    let sql = "DELETE FROM participants WHERE chat_id = ?1 AND participant_id = ?2";
    execute(connection, sql, params![chat.uuid(), who.uuid()])?;
    touch(connection, chat, at.as_micros())
}

fn touch(connection: &Connection, chat: ChatId, at: i64) -> Result<(), StoreError> {
    execute(connection, "UPDATE chats SET updated_at = ?2 WHERE id = ?1", params![chat.uuid(), at])
}

fn add_member(
    connection: &Connection,
    chat: ChatId,
    who: ParticipantId,
    [kind, role, status]: [&str; 3],
    at: Stamp,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO participants (chat_id, participant_id, kind, role, status, inserted_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let at = at.as_micros();
    execute(connection, sql, params![chat.uuid(), who.uuid(), kind, role, status, at])?;
    touch(connection, chat, at)
}

fn add_user(connection: &Connection, user: &User) -> Result<(), StoreError> {
    let sql =
        "INSERT INTO users (id, handle, email, first_name, last_name, is_admin, inserted_at, updated_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let User { handle, email, first_name, last_name, is_admin, .. } = user;
    let (from, to) = (user.inserted_at.as_micros(), user.updated_at.as_micros());
    execute(
        connection,
        sql,
        params![user.id.uuid(), handle, email, first_name, last_name, is_admin, from, to],
    )
}

fn add_agent(connection: &Connection, agent: &AgentRow) -> Result<(), StoreError> {
    let sql = "INSERT INTO agents (id, owner_id, slug, name, description, shared_with_organization,
                   listed_in_directory, tags, inserted_at, updated_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    let AgentRow { slug, name, description, shared_with_organization, listed_in_directory, .. } = agent;
    let tags = serde_json::Value::from(agent.tags.clone()).to_string();
    execute(
        connection,
        sql,
        params![
            agent.id.uuid(),
            agent.owner.uuid(),
            slug,
            name,
            description,
            shared_with_organization,
            listed_in_directory,
            tags,
            agent.inserted_at.as_micros(),
            agent.updated_at.as_micros(),
        ],
    )
}

fn remove_agent(connection: &Connection, agent: AgentId, at: Stamp) -> Result<(), StoreError> {
    let (id, at) = (agent.uuid(), at.as_micros());
    let gone = "UPDATE agents SET deleted_at = ?2, updated_at = ?2 WHERE id = ?1";
    execute(connection, gone, params![id, at])?;
    let revoked = "UPDATE api_keys SET revoked_at = ?2 WHERE agent_id = ?1 AND revoked_at IS NULL";
    execute(connection, revoked, params![id, at])?;
    execute(connection, "DELETE FROM executions WHERE agent_id = ?1", params![id])
}

fn add_contact_request(connection: &Connection, request: &ContactRequestRow) -> Result<(), StoreError> {
    let sql = "INSERT INTO contact_requests (id, requester_id, requester_kind, recipient_id, recipient_kind,
                   message, status, inserted_at, responded_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    execute(
        connection,
        sql,
        params![
            request.id.uuid(),
            request.requester.uuid(),
            request.requester_kind.as_str(),
            request.recipient.uuid(),
            request.recipient_kind.as_str(),
            request.message,
            request.status.as_str(),
            request.inserted_at.as_micros(),
            micros(request.responded_at),
        ],
    )
}

fn add_contact(connection: &Connection, contact: &ContactRow) -> Result<(), StoreError> {
    let sql = "INSERT INTO contacts (id, owner_id, owner_kind, contact_id, contact_kind, inserted_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let ContactRow { owner_kind, contact_kind, .. } = contact;
    execute(
        connection,
        sql,
        params![
            contact.id.uuid(),
            contact.owner.uuid(),
            owner_kind.as_str(),
            contact.contact.uuid(),
            contact_kind.as_str(),
            contact.inserted_at.as_micros(),
        ],
    )
}

fn add_chat(connection: &Connection, chat: &Chat) -> Result<(), StoreError> {
    let sql = "INSERT INTO chats (id, title, title_state, kind, status, task_id, inserted_at, updated_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let (state, kind, status) = (chat.title_state.as_str(), chat.kind.as_str(), chat.status.as_str());
    let (from, to) = (chat.inserted_at.as_micros(), chat.updated_at.as_micros());
    execute(connection, sql, params![chat.id.uuid(), chat.title, state, kind, status, chat.task_id, from, to])
}

fn add_message(connection: &Connection, message: &NewMessage) -> Result<(), StoreError> {
    let at = message.at.as_micros();
    let metadata = serde_json::to_string(&message.metadata).unwrap_or_else(|_| "{}".to_owned());
    connection
        .prepare_cached(
            "INSERT INTO messages (id, chat_id, sender_id, sender_kind, sender_name, message_type, content,
                 metadata, inserted_at, updated_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)",
        )?
        .execute(params![
            message.id.uuid(),
            message.chat.uuid(),
            message.sender.uuid(),
            message.sender_kind.as_str(),
            message.sender_name,
            message.message_type,
            message.content,
            metadata,
            at,
        ])?;
    let seq = connection.last_insert_rowid();
    keep::attach(connection, seq, &message.files)?;
    for delivery in &message.deliveries {
        let status = if delivery.delivered_at.is_some() { "delivered" } else { UNACKNOWLEDGED };
        let sql = "INSERT INTO deliveries (agent_id, chat_id, seq, is_mention, status, delivered_at)
                   VALUES (?1, ?2, ?3, 1, ?4, ?5)";
        let (agent, chat) = (delivery.agent.uuid(), message.chat.uuid());
        execute(connection, sql, params![agent, chat, seq, status, micros(delivery.delivered_at)])?;
    }
    debug_assert!(
        message.message_type == TEXT || message.deliveries.is_empty(),
        "events are delivered to nobody"
    );
    let sql = "UPDATE chats SET last_message_at = ?2 WHERE id = ?1";
    execute(connection, sql, params![message.chat.uuid(), at])
}

/// Stores a record: its row, and its last attempt, which alone can have changed.
fn set_delivery(
    connection: &Connection,
    message: MessageId,
    agent: AgentId,
    record: &DeliveryRecord,
) -> Result<(), StoreError> {
    let sql =
        "INSERT INTO deliveries (agent_id, chat_id, seq, is_mention, status, delivered_at, processed_at,
                   current_attempt)
               SELECT ?2, chat_id, seq, 0, ?3, ?4, ?5, ?6 FROM messages WHERE id = ?1
               ON CONFLICT (agent_id, chat_id, seq) DO UPDATE SET status = excluded.status,
                   delivered_at = excluded.delivered_at, processed_at = excluded.processed_at,
                   current_attempt = excluded.current_attempt";
    let (message, agent) = (message.uuid(), agent.uuid());
    let (delivered, processed) = (micros(record.delivered_at), micros(record.processed_at));
    let status = record.status.as_str();
    execute(connection, sql, params![message, agent, status, delivered, processed, record.current_attempt])?;
    let Some(attempt) = record.attempts.last() else { return Ok(()) };
    let sql = "INSERT INTO attempts (seq, agent_id, number, status, started_at, completed_at, error)
               SELECT seq, ?2, ?3, ?4, ?5, ?6, ?7 FROM messages WHERE id = ?1
               ON CONFLICT (seq, agent_id, number) DO UPDATE SET status = excluded.status,
                   completed_at = excluded.completed_at, error = excluded.error";
    let (started, completed) = (micros(attempt.started_at), micros(attempt.completed_at));
    let (number, status) = (attempt.attempt_number, &attempt.status);
    execute(connection, sql, params![message, agent, number, status, started, completed, attempt.error])
}
