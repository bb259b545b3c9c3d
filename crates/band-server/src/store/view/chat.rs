//! Rooms and who is in them.

use std::collections::BTreeMap;

use band_core::platform::access::{self, Access, Row as OwnRow};
use band_core::platform::page::{Key, Position};
use band_core::platform::plan::full_name;
use band_core::platform::{Chat, Execution, Member, Principal, Room, TitleState, handles};
use band_wire::rest::query::{ChatSort, OffsetQuery, Order};
use band_wire::rest::{ChatKind, ChatStatus, MemberStatus, Role, SenderType};
use band_wire::{AgentId, ChatId, Id, Stamp, UserId};
use rusqlite::{Row, params};
use uuid::Uuid;

use super::View;
use crate::store::{StoreError, column};

/// A room in a list.
#[derive(Debug, Clone)]
pub struct ChatRow {
    /// The room.
    pub chat: Chat,
    /// When something was last said in it.
    pub last_message_at: Option<Stamp>,
    /// The reader's own row.
    pub own: Option<OwnRow>,
}

/// Which of a person's rooms a list shows.
#[derive(Debug, Clone, Copy, Default)]
pub struct ChatFilter {
    /// Of this status alone.
    pub status: Option<ChatStatus>,
    /// Of this type alone.
    pub kind: Option<ChatKind>,
    /// Rooms of the person's agents too.
    pub agent_rooms: bool,
}

const CHAT: &str = "c.id, c.title, c.title_state, c.kind, c.status, c.task_id, c.inserted_at, c.updated_at,
    c.last_message_at";

const MEMBER: &str = "p.participant_id, p.kind, p.role, p.status, p.inserted_at, u.handle, u.first_name,
    u.last_name, a.slug, a.name, a.description, a.owner_id, o.handle, e.id, e.stopped_at IS NOT NULL";

/// Goes with the columns of [`MEMBER`].
const JOINED: &str = "LEFT JOIN users u ON p.kind = 'User' AND u.id = p.participant_id
    LEFT JOIN agents a ON p.kind = 'Agent' AND a.id = p.participant_id
    LEFT JOIN users o ON o.id = a.owner_id
    LEFT JOIN executions e ON p.kind = 'Agent' AND e.agent_id = p.participant_id AND e.chat_id = p.chat_id";

impl View<'_> {
    /// One room, whoever asks.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn chat(self, chat: ChatId) -> Result<Option<ChatRow>, StoreError> {
        let sql = format!("SELECT {CHAT}, NULL, NULL FROM chats c WHERE c.id = ?1 AND c.deleted_at IS NULL");
        self.first(&sql, params![chat.uuid()], read_chat)
    }

    /// One room with everyone in it.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn room(self, chat: ChatId) -> Result<Option<Room>, StoreError> {
        let Some(row) = self.chat(chat)? else { return Ok(None) };
        Ok(Some(Room { chat: row.chat, roster: self.members(chat)?.into_iter().collect() }))
    }

    /// What a caller may do with a room; nothing, if there is none.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn access(self, who: Principal, chat: ChatId) -> Result<Access, StoreError> {
        let sql = "SELECT p.role, p.status FROM chats c
            LEFT JOIN participants p ON p.chat_id = c.id AND p.participant_id = ?2
            WHERE c.id = ?1 AND c.deleted_at IS NULL";
        let found = self.first(sql, params![chat.uuid(), who.participant().uuid()], |row| own_row(row, 0))?;
        let Some(row) = found else { return Ok(Access::None) };
        let owns_agent = match (who, row) {
            (Principal::User(user), None | Some(OwnRow { status: MemberStatus::Inactive, .. })) => {
                self.owns_agent_in(user, chat)?
            }
            _ => false,
        };
        Ok(access::decide(who, row, owns_agent))
    }

    fn owns_agent_in(self, user: UserId, chat: ChatId) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM participants p JOIN agents a ON a.id = p.participant_id
            WHERE p.chat_id = ?1 AND p.kind = 'Agent' AND p.status <> 'blocked' AND a.owner_id = ?2";
        self.exists(sql, params![chat.uuid(), user.uuid()])
    }

    /// Everyone in a room, by id.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn members(self, chat: ChatId) -> Result<Vec<Member>, StoreError> {
        self.some_members(chat, None, &Position::Start, u64::from(u32::MAX))
    }

    /// Some of those in a room, by id: of one kind, from a place on.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn some_members(
        self,
        chat: ChatId,
        kind: Option<SenderType>,
        position: &Position,
        limit: u64,
    ) -> Result<Vec<Member>, StoreError> {
        let sql = format!(
            "SELECT {MEMBER} FROM participants p {JOINED}
             WHERE p.chat_id = ?1 AND (?2 IS NULL OR p.kind = ?2) AND p.participant_id > ?3
             ORDER BY p.participant_id LIMIT ?4 OFFSET ?5"
        );
        let (after, skip) = match position {
            Position::Start => (Uuid::nil(), 0),
            Position::Skip(skip) => (Uuid::nil(), *skip),
            Position::After(_, id) => (*id, 0),
        };
        let kind = kind.map(SenderType::as_str);
        self.list(&sql, params![chat.uuid(), kind, after, limit, skip], read_member)
    }

    /// The first members of several rooms, by id, each with the number of all members of its room. One look-up.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn first_members(
        self,
        chats: &[ChatId],
        each: u64,
    ) -> Result<BTreeMap<ChatId, (Vec<Member>, u64)>, StoreError> {
        let sql = format!(
            "SELECT {MEMBER}, p.chat_id, p.total FROM (
                 SELECT *, row_number() OVER (PARTITION BY chat_id ORDER BY participant_id) AS place,
                     count(*) OVER (PARTITION BY chat_id) AS total
                 FROM participants WHERE chat_id IN (SELECT unhex(value) FROM json_each(?1))
             ) p {JOINED} WHERE p.place <= ?2 ORDER BY p.chat_id, p.participant_id"
        );
        let rows = self.list(&sql, params![hex_list(chats), each], |row| {
            Ok((column::id(row, 15)?, row.get(16)?, read_member(row)?))
        })?;
        let mut found: BTreeMap<ChatId, (Vec<Member>, u64)> = BTreeMap::new();
        for (chat, total, member) in rows {
            let entry = found.entry(chat).or_default();
            entry.0.push(member);
            entry.1 = total;
        }
        Ok(found)
    }

    /// The agents of a person in several rooms. One look-up.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn own_agents_in(
        self,
        owner: UserId,
        chats: &[ChatId],
    ) -> Result<BTreeMap<ChatId, Vec<AgentId>>, StoreError> {
        let sql = "SELECT p.chat_id, a.id FROM participants p JOIN agents a ON a.id = p.participant_id
            WHERE p.chat_id IN (SELECT unhex(value) FROM json_each(?1)) AND p.kind = 'Agent'
                AND p.status <> 'blocked' AND a.owner_id = ?2 ORDER BY p.chat_id, a.id";
        let mut found: BTreeMap<ChatId, Vec<AgentId>> = BTreeMap::new();
        let params = params![hex_list(chats), owner.uuid()];
        for (chat, agent) in self.list(sql, params, |row| Ok((column::id(row, 0)?, column::id(row, 1)?)))? {
            found.entry(chat).or_default().push(agent);
        }
        Ok(found)
    }

    /// How many are in a room, of one kind.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn count_members(self, chat: ChatId, kind: Option<SenderType>) -> Result<u64, StoreError> {
        let sql = "SELECT count(*) FROM participants WHERE chat_id = ?1 AND (?2 IS NULL OR kind = ?2)";
        self.count(sql, params![chat.uuid(), kind.map(SenderType::as_str)])
    }

    /// The rooms of an agent: how many.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn count_agent_chats(self, agent: AgentId) -> Result<u64, StoreError> {
        self.count(&format!("SELECT count(*) {AGENT_CHATS}"), params![agent.uuid()])
    }

    /// The rooms of an agent, the newest first.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn agent_chats(self, agent: AgentId, page: OffsetQuery) -> Result<Vec<ChatRow>, StoreError> {
        let sql = format!(
            "SELECT {CHAT}, p.role, p.status {AGENT_CHATS} ORDER BY c.inserted_at DESC, c.id DESC LIMIT ?2 OFFSET ?3"
        );
        let skip = band_core::platform::page::skipped(page);
        self.list(&sql, params![agent.uuid(), page.page_size, skip], read_chat)
    }

    /// The ids of all rooms of an agent.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn agent_chat_ids(self, agent: AgentId) -> Result<Vec<ChatId>, StoreError> {
        let sql = "SELECT chat_id FROM participants WHERE participant_id = ?1 ORDER BY chat_id";
        self.list(sql, params![agent.uuid()], |row| column::id(row, 0))
    }

    /// The rooms of a person that a filter shows: how many.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn count_my_chats(self, user: UserId, filter: ChatFilter) -> Result<u64, StoreError> {
        let (status, kind) = (filter.status.map(ChatStatus::as_str), filter.kind.map(ChatKind::as_str));
        let sql = format!("SELECT count(*) {}", my_chats(filter));
        self.count(&sql, params![user.uuid(), status, kind])
    }

    /// The rooms of a person that a filter shows: some, from a place on.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn my_chats(
        self,
        user: UserId,
        filter: ChatFilter,
        (sort, order): (ChatSort, Order),
        position: &Position,
        limit: u64,
    ) -> Result<Vec<ChatRow>, StoreError> {
        let column = match sort {
            ChatSort::Inserted => "c.inserted_at",
            ChatSort::Updated => "c.updated_at",
        };
        let (compare, direction, start) = match order {
            Order::Asc => (">", "ASC", (i64::MIN, Uuid::nil())),
            Order::Desc => ("<", "DESC", (i64::MAX, Uuid::max())),
        };
        let ((key, id), skip) = match position {
            Position::After(Key::Number(number), id) => ((*number, *id), 0),
            Position::Skip(skip) => (start, *skip),
            Position::Start | Position::After(Key::Text(_), _) => (start, 0),
        };
        let from = my_chats(filter);
        let sql = format!(
            "SELECT {CHAT}, p.role, p.status {from} AND ({column}, c.id) {compare} (?6, ?7)
             ORDER BY {column} {direction}, c.id {direction} LIMIT ?4 OFFSET ?5"
        );
        let (status, kind) = (filter.status.map(ChatStatus::as_str), filter.kind.map(ChatKind::as_str));
        self.list(&sql, params![user.uuid(), status, kind, limit, skip, key, id], read_chat)
    }
}

const AGENT_CHATS: &str = "FROM participants p JOIN chats c ON c.id = p.chat_id
    WHERE p.participant_id = ?1 AND p.status <> 'blocked' AND c.deleted_at IS NULL";

/// Ids as a JSON list of hexadecimal texts, which SQLite turns back.
pub(super) fn hex_list<M>(ids: &[Id<M>]) -> String {
    let ids: Vec<String> = ids.iter().map(|id| id.uuid().simple().to_string()).collect();
    serde_json::Value::from(ids).to_string()
}

fn my_chats(filter: ChatFilter) -> String {
    let shown = if filter.agent_rooms {
        "(p.status = 'active' OR (p.status IS NOT 'blocked' AND c.id IN (
            SELECT q.chat_id FROM agents a JOIN participants q ON q.participant_id = a.id
            WHERE a.owner_id = ?1 AND a.deleted_at IS NULL AND q.status <> 'blocked')))
         AND c.id IN (
            SELECT q.chat_id FROM participants q WHERE q.participant_id = ?1
            UNION
            SELECT q.chat_id FROM agents a JOIN participants q ON q.participant_id = a.id
            WHERE a.owner_id = ?1 AND a.deleted_at IS NULL)"
    } else {
        "p.status = 'active'"
    };
    let join = if filter.agent_rooms { "LEFT JOIN" } else { "JOIN" };
    format!(
        "FROM chats c {join} participants p ON p.chat_id = c.id AND p.participant_id = ?1
         WHERE c.deleted_at IS NULL AND {shown} AND (?2 IS NULL OR c.status = ?2) AND (?3 IS NULL OR c.kind = ?3)"
    )
}

fn read_chat(row: &Row<'_>) -> rusqlite::Result<ChatRow> {
    let chat = Chat {
        id: column::id(row, 0)?,
        title: row.get(1)?,
        title_state: column::parsed(row, 2, TitleState::parse)?,
        kind: column::parsed(row, 3, ChatKind::parse)?,
        status: column::parsed(row, 4, ChatStatus::parse)?,
        task_id: row.get(5)?,
        inserted_at: column::stamp(row, 6)?,
        updated_at: column::stamp(row, 7)?,
    };
    Ok(ChatRow { chat, last_message_at: column::opt_stamp(row, 8)?, own: own_row(row, 9)? })
}

fn own_row(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<OwnRow>> {
    if row.get_ref(column)? == rusqlite::types::ValueRef::Null {
        return Ok(None);
    }
    let role = column::parsed(row, column, Role::parse)?;
    Ok(Some(OwnRow { role, status: column::parsed(row, column + 1, MemberStatus::parse)? }))
}

fn read_member(row: &Row<'_>) -> rusqlite::Result<Member> {
    let kind = column::parsed(row, 1, SenderType::parse)?;
    let (name, handle, description) = match kind {
        SenderType::User => {
            let handle: String = row.get(5)?;
            let (first, last): (Option<String>, Option<String>) = (row.get(6)?, row.get(7)?);
            (full_name(first.as_deref(), last.as_deref(), &handle), handle, None)
        }
        SenderType::Agent => {
            let (slug, owner): (String, String) = (row.get(8)?, row.get(12)?);
            (row.get(9)?, handles::of_agent(&owner, &slug), row.get(10)?)
        }
    };
    let execution: Option<Uuid> = row.get(13)?;
    Ok(Member {
        id: column::id(row, 0)?,
        kind,
        role: column::parsed(row, 2, Role::parse)?,
        status: column::parsed(row, 3, MemberStatus::parse)?,
        name,
        handle,
        description,
        owner: column::opt_id(row, 11)?,
        joined_at: column::stamp(row, 4)?,
        execution: execution
            .map(|id| Ok::<_, rusqlite::Error>(Execution { id, stopped: row.get(14)? }))
            .transpose()?,
    })
}
