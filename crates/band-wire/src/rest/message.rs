//! Messages, mentions and delivery.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::strict::{FromBody, Issues, ObjectReader};
use crate::{AgentId, ChatId, MessageId, ParticipantId, Stamp};

/// User or agent. The wire's word is case-sensitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SenderType {
    /// A person.
    User,
    /// An agent.
    Agent,
}

impl SenderType {
    /// The wire's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "User",
            Self::Agent => "Agent",
        }
    }

    /// From the wire's word.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::User, Self::Agent].into_iter().find(|kind| kind.as_str() == text)
    }
}

/// A message or an event of a room.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The message.
    pub id: MessageId,
    /// Mentions stand in it as `@[[uuid]]`.
    pub content: String,
    /// `text`, the types of [`super::EventType`], or a type internal to the platform.
    pub message_type: String,
    /// A user or an agent.
    pub sender_id: ParticipantId,
    /// Which of the two: `User`, `Agent`; other words on some servers.
    pub sender_type: String,
    /// The full name of the person, or the agent's name.
    #[serde(default)]
    pub sender_name: Option<String>,
    /// The room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat_room_id: Option<ChatId>,
    /// `mentions`, `status`, `delivery_status`; of events what their sender supplied.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// Files.
    #[serde(default)]
    pub attachments: Vec<Value>,
    /// When it was stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inserted_at: Option<Stamp>,
    /// When it last changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

impl Message {
    /// The delivery state for one agent, from `metadata.delivery_status`.
    pub fn delivery_status(&self, agent: AgentId) -> Option<DeliveryStatus> {
        let record = self.metadata.get("delivery_status")?.get(agent.to_string())?;
        DeliveryStatus::parse(record.get("status")?.as_str()?)
    }

    /// The mentions, from `metadata.mentions`; entries that do not fit are passed over.
    pub fn mentions(&self) -> Vec<MentionRecord> {
        let Some(Value::Array(items)) = self.metadata.get("mentions") else { return Vec::new() };
        items.iter().filter_map(|item| MentionRecord::deserialize(item).ok()).collect()
    }
}

/// A mention as it is stored: `metadata.mentions[]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MentionRecord {
    /// A user or an agent.
    pub id: ParticipantId,
    /// Its name when the message was stored.
    #[serde(default)]
    pub name: Option<String>,
    /// Its handle when the message was stored.
    #[serde(default)]
    pub handle: Option<String>,
    /// `user` or `agent`, in lower case here.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub participant_type: Option<String>,
    /// Whether it routes.
    #[serde(default)]
    pub kind: MentionKind,
    /// Null when avatars are off.
    #[serde(default)]
    pub avatar_url: Option<String>,
}

/// Whether a mention routes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MentionKind {
    /// Routes and delivers.
    #[default]
    Mention,
    /// Names someone in prose.
    Reference,
}

/// Where a message stands for one agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryStatus {
    /// Handed to a live connection.
    Delivered,
    /// An attempt is open.
    Processing,
    /// The last attempt failed; served again.
    Failed,
    /// Done.
    Processed,
}

impl DeliveryStatus {
    /// The wire's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Processing => "processing",
            Self::Failed => "failed",
            Self::Processed => "processed",
        }
    }

    /// From the wire's word.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Delivered, Self::Processing, Self::Failed, Self::Processed]
            .into_iter()
            .find(|status| status.as_str() == text)
    }
}

/// One agent's entry of `metadata.delivery_status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryRecord {
    /// Where it stands.
    pub status: DeliveryStatus,
    /// When it was handed to a live connection.
    pub delivered_at: Option<Stamp>,
    /// When it was done.
    pub processed_at: Option<Stamp>,
    /// The newest attempt's number; none before the first.
    pub current_attempt: Option<u32>,
    /// All attempts, oldest first.
    pub attempts: Vec<AttemptRecord>,
}

/// One attempt at a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptRecord {
    /// From 1.
    pub attempt_number: u32,
    /// `processing`, `success` or `failed`.
    pub status: String,
    /// When it began.
    pub started_at: Option<Stamp>,
    /// When it ended.
    pub completed_at: Option<Stamp>,
    /// Why it failed.
    pub error: Option<String>,
}

/// Body of `POST …/messages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SendMessage {
    /// At most [`SendMessage::MAX_CONTENT`] bytes, one character visible.
    pub content: String,
    /// Whom it names; one of kind mention at least.
    pub mentions: Vec<MentionInput>,
    /// Files of the room, at most [`SendMessage::MAX_ATTACHMENTS`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachment_ids: Vec<String>,
}

/// A mention as a sender writes it. What is wrong with its meaning is the platform's to say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MentionInput {
    /// Wins over the handle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// With or without `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Decoration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `mention` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

impl SendMessage {
    /// UTF-8 bytes, before the platform's own tokens.
    pub const MAX_CONTENT: usize = 524_288;
    /// Files a message.
    pub const MAX_ATTACHMENTS: usize = 10;
}

impl FromBody for SendMessage {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::wrapped(body, "message")?;
        let content = fields.string("content");
        if content.as_ref().is_some_and(|content| content.len() > Self::MAX_CONTENT) {
            fields.issue("content", format!("should be at most {} byte(s)", Self::MAX_CONTENT));
        }
        let items = fields.list("mentions").unwrap_or_default();
        let mut mentions = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let Some(mut entry) = fields.item("mentions", index, item) else { continue };
            mentions.push(MentionInput {
                id: entry.nullable_string("id"),
                handle: entry.nullable_string("handle"),
                name: entry.nullable_string("name"),
                kind: entry.opt_string("kind"),
            });
            fields.close(entry);
        }
        let attachment_ids =
            if fields.has("attachment_ids") { read_attachments(&mut fields) } else { Vec::new() };
        fields.finish()?;
        Ok(Self { content: content.unwrap_or_default(), mentions, attachment_ids })
    }
}

fn read_attachments(fields: &mut ObjectReader) -> Vec<String> {
    let items = fields.list("attachment_ids").unwrap_or_default();
    if items.len() > SendMessage::MAX_ATTACHMENTS {
        fields
            .issue("attachment_ids", format!("should have at most {} item(s)", SendMessage::MAX_ATTACHMENTS));
    }
    let mut ids = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        match item {
            Value::String(id) => ids.push(id),
            _ => fields.issue(&format!("attachment_ids/{index}"), "Invalid format. Expected :uuid"),
        }
    }
    ids
}

/// Answer to `POST …/messages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageSent {
    /// The message.
    pub id: MessageId,
    /// True.
    pub success: bool,
    /// Those it routes to.
    pub recipients: Vec<Recipient>,
}

/// Someone a message routes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipient {
    /// A user or an agent.
    pub id: ParticipantId,
    /// Never null.
    pub handle: String,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Answer to a delivery mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageMark {
    /// The message.
    pub id: MessageId,
    /// `processing`, `processed` or `failed`.
    pub status: DeliveryStatus,
    /// From 1.
    pub attempt_number: u32,
    /// False means not accepted.
    pub success: bool,
}

/// Body of `POST …/failed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FailMark {
    /// What went wrong.
    pub error: String,
}

impl FromBody for FailMark {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::root(body)?;
        let error = fields.string("error");
        if error.as_ref().is_some_and(|error| error.trim().is_empty()) {
            fields.issue("error", "can't be blank");
        }
        fields.finish()?;
        Ok(Self { error: error.unwrap_or_default() })
    }
}

/// The entries of `metadata.delivery_status`, by recipient.
pub type DeliveryMap = BTreeMap<AgentId, DeliveryRecord>;
