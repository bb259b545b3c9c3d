//! Mentions: as a sender writes them, and as they are stored.

use serde::{Deserialize, Serialize};

use super::lenient;
use super::strict::ObjectReader;
use crate::ParticipantId;
use crate::word::{Open, words};

words! {
    /// Whether a mention routes.
    pub enum MentionKind {
        /// Routes and delivers.
        Mention = "mention",
        /// Names someone in prose.
        Reference = "reference",
    }
}

#[expect(clippy::derivable_impls, reason = "the macro writes the enum")]
impl Default for MentionKind {
    fn default() -> Self {
        Self::Mention
    }
}

/// A mention as it is stored: `metadata.mentions[]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Sent")]
pub struct MentionRecord {
    /// A user or an agent.
    pub id: ParticipantId,
    /// Its name when the message was stored.
    pub name: Option<String>,
    /// Its handle when the message was stored.
    pub handle: Option<String>,
    /// `user` or `agent`, in lower case here.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub participant_type: Option<String>,
    /// Whether it routes. Absent on older rows, which do.
    pub kind: Open<MentionKind>,
    /// Null when avatars are off.
    pub avatar_url: Option<String>,
}

/// A mention as servers send it: the id alone is sure, older rows have `username` for the handle.
#[derive(Deserialize)]
struct Sent {
    id: ParticipantId,
    #[serde(default, deserialize_with = "lenient::misfit_is_default")]
    name: Option<String>,
    #[serde(default, deserialize_with = "lenient::misfit_is_default")]
    handle: Option<String>,
    #[serde(default, deserialize_with = "lenient::misfit_is_default")]
    username: Option<String>,
    #[serde(default, rename = "type", deserialize_with = "lenient::misfit_is_default")]
    participant_type: Option<String>,
    #[serde(default, deserialize_with = "lenient::misfit_is_default")]
    kind: Open<MentionKind>,
    #[serde(default, deserialize_with = "lenient::misfit_is_default")]
    avatar_url: Option<String>,
}

impl From<Sent> for MentionRecord {
    fn from(sent: Sent) -> Self {
        Self {
            id: sent.id,
            name: sent.name,
            handle: sent.handle.or(sent.username),
            participant_type: sent.participant_type,
            kind: sent.kind,
            avatar_url: sent.avatar_url,
        }
    }
}

/// A mention as a sender writes it. What is wrong with its meaning is the platform's to say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MentionInput {
    /// Wins over the handle. The platform takes UUIDs alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// With or without `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Decoration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `mention` when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

impl MentionInput {
    /// A mention that routes to this participant.
    pub fn of(id: ParticipantId) -> Self {
        Self { id: Some(id.to_string()), ..Self::default() }
    }

    /// A mention that routes to whoever of the room has this handle.
    pub fn of_handle(handle: impl Into<String>) -> Self {
        Self { handle: Some(handle.into()), ..Self::default() }
    }

    /// Id, handle and name may be null, as released clients send them; the kind may not.
    pub(super) fn read(entry: &mut ObjectReader) -> Self {
        let id = entry.nullable_string("id");
        let id: Option<ParticipantId> = entry.parse_id("id", id);
        Self {
            id: id.map(|id| id.to_string()),
            handle: entry.nullable_string("handle"),
            name: entry.nullable_string("name"),
            kind: entry.opt_string("kind"),
        }
    }
}
