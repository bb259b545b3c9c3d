//! Events of an agent: what people may see of its work.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::strict::{FromBody, Issues, ObjectReader};
use crate::MessageId;

/// Types of events that an agent may post.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventType {
    /// A tool is about to run.
    ToolCall,
    /// What the tool gave.
    ToolResult,
    /// A thought.
    Thought,
    /// A failure.
    Error,
    /// Progress, sessions, usage.
    Task,
    /// A person is asked.
    Attention,
}

impl EventType {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::ToolCall, Self::ToolResult, Self::Thought, Self::Error, Self::Task, Self::Attention];

    /// The wire's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
            Self::Thought => "thought",
            Self::Error => "error",
            Self::Task => "task",
            Self::Attention => "attention",
        }
    }

    /// From the wire's word.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Body of `POST …/events`.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateEvent {
    /// At most [`CreateEvent::MAX_CONTENT`] characters, one of them visible.
    pub content: String,
    /// Its type.
    pub message_type: EventType,
    /// At most [`CreateEvent::MAX_METADATA`] serialized bytes, given back unchanged.
    pub metadata: Option<Map<String, Value>>,
}

impl CreateEvent {
    /// Characters.
    pub const MAX_CONTENT: usize = 16_384;
    /// Serialized bytes.
    pub const MAX_METADATA: usize = 65_536;
}

impl FromBody for CreateEvent {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::wrapped(body, "event")?;
        let content = fields.string("content");
        if content.as_ref().is_some_and(|content| content.chars().count() > Self::MAX_CONTENT) {
            fields.issue("content", format!("should be at most {} character(s)", Self::MAX_CONTENT));
        }
        let kind = fields.string("message_type");
        let kind = fields.parse("message_type", kind, EventType::parse);
        let metadata = fields.nullable_map("metadata");
        let size =
            metadata.as_ref().and_then(|map| serde_json::to_vec(map).ok()).map_or(0, |bytes| bytes.len());
        if size > Self::MAX_METADATA {
            fields.issue("metadata", format!("should be at most {} byte(s)", Self::MAX_METADATA));
        }
        fields.finish()?;
        let message_type = kind.ok_or_else(Issues::new)?;
        Ok(Self { content: content.unwrap_or_default(), message_type, metadata })
    }
}

/// Answer to `POST …/events`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventCreated {
    /// The event.
    pub id: MessageId,
    /// Its type.
    pub message_type: EventType,
    /// True.
    pub success: bool,
}
