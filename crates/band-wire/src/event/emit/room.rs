//! Rooms.

use serde::Serialize;

use crate::rest::{ChatKind, ChatStatus};
use crate::{ChatId, Stamp};

/// `room_added`, `room_updated`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Room {
    /// The room.
    pub id: ChatId,
    /// Never null: clients act on the title of a new room at once.
    pub title: String,
    /// The task the room is bound to.
    pub task_id: Option<String>,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: ChatKind,
    /// Its status.
    pub status: ChatStatus,
    /// When it was created.
    pub inserted_at: Stamp,
    /// When it last changed.
    pub updated_at: Stamp,
}

/// `room_removed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoomRemoved {
    /// The room.
    #[serde(flatten)]
    pub room: Room,
    /// When the subscriber's membership ended.
    pub removed_at: Stamp,
}

/// `room_deleted`: the last event of `room_participants`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RoomDeleted {
    /// The room.
    pub id: ChatId,
}
