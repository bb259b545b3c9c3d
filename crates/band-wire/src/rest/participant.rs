//! Participants of a room.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::lenient;
use super::message::SenderType;
use super::strict::{FromBody, Issues, ObjectReader};
use crate::ParticipantId;
use crate::word::{Open, words};

words! {
    /// What a participant may do.
    pub enum Role {
        /// Takes part.
        Member = "member",
        /// Adds and removes others.
        Admin = "admin",
        /// Has created the room, or was made its owner.
        Owner = "owner",
    }
}

words! {
    /// The state of a membership: bookkeeping, not presence.
    pub enum MemberStatus {
        /// People.
        Active = "active",
        /// Agents start with this one and receive messages all the same.
        Inactive = "inactive",
        /// Denied the room.
        Blocked = "blocked",
    }
}

/// A participant of a room, in the agent's and the person's view.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Participant {
    /// A user or an agent.
    pub id: ParticipantId,
    /// Which of the two.
    #[serde(rename = "type")]
    pub kind: Open<SenderType>,
    /// What it may do.
    pub role: Open<Role>,
    /// The state of its membership.
    pub status: Open<MemberStatus>,
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
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "lenient::present")]
    pub connection_status: Option<Option<String>>,
}

/// Body of `POST …/participants`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct AddParticipant {
    /// A user or an agent.
    pub participant_id: ParticipantId,
    /// Member when absent.
    pub role: Role,
}

impl FromBody for AddParticipant {
    const WRAPPER: Option<&'static str> = Some("participant");

    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let id = fields.string("participant_id");
        let id = fields.parse_id("participant_id", id);
        let role = fields.opt_string("role");
        let role = fields.parse("role", role, Role::parse);
        fields.finish()?;
        let participant_id = id.ok_or_else(Issues::new)?;
        Ok(Self { participant_id, role: role.unwrap_or(Role::Member) })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ID: &str = "00000000-0000-0000-0000-000000000001";

    #[test]
    fn a_participant_is_added_as_member_unless_said_otherwise() {
        let add = AddParticipant::from_body(json!({"participant": {"participant_id": ID}})).unwrap();
        assert_eq!(add.role, Role::Member);
        let body = json!({"participant": {"participant_id": ID, "role": "admin"}});
        assert_eq!(AddParticipant::from_body(body).unwrap().role, Role::Admin);
    }

    #[test]
    fn what_is_wrong_is_told_field_by_field() {
        for (body, pointer, text) in [
            (json!({"participant": {}}), "/participant/participant_id", "Missing field: participant_id"),
            (
                json!({"participant": {"participant_id": "ann"}}),
                "/participant/participant_id",
                "Invalid format. Expected :uuid",
            ),
            (
                json!({"participant": {"participant_id": ID, "role": "boss"}}),
                "/participant/role",
                "Invalid value for enum",
            ),
            (
                json!({"participant": {"participant_id": ID, "role": null}}),
                "/participant/role",
                "null value where string expected",
            ),
        ] {
            let issues = AddParticipant::from_body(body).unwrap_err().into_map();
            assert_eq!(issues[pointer], [text]);
        }
    }

    #[test]
    fn words_of_a_newer_server_do_not_cost_the_list() {
        let body = json!({"id": ID, "type": "Robot", "role": "janitor", "status": "asleep", "handle": null,
            "connection_status": null, "shoe_size": 43});
        let participant: Participant = serde_json::from_value(body).unwrap();
        assert_eq!(participant.kind.as_str(), "Robot");
        assert_eq!(participant.role.known(), None);
        assert_eq!(participant.connection_status, Some(None), "null is not absent");
    }
}
