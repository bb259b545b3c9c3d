//! Participants.

use serde::Serialize;

use crate::ParticipantId;
use crate::rest::{MemberStatus, Role, SenderType};

/// `participant_added`, `participant_removed`: a removal without a name is dropped by released clients, and
/// so is a null handle. There is never a mail address in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Participant {
    /// A user or an agent.
    pub id: ParticipantId,
    /// Which of the two.
    #[serde(rename = "type")]
    pub kind: SenderType,
    /// `Unknown` where there is none.
    pub name: String,
    /// Without `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// What an agent does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Of agents: whether its loop runs outside the platform. One fact under two names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_remote: Option<bool>,
    /// The same as `is_remote`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_external: Option<bool>,
    /// What it may do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The state of its membership.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<MemberStatus>,
}

impl Participant {
    /// A person. No name, or a blank one, becomes `Unknown`.
    pub fn user(id: ParticipantId, name: Option<&str>, handle: Option<String>) -> Self {
        let name = name.map(str::trim).filter(|name| !name.is_empty()).unwrap_or("Unknown");
        Self {
            id,
            kind: SenderType::User,
            name: name.to_owned(),
            handle,
            description: None,
            is_remote: None,
            is_external: None,
            role: None,
            status: None,
        }
    }

    /// An agent whose loop runs outside the platform.
    pub fn agent(
        id: ParticipantId,
        name: String,
        handle: Option<String>,
        description: Option<String>,
    ) -> Self {
        Self {
            kind: SenderType::Agent,
            name,
            description,
            is_remote: Some(true),
            is_external: Some(true),
            ..Self::user(id, None, handle)
        }
    }

    /// The same record with its membership.
    #[must_use]
    pub fn with_membership(mut self, role: Role, status: MemberStatus) -> Self {
        self.role = Some(role);
        self.status = Some(status);
        self
    }
}
