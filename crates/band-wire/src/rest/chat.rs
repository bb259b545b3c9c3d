//! Rooms, called chats on the wire.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::lenient;
use super::message::Message;
use super::participant::{MemberStatus, Participant, Role};
use super::strict::{FromBody, Issues, ObjectReader};
use crate::word::{Open, words};
use crate::{AgentId, ChatId, Stamp};

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

words! {
    /// The type of a room.
    pub enum ChatKind {
        /// The default.
        Direct = "direct",
        /// More than two.
        Group = "group",
        /// Bound to a task.
        Task = "task",
    }
}

words! {
    /// The status of a room.
    pub enum ChatStatus {
        /// In use.
        Active = "active",
        /// Put away.
        Archived = "archived",
        /// Ended.
        Closed = "closed",
    }
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
    pub kind: Open<ChatKind>,
    /// Its status.
    pub status: Open<ChatStatus>,
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
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::present")]
    pub last_message: Option<Option<Message>>,
    /// With `include=membership`: how the person comes to see the room.
    #[serde(default, flatten, skip_serializing_if = "Option::is_none")]
    pub membership: Option<MyMembership>,
    /// With `include=message_counts`: messages and events by type; an absent type has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_counts: Option<BTreeMap<String, u64>>,
}

words! {
    /// How a person comes to see a room.
    pub enum Membership {
        /// As a participant.
        Participant = "participant",
        /// Through an agent of theirs.
        ViaAgent = "via_agent",
    }
}

/// How a person comes to see a room, with their own row in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MyMembership {
    /// Which of the two ways.
    pub membership: Open<Membership>,
    /// The role of their own row, if there is one.
    pub my_role: Option<Open<Role>>,
    /// The status of their own row, if there is one.
    pub my_status: Option<Open<MemberStatus>>,
    /// Their agents in the room.
    #[serde(default)]
    pub via_agent_ids: Vec<AgentId>,
}

/// Body of `POST /agent/chats` and `POST /me/chats`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CreateChat {
    /// Trimmed; none or blank means the default title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A task that exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
}

impl CreateChat {
    /// The longest title, in characters after trimming.
    pub const MAX_TITLE: usize = 120;
}

impl FromBody for CreateChat {
    const WRAPPER: Option<&'static str> = Some("chat");

    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let title = fields.nullable_string("title").map(|title| title.trim().to_owned());
        check_title(&mut fields, title.as_deref());
        let task_id = fields.nullable_string("task_id");
        let task_id = fields.uuid("task_id", task_id);
        fields.finish()?;
        Ok(Self { title: title.filter(|title| !title.is_empty()), task_id: task_id.map(|id| id.to_string()) })
    }
}

/// Body of `PATCH /agent/chats/{id}` and `PATCH /me/chats/{id}`, inside `{"chat":…}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RenameChat {
    /// One line, 1 to [`CreateChat::MAX_TITLE`] characters after trimming.
    pub title: String,
}

impl FromBody for RenameChat {
    const WRAPPER: Option<&'static str> = Some("chat");

    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let title = fields.string("title").map(|title| title.trim().to_owned());
        check_title(&mut fields, title.as_deref());
        if title.as_ref().is_some_and(String::is_empty) {
            fields.issue("title", "can't be blank");
        }
        fields.finish()?;
        Ok(Self { title: title.unwrap_or_default() })
    }
}

fn check_title(fields: &mut ObjectReader, title: Option<&str>) {
    let Some(title) = title else { return };
    if title.contains(['\n', '\r', '\0']) {
        fields.issue("title", "must not contain line breaks");
    }
    if title.chars().count() > CreateChat::MAX_TITLE {
        fields.issue("title", format!("should be at most {} character(s)", CreateChat::MAX_TITLE));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn issues(body: Value) -> Vec<String> {
        CreateChat::from_body(body).unwrap_err().into_map().into_keys().collect()
    }

    #[test]
    fn an_empty_room_needs_no_more_than_its_wrapper() {
        for body in [
            json!({"chat": {}}),
            json!({"chat": {"title": null, "task_id": null}}),
            json!({"chat": {"title": " "}}),
        ] {
            assert_eq!(CreateChat::from_body(body).unwrap(), CreateChat::default());
        }
        assert_eq!(issues(json!({})), ["/chat"]);
        assert_eq!(issues(json!({"chat": null})), ["/chat"]);
    }

    #[test]
    fn a_title_is_one_line_of_at_most_120_characters() {
        let chat = |title: &str| json!({"chat": {"title": title}});
        let longest = "ü".repeat(CreateChat::MAX_TITLE);
        let read = CreateChat::from_body(chat(&format!("  {longest} "))).unwrap();
        assert_eq!(read.title, Some(longest.clone()));
        assert_eq!(issues(chat(&format!("{longest}x"))), ["/chat/title"]);
        for title in ["a\nb", "a\rb", "a\0b"] {
            assert_eq!(issues(chat(title)), ["/chat/title"]);
        }
        assert_eq!(
            issues(json!({"chat": {"title": 1, "task_id": "7", "type": "group"}})),
            ["/chat/task_id", "/chat/title", "/chat/type"]
        );
    }

    #[test]
    fn another_title_is_never_blank() {
        let chat = |title: &str| RenameChat::from_body(json!({"chat": {"title": title}}));
        assert_eq!(chat(" Hall ").unwrap().title, "Hall");
        for title in ["", " ", "a\nb", &"x".repeat(CreateChat::MAX_TITLE + 1)] {
            assert!(chat(title).is_err(), "{title:?}");
        }
        assert!(RenameChat::from_body(json!({"chat": {}})).is_err());
    }

    #[test]
    fn a_key_that_is_null_differs_from_one_that_is_absent() {
        let mut body = json!({
            "id": "00000000-0000-0000-0000-000000000001", "title": null, "task_id": null, "type": "cozy",
            "status": "active", "last_message_at": null, "inserted_at": "2026-07-01T10:00:00Z",
            "updated_at": "2026-07-01T10:00:00Z",
        });
        let room: MyChat = serde_json::from_value(body.clone()).unwrap();
        assert_eq!(room.last_message, None);
        assert_eq!(room.kind.as_str(), "cozy");
        body["last_message"] = Value::Null;
        let room: MyChat = serde_json::from_value(body).unwrap();
        assert_eq!(room.last_message, Some(None));
        assert_eq!(serde_json::to_value(room).unwrap()["last_message"], Value::Null);
    }
}
