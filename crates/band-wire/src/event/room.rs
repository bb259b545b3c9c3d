//! Rooms and who is in them, as a client reads them from a push.

use super::payload::{EventError, Fields};
use crate::{ChatId, ParticipantId};

/// `room_added`, `room_removed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoomRecord {
    /// The room.
    pub id: ChatId,
    /// Its title.
    pub title: Option<String>,
    /// The task the room is bound to.
    pub task_id: Option<String>,
}

impl RoomRecord {
    pub(super) fn read(mut fields: Fields<'_>) -> Result<Self, EventError> {
        Ok(Self {
            id: fields.id("id")?,
            title: fields.opt_text("title"),
            task_id: fields.opt_text("task_id"),
        })
    }
}

/// `participant_added`, `participant_removed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParticipantRecord {
    /// A user or an agent.
    pub id: ParticipantId,
    /// Which of the two: `User`, `Agent`; other words on some servers.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Without `@`.
    pub handle: Option<String>,
    /// What an agent does.
    pub description: Option<String>,
    /// Whether its loop runs outside the platform.
    pub is_external: Option<bool>,
    /// `owner`, `admin`, `member`; other words on some servers.
    pub role: Option<String>,
    /// `active`, `inactive`, `blocked`; other words on some servers.
    pub status: Option<String>,
}

impl ParticipantRecord {
    pub(super) fn read(mut fields: Fields<'_>) -> Result<Self, EventError> {
        Ok(Self {
            id: fields.id("id")?,
            kind: fields.text("type"),
            name: fields.text("name"),
            handle: fields.opt_text("handle"),
            description: fields.opt_text("description"),
            is_external: fields.flag("is_external"),
            role: fields.opt_text("role"),
            status: fields.opt_text("status"),
        })
    }
}
