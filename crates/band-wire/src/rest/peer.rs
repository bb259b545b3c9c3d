//! Peers: whom the caller may bring into a room.

use serde::{Deserialize, Serialize};

use super::message::SenderType;
use crate::ParticipantId;
use crate::word::{Open, words};

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
    pub kind: Open<SenderType>,
    /// How the caller comes to know it.
    pub source: Open<PeerSource>,
    /// Whether it is a contact.
    pub is_contact: bool,
    /// Presence. Absent on servers that predate it.
    #[serde(default)]
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

words! {
    /// How a caller comes to know a peer.
    pub enum PeerSource {
        /// Same owner, global, or open to the organization.
        Registry = "registry",
        /// Through an approved request.
        Contact = "contact",
    }
}
