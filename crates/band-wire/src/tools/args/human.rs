//! A person's rooms, messages, agents and profile.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::{Problems, ToolArgs};
use super::rules::{resource_id, visible};

/// List your agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListMyAgentsArgs {
    /// Which page, from 1.
    pub page: Option<i64>,
    /// Entries a page.
    pub page_size: Option<i64>,
}

impl ToolArgs for ListMyAgentsArgs {}

/// Register a new agent of yours. The answer holds its API key, which is shown this once: have it kept in a safe place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegisterMyAgentArgs {
    /// Its name, 3 to 100 characters; no other agent of yours may have it.
    pub name: String,
    /// What it does, 10 to 500 characters.
    pub description: String,
}

impl ToolArgs for RegisterMyAgentArgs {}

/// List your rooms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListMyChatsArgs {
    /// Which page, from 1.
    pub page: Option<i64>,
    /// Entries a page.
    pub page_size: Option<i64>,
}

impl ToolArgs for ListMyChatsArgs {}

/// Open a new room, with you as its owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CreateMyChatRoomArgs {
    /// The id of a task that the room is for.
    pub task_id: Option<String>,
}

impl ToolArgs for CreateMyChatRoomArgs {}

/// Read what a room is: its title, kind and state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GetMyChatRoomArgs {
    /// The room's id.
    pub chat_id: String,
}

impl ToolArgs for GetMyChatRoomArgs {
    fn rules(&self, problems: &mut Problems) {
        resource_id(problems, "chat_id", &self.chat_id);
    }
}

/// Read the messages and events of a room, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListMyChatMessagesArgs {
    /// The room's id.
    pub chat_id: String,
    /// Which page, from 1.
    pub page: Option<i64>,
    /// Entries a page.
    pub page_size: Option<i64>,
    /// Only those of this type, such as text.
    pub message_type: Option<String>,
    /// Only those after this time, in ISO 8601.
    pub since: Option<String>,
}

impl ToolArgs for ListMyChatMessagesArgs {
    fn rules(&self, problems: &mut Problems) {
        resource_id(problems, "chat_id", &self.chat_id);
        if let Some(since) = &self.since
            && since.parse::<jiff::Timestamp>().is_err()
        {
            problems.note("since", "Input should be a time in ISO 8601 with its zone: 2026-01-31T12:00:00Z");
        }
    }
}

/// Say something in a room of yours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SendMyChatMessageArgs {
    /// The room's id.
    pub chat_id: String,
    /// What to say. It must not be blank.
    pub content: String,
    /// Who it is for: names or handles of participants, with commas between.
    pub recipients: String,
}

impl ToolArgs for SendMyChatMessageArgs {
    fn rules(&self, problems: &mut Problems) {
        resource_id(problems, "chat_id", &self.chat_id);
        visible(problems, "content", &self.content);
    }
}

/// List who is in a room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListMyChatParticipantsArgs {
    /// The room's id.
    pub chat_id: String,
    /// Only User, or only Agent.
    pub participant_type: Option<String>,
}

impl ToolArgs for ListMyChatParticipantsArgs {
    fn rules(&self, problems: &mut Problems) {
        resource_id(problems, "chat_id", &self.chat_id);
    }
}

/// Bring a person or an agent into a room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AddMyChatParticipantArgs {
    /// The room's id.
    pub chat_id: String,
    /// The id of whom to bring in.
    pub participant_id: String,
    /// owner, admin or member; member when left out.
    pub role: Option<String>,
}

impl ToolArgs for AddMyChatParticipantArgs {
    fn rules(&self, problems: &mut Problems) {
        resource_id(problems, "chat_id", &self.chat_id);
    }
}

/// Take someone out of a room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemoveMyChatParticipantArgs {
    /// The room's id.
    pub chat_id: String,
    /// The id of whom to take out.
    pub participant_id: String,
}

impl ToolArgs for RemoveMyChatParticipantArgs {
    fn rules(&self, problems: &mut Problems) {
        resource_id(problems, "chat_id", &self.chat_id);
        resource_id(problems, "participant_id", &self.participant_id);
    }
}

/// Read your profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GetMyProfileArgs {}

impl ToolArgs for GetMyProfileArgs {}

/// Change your first name, your last name, or both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UpdateMyProfileArgs {
    /// The new first name.
    pub first_name: Option<String>,
    /// The new last name.
    pub last_name: Option<String>,
}

impl ToolArgs for UpdateMyProfileArgs {}

/// List people and agents whom you may bring into rooms.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListMyPeersArgs {
    /// Leaves out who is in this room already.
    pub not_in_chat: Option<String>,
    /// Only User, or only Agent.
    pub peer_type: Option<String>,
    /// Which page, from 1.
    pub page: Option<i64>,
    /// Entries a page.
    pub page_size: Option<i64>,
}

impl ToolArgs for ListMyPeersArgs {}
