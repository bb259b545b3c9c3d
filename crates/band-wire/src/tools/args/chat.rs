//! What every room has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::{MENTIONS, Problems, ToolArgs};
use super::rules::{uuid, visible};
use crate::rest::Role;
use crate::word::words;

words! {
    /// The role of someone who is brought into a room.
    pub enum ParticipantRole {
        /// May do everything.
        Owner = "owner",
        /// May bring in and take out.
        Admin = "admin",
        /// Takes part.
        Member = "member",
    }

    /// The events that a model may post by itself.
    pub enum ShownEvent {
        /// What it thinks.
        Thought = "thought",
        /// What went wrong.
        Error = "error",
        /// How the work goes on.
        Task = "task",
    }
}

impl From<ParticipantRole> for Role {
    fn from(role: ParticipantRole) -> Self {
        match role {
            ParticipantRole::Owner => Self::Owner,
            ParticipantRole::Admin => Self::Admin,
            ParticipantRole::Member => Self::Member,
        }
    }
}

const fn first_page() -> i64 {
    1
}

const fn usual_page_size() -> i64 {
    50
}

const fn member() -> ParticipantRole {
    ParticipantRole::Member
}

/// Say something in this room. Only those you mention are notified, and only this tool makes your words visible:
/// plain text that you write reaches nobody.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SendMessageArgs {
    /// What to say. It must not be blank.
    pub content: String,
    /// Whom it is for, one at least.
    #[schemars(description = MENTIONS)]
    pub mentions: Vec<String>,
}

impl ToolArgs for SendMessageArgs {
    fn rules(&self, problems: &mut Problems) {
        visible(problems, "content", &self.content);
    }
}

/// Show people a step of your work: what you think, how a task goes on, or what went wrong. It notifies nobody, other
/// agents do not see it, and it answers no message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SendEventArgs {
    /// The text that is shown. It must not be blank.
    pub content: String,
    /// thought: what you think; task: how the work goes on; error: what went wrong.
    pub message_type: ShownEvent,
    /// Data to keep with it.
    pub metadata: Option<Map<String, Value>>,
}

impl ToolArgs for SendEventArgs {
    fn rules(&self, problems: &mut Problems) {
        visible(problems, "content", &self.content);
    }
}

/// End this turn in silence. Use it when the newest message needs no answer from you: it is meant for someone
/// else, only informs or thanks, or was dealt with already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NoReplyArgs {
    /// Why, in a few words. It goes to the agent's log; nobody in the room sees it.
    pub reason: Option<String>,
}

impl ToolArgs for NoReplyArgs {}

/// Bring a person or an agent into this room. Find out whom you may bring with band_lookup_peers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AddParticipantArgs {
    /// Whom: an id, a handle, or a name that only one of them has.
    pub identifier: String,
    /// What they may do in the room.
    #[serde(default = "member")]
    pub role: ParticipantRole,
}

impl ToolArgs for AddParticipantArgs {
    const ALIASES: &'static [(&'static str, &'static str)] = &[("name", "identifier")];
}

/// Take a participant out of this room.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RemoveParticipantArgs {
    /// Whom: an id, a handle, or a name that only one of them has.
    pub identifier: String,
}

impl ToolArgs for RemoveParticipantArgs {
    const ALIASES: &'static [(&'static str, &'static str)] = &[("name", "identifier")];
}

/// List people and agents whom you may bring into this room, page by page. Those who are here already are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LookupPeersArgs {
    /// Which page, from 1.
    #[serde(default = "first_page")]
    #[schemars(range(min = 1))]
    pub page: i64,
    /// Entries a page, 100 at most.
    #[serde(default = "usual_page_size")]
    #[schemars(range(min = 1, max = 100))]
    pub page_size: i64,
}

impl ToolArgs for LookupPeersArgs {}

/// List who is in this room right now, with ids, handles, names and roles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GetParticipantsArgs {}

impl ToolArgs for GetParticipantsArgs {}

/// Open a new room, with you as its owner, and get its id. You stay in this room; nobody else is in the new one yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CreateChatroomArgs {
    /// The id of a task that the new room is for.
    pub task_id: Option<String>,
}

impl ToolArgs for CreateChatroomArgs {
    fn rules(&self, problems: &mut Problems) {
        uuid(problems, "task_id", self.task_id.as_deref());
    }
}
