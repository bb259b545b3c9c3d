//! Participants of a room.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::message::SenderType;
use super::strict::{FromBody, Issues, ObjectReader};
use crate::ParticipantId;

/// What a participant may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Takes part.
    Member,
    /// Adds and removes others.
    Admin,
    /// Has created the room, or was made its owner.
    Owner,
}

impl Role {
    /// The wire's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Admin => "admin",
            Self::Owner => "owner",
        }
    }

    /// From the wire's word.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Member, Self::Admin, Self::Owner].into_iter().find(|role| role.as_str() == text)
    }
}

/// The state of a membership: bookkeeping, not presence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberStatus {
    /// People.
    Active,
    /// Agents start with this one and receive messages all the same.
    Inactive,
    /// Denied the room.
    Blocked,
}

impl MemberStatus {
    /// The wire's word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Inactive => "inactive",
            Self::Blocked => "blocked",
        }
    }

    /// From the wire's word.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Active, Self::Inactive, Self::Blocked].into_iter().find(|status| status.as_str() == text)
    }
}

/// A participant of a room, in the agent's and the person's view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Participant {
    /// A user or an agent.
    pub id: ParticipantId,
    /// Which of the two.
    #[serde(rename = "type")]
    pub kind: SenderType,
    /// What it may do.
    pub role: Role,
    /// The state of its membership.
    pub status: MemberStatus,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Omitted where it can't be resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Presence, in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub online: Option<bool>,
    /// What an agent does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Of agents: whether its loop runs outside the platform.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_external: Option<bool>,
    /// In people's lists: `connected`, `disconnected`, or null for people. The outer option says whether the
    /// key is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_status: Option<Option<String>>,
}

/// Body of `POST …/participants`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddParticipant {
    /// A user or an agent.
    pub participant_id: ParticipantId,
    /// Member when absent.
    pub role: Role,
}

impl FromBody for AddParticipant {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::wrapped(body, "participant")?;
        let id = fields.string("participant_id");
        let id = fields.parse_id("participant_id", id);
        let role = fields.opt_string("role");
        let role = fields.parse("role", role, Role::parse);
        fields.finish()?;
        let participant_id = id.ok_or_else(Issues::new)?;
        Ok(Self { participant_id, role: role.unwrap_or(Role::Member) })
    }
}
