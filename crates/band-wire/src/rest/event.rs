//! Events of an agent: what people may see of its work.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::strict::{FromBody, Issues, ObjectReader};
use crate::MessageId;
use crate::word::{Open, words};

words! {
    /// Types of events that an agent may post.
    pub enum EventType {
        /// A tool is about to run.
        ToolCall = "tool_call",
        /// What the tool gave.
        ToolResult = "tool_result",
        /// A thought.
        Thought = "thought",
        /// A failure.
        Error = "error",
        /// Progress, sessions, usage.
        Task = "task",
        /// A person is asked.
        Attention = "attention",
    }
}

/// Body of `POST …/events`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CreateEvent {
    /// At most [`CreateEvent::MAX_CONTENT`] characters, one of them visible.
    pub content: String,
    /// Its type.
    pub message_type: EventType,
    /// At most [`CreateEvent::MAX_METADATA`] serialized bytes, given back unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
}

impl CreateEvent {
    /// Characters.
    pub const MAX_CONTENT: usize = 16_384;
    /// Serialized bytes.
    pub const MAX_METADATA: usize = 65_536;
}

impl FromBody for CreateEvent {
    const WRAPPER: Option<&'static str> = Some("event");

    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventCreated {
    /// The event.
    pub id: MessageId,
    /// Its type.
    pub message_type: Open<EventType>,
    /// True.
    pub success: bool,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn issues(event: &Value) -> Vec<String> {
        CreateEvent::from_body(json!({ "event": event })).unwrap_err().into_map().into_keys().collect()
    }

    #[test]
    fn an_event_is_read_with_or_without_metadata() {
        for (metadata, kept) in [(json!(null), None), (json!({"a": 1}), Some(1))] {
            let body = json!({"event": {"content": "x", "message_type": "thought", "metadata": metadata}});
            let event = CreateEvent::from_body(body).unwrap();
            assert_eq!(event.metadata.map(|map| map.len()), kept);
        }
        let event = CreateEvent::from_body(json!({"event": {"content": "x", "message_type": "task"}}));
        assert_eq!(event.unwrap().message_type, EventType::Task);
    }

    #[test]
    fn a_text_is_no_event() {
        assert_eq!(issues(&json!({"content": "x", "message_type": "text"})), ["/event/message_type"]);
        assert_eq!(issues(&json!({})), ["/event/content", "/event/message_type"]);
        assert_eq!(
            issues(&json!({"content": 1, "message_type": null, "metadata": [], "mentions": []})),
            ["/event/content", "/event/mentions", "/event/message_type", "/event/metadata"]
        );
    }

    #[test]
    fn sizes_are_held() {
        let content = "ü".repeat(CreateEvent::MAX_CONTENT);
        let event = |content: &str, blob: usize| {
            let metadata = json!({"b": "x".repeat(blob)});
            json!({"content": content, "message_type": "error", "metadata": metadata})
        };
        let frame = r#"{"b":""}"#.len();
        let fits = json!({"event": event(&content, CreateEvent::MAX_METADATA - frame)});
        assert!(CreateEvent::from_body(fits).is_ok());
        assert_eq!(issues(&event(&format!("{content}x"), 0)), ["/event/content"]);
        assert_eq!(issues(&event("x", CreateEvent::MAX_METADATA - frame + 1)), ["/event/metadata"]);
    }
}
