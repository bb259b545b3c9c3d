//! Peers: whom the caller may bring into a room.

use serde::{Deserialize, Serialize};

use super::message::SenderType;
use crate::ParticipantId;

/// An entry of `GET /agent/peers` and `GET /me/peers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    /// A user or an agent.
    pub id: ParticipantId,
    /// Its name.
    pub name: String,
    /// Without `@`.
    pub handle: String,
    /// Which of the two.
    #[serde(rename = "type")]
    pub kind: SenderType,
    /// How the caller comes to know it.
    pub source: PeerSource,
    /// Whether it is a contact.
    pub is_contact: bool,
    /// Presence.
    pub online: bool,
    /// What an agent does.
    pub description: Option<String>,
    /// Of agents: whether its loop runs outside the platform.
    pub is_external: Option<bool>,
    /// Whether the public directory lists it.
    pub listed_in_directory: Option<bool>,
    /// Free labels.
    pub tags: Option<Vec<String>>,
}

/// How a caller comes to know a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PeerSource {
    /// Same owner, global, or open to the organization.
    Registry,
    /// Through an approved request.
    Contact,
}
