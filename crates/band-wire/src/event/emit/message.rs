//! Messages and events of a room.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::rest::SenderType;
use crate::{ChatId, MessageId, ParticipantId, Stamp};

/// `message_created`, `message_updated`, `event_created`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Message {
    /// The message.
    pub id: MessageId,
    /// Mentions stand in it as `@[[uuid]]`.
    pub content: String,
    /// `text`, or the event's type.
    pub message_type: String,
    /// A user or an agent.
    pub sender_id: ParticipantId,
    /// Which of the two.
    pub sender_type: SenderType,
    /// The sender's name.
    pub sender_name: Option<String>,
    /// The room. Some clients want it here, beside the topic.
    pub chat_room_id: ChatId,
    /// Always null so far.
    pub thread_id: Option<String>,
    /// Of messages: `mentions`, `status`, `delivery_status`. Of events: what the sender supplied.
    pub metadata: Map<String, Value>,
    /// Files.
    pub attachments: Vec<Value>,
    /// When it was stored.
    pub inserted_at: Stamp,
    /// When it last changed.
    pub updated_at: Stamp,
}

/// `message_deleted`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MessageDeleted {
    /// The message.
    pub id: MessageId,
    /// Its room.
    pub chat_room_id: ChatId,
}
