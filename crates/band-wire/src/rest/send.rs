//! Sending a message.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::mention::MentionInput;
use super::strict::{FromBody, Issues, ObjectReader};
use crate::{MessageId, ParticipantId};

/// Body of `POST …/messages`, inside `{"message":…}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SendMessage {
    /// At most [`SendMessage::MAX_CONTENT`] bytes, one character visible.
    pub content: String,
    /// Whom it names; one of kind mention at least.
    pub mentions: Vec<MentionInput>,
    /// Files of the room, at most [`SendMessage::MAX_ATTACHMENTS`]. The platform takes UUIDs alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attachment_ids: Vec<String>,
}

impl SendMessage {
    /// UTF-8 bytes, before the platform's own tokens.
    pub const MAX_CONTENT: usize = 524_288;
    /// Files a message.
    pub const MAX_ATTACHMENTS: usize = 10;
}

impl FromBody for SendMessage {
    const WRAPPER: Option<&'static str> = Some("message");

    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let content = fields.string("content");
        if content.as_ref().is_some_and(|content| content.len() > Self::MAX_CONTENT) {
            fields.issue("content", format!("should be at most {} byte(s)", Self::MAX_CONTENT));
        }
        let items = fields.list("mentions").unwrap_or_default();
        let mut mentions = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let Some(mut entry) = fields.item("mentions", index, item) else { continue };
            mentions.push(MentionInput::read(&mut entry));
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
        fields.issue(
            "attachment_ids",
            format!("Array length {} is larger than maxItems: {}", items.len(), SendMessage::MAX_ATTACHMENTS),
        );
    }
    let mut ids = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        ids.extend(fields.item_id("attachment_ids", index, item));
    }
    ids.into_iter().map(|id| id.to_string()).collect()
}

/// Answer to `POST …/messages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageSent {
    /// The message.
    pub id: MessageId,
    /// True.
    pub success: bool,
    /// Those it routes to.
    #[serde(default)]
    pub recipients: Vec<Recipient>,
}

/// Someone a message routes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipient {
    /// A user or an agent.
    pub id: ParticipantId,
    /// Always there from a platform; read as empty where one leaves it out, the message is sent all the same.
    #[serde(default)]
    pub handle: String,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ID: &str = "00000000-0000-0000-0000-000000000001";

    fn issues(body: Value) -> Vec<(String, String)> {
        let issues = SendMessage::from_body(body).unwrap_err().into_map();
        issues.into_iter().map(|(pointer, texts)| (pointer, texts.join("|"))).collect()
    }

    #[test]
    fn a_message_is_read_with_its_mentions() {
        let body = json!({"message": {"content": "hi", "mentions": [
            {"id": ID, "handle": null, "name": "Ann"}, {"handle": "@bob", "kind": "reference"},
        ]}});
        let message = SendMessage::from_body(body).unwrap();
        assert_eq!(message.mentions[0].id.as_deref(), Some(ID));
        assert_eq!(message.mentions[1].kind.as_deref(), Some("reference"));
        assert_eq!(message.attachment_ids, [""; 0]);
    }

    #[test]
    fn all_issues_are_told_at_once_each_at_its_place() {
        let body = json!({"message": {
            "content": 7,
            "mentions": [{"id": "x", "kind": null, "color": 1}, "ann"],
            "attachment_ids": [ID, "y", 3],
            "thread_id": null,
        }, "beside": 1});
        assert_eq!(issues(body), [("/beside".to_owned(), "Unexpected field: beside".to_owned())]);
        let body = json!({"message": {
            "content": 7,
            "mentions": [{"id": "x", "kind": null, "color": 1}, "ann"],
            "attachment_ids": [ID, "y", 3],
            "thread_id": null,
        }});
        assert_eq!(
            issues(body),
            [
                ("/message/attachment_ids/1", "Invalid format. Expected :uuid"),
                ("/message/attachment_ids/2", "Invalid string. Got: integer"),
                ("/message/content", "Invalid string. Got: integer"),
                ("/message/mentions/0/color", "Unexpected field: color"),
                ("/message/mentions/0/id", "Invalid format. Expected :uuid"),
                ("/message/mentions/0/kind", "null value where string expected"),
                ("/message/mentions/1", "Invalid object. Got: string"),
                ("/message/thread_id", "Unexpected field: thread_id"),
            ]
            .map(|(pointer, text)| (pointer.to_owned(), text.to_owned()))
        );
    }

    #[test]
    fn a_null_where_it_is_not_allowed_is_refused() {
        let body = json!({"message": {"content": null, "mentions": null, "attachment_ids": null}});
        assert_eq!(
            issues(body),
            [
                ("/message/attachment_ids", "null value where array expected"),
                ("/message/content", "null value where string expected"),
                ("/message/mentions", "null value where array expected"),
            ]
            .map(|(pointer, text)| (pointer.to_owned(), text.to_owned()))
        );
    }

    #[test]
    fn the_wrapper_is_needed() {
        assert_eq!(issues(json!({})), [("/message".to_owned(), "Missing field: message".to_owned())]);
        assert_eq!(
            issues(json!({"message": []})),
            [("/message".to_owned(), "Invalid object. Got: array".to_owned())]
        );
    }

    #[test]
    fn content_is_limited_in_bytes() {
        let content = "ü".repeat(SendMessage::MAX_CONTENT / 2 + 1);
        let body = json!({"message": {"content": content, "mentions": []}});
        assert_eq!(issues(body)[0].0, "/message/content");
    }

    #[test]
    fn an_answer_without_handles_is_still_read() {
        let sent: MessageSent =
            serde_json::from_value(json!({"id": ID, "success": true, "recipients": [{"id": ID}], "new": 1}))
                .unwrap();
        assert_eq!(sent.recipients[0].handle, "");
    }
}
