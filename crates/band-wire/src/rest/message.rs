//! Messages and events of a room.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::delivery::DeliveryStatus;
use super::lenient;
use super::mention::MentionRecord;
use crate::word::words;
use crate::{AgentId, ChatId, MessageId, ParticipantId, Stamp};

words! {
    /// User or agent. The wire's word is case-sensitive.
    pub enum SenderType {
        /// A person.
        User = "User",
        /// An agent.
        Agent = "Agent",
    }
}

/// A message or an event of a room.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The message.
    pub id: MessageId,
    /// Mentions stand in it as `@[[uuid]]`. A server that sends null for it means nothing.
    #[serde(deserialize_with = "lenient::null_is_default")]
    pub content: String,
    /// `text`, the types of [`super::EventType`], or a type internal to the platform.
    pub message_type: String,
    /// A user or an agent.
    pub sender_id: ParticipantId,
    /// Which of the two: `User`, `Agent`; other words on some servers.
    pub sender_type: String,
    /// The full name of the person, or the agent's name. Omitted where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_name: Option<String>,
    /// The room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chat_room_id: Option<ChatId>,
    /// `mentions`, `status`, `delivery_status`; of events what their sender supplied.
    #[serde(default, deserialize_with = "lenient::null_is_default")]
    pub metadata: Map<String, Value>,
    /// Files.
    #[serde(default, deserialize_with = "lenient::null_is_default")]
    pub attachments: Vec<Value>,
    /// When it was stored.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "lenient::misfit_is_default"
    )]
    pub inserted_at: Option<Stamp>,
    /// When it last changed.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "lenient::misfit_is_default"
    )]
    pub updated_at: Option<Stamp>,
}

impl Message {
    /// The delivery state for one agent, from `metadata.delivery_status`.
    pub fn delivery_status(&self, agent: AgentId) -> Option<DeliveryStatus> {
        let record = self.metadata.get("delivery_status")?.get(agent.to_string())?;
        DeliveryStatus::parse(record.get("status")?.as_str()?)
    }

    /// The mentions, from `metadata.mentions`; entries whose id is no UUID are passed over.
    pub fn mentions(&self) -> Vec<MentionRecord> {
        let Some(Value::Array(items)) = self.metadata.get("mentions") else { return Vec::new() };
        items.iter().filter_map(|item| MentionRecord::deserialize(item).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rest::MentionKind;

    const ID: &str = "00000000-0000-0000-0000-000000000001";

    fn read(extra: Value) -> Message {
        let mut body = json!({
            "id": ID, "content": "hi", "message_type": "text", "sender_id": ID, "sender_type": "User",
        });
        let Value::Object(extra) = extra else { panic!("no object") };
        body.as_object_mut().unwrap().extend(extra);
        serde_json::from_value(body).unwrap()
    }

    #[test]
    fn decorations_that_are_off_do_not_cost_the_message() {
        let message = read(json!({
            "metadata": null, "attachments": null, "inserted_at": "some day", "updated_at": 7,
            "sender_name": null, "from_the_future": {},
        }));
        assert_eq!(message.inserted_at, None);
        assert_eq!(message.metadata.len() + message.attachments.len(), 0);
    }

    #[test]
    fn a_message_without_words_does_not_cost_the_page() {
        assert_eq!(read(json!({ "content": null })).content, "");
    }

    #[test]
    fn mentions_of_older_and_newer_servers_are_read() {
        let message = read(json!({"metadata": {"mentions": [
            {"id": ID, "username": "ann"},
            {"id": ID, "handle": "bob", "kind": "shout", "type": 7},
            {"id": "no uuid"},
            "nothing",
        ]}}));
        let mentions = message.mentions();
        assert_eq!(mentions.len(), 2);
        assert_eq!(mentions[0].handle.as_deref(), Some("ann"));
        assert_eq!(mentions[0].kind, MentionKind::Mention);
        assert_eq!(mentions[1].kind.as_str(), "shout");
    }

    #[test]
    fn the_delivery_state_is_each_agents_own() {
        let agent: AgentId = ID.parse().unwrap();
        let mut delivery = Map::new();
        delivery.insert(ID.to_owned(), json!({"status": "failed"}));
        let message = read(json!({"metadata": {"delivery_status": delivery}}));
        assert_eq!(message.delivery_status(agent), Some(DeliveryStatus::Failed));
        assert_eq!(message.delivery_status(AgentId::new(uuid::Uuid::from_u128(9))), None);
    }
}
