//! Rooms, called chats on the wire.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::message::Message;
use super::participant::Participant;
use super::strict::{FromBody, Issues, ObjectReader};
use crate::{ChatId, Stamp};

/// A room as an agent sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentChat {
    /// The room.
    pub id: ChatId,
    /// Never null here; null on some servers.
    pub title: Option<String>,
    /// The task the room is bound to.
    #[serde(default)]
    pub task_id: Option<String>,
    /// When it was created.
    pub inserted_at: Stamp,
    /// When it last changed.
    pub updated_at: Stamp,
    /// With `include=participants`: the first 100 by id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub participants: Option<Vec<Participant>>,
    /// Present exactly when `participants` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub participant_count: Option<u64>,
    /// Present exactly when `participants` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub participants_truncated: Option<bool>,
}

/// The type of a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatKind {
    /// The default.
    Direct,
    /// More than two.
    Group,
    /// Bound to a task.
    Task,
}

/// The status of a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChatStatus {
    /// In use.
    Active,
    /// Put away.
    Archived,
    /// Ended.
    Closed,
}

/// A room as a person sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MyChat {
    /// The room.
    pub id: ChatId,
    /// Never null here.
    pub title: Option<String>,
    /// The task the room is bound to.
    pub task_id: Option<String>,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: ChatKind,
    /// Its status.
    pub status: ChatStatus,
    /// The newest message or event; null in an empty room.
    pub last_message_at: Option<Stamp>,
    /// When it was created.
    pub inserted_at: Stamp,
    /// When it last changed.
    pub updated_at: Stamp,
    /// With `include=participants`: the first 100 by id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub participants: Option<Vec<Participant>>,
    /// Present exactly when `participants` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub participant_count: Option<u64>,
    /// Present exactly when `participants` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub participants_truncated: Option<bool>,
    /// With `include=last_message`. The outer option says whether it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_message: Option<Option<Message>>,
}

/// Body of `POST /agent/chats` and `POST /me/chats`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CreateChat {
    /// Trimmed; none or blank means the default title.
    pub title: Option<String>,
    /// A task that exists.
    pub task_id: Option<String>,
}

impl CreateChat {
    /// The longest title, in characters after trimming.
    pub const MAX_TITLE: usize = 120;
}

impl FromBody for CreateChat {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::wrapped(body, "chat")?;
        let title = fields.nullable_string("title").map(|title| title.trim().to_owned());
        if let Some(title) = &title {
            if title.contains(['\n', '\r', '\0']) {
                fields.issue("title", "must not contain line breaks");
            }
            if title.chars().count() > Self::MAX_TITLE {
                fields.issue("title", format!("should be at most {} character(s)", Self::MAX_TITLE));
            }
        }
        let task_id = fields.nullable_string("task_id");
        fields.finish()?;
        Ok(Self { title: title.filter(|title| !title.is_empty()), task_id })
    }
}
