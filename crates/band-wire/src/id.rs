//! Typed ids: a room's id can't be passed where an agent's is wanted.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;

/// A UUID that knows what it names. `M` is one of the marker types of this module.
///
/// On the wire it is the hyphenated lower-case form; parsing also takes the other forms of RFC 9562.
///
/// ```
/// use band_wire::{AgentId, ChatId};
/// let agent: AgentId = "0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d".parse()?;
/// assert_eq!(agent.to_string(), "0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d");
/// assert!("not-an-id".parse::<ChatId>().is_err());
/// # Ok::<(), band_wire::id::ParseIdError>(())
/// ```
pub struct Id<M> {
    uuid: Uuid,
    marker: PhantomData<fn() -> M>,
}

/// The error of parsing an id: names what it should have named and the text that was given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} id must be a UUID, got {text:?}")]
pub struct ParseIdError {
    what: &'static str,
    text: String,
}

/// What a kind of id names. Implemented by the markers of this module.
pub trait Marker {
    /// The field's word for it, used in errors: `room`, `agent`, …
    const NAME: &'static str;
}

macro_rules! markers {
    ($($(#[$doc:meta])* $marker:ident, $alias:ident, $name:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $marker {}
        impl Marker for $marker { const NAME: &'static str = $name; }
        #[doc = concat!("The id of a ", $name, ".")]
        pub type $alias = Id<$marker>;
    )*};
}

markers! {
    /// Marks room ids. Called chat on the wire.
    Chat, ChatId, "room";
    /// Marks agent ids.
    Agent, AgentId, "agent";
    /// Marks the ids of people.
    User, UserId, "user";
    /// Marks message and event ids.
    Message, MessageId, "message";
    /// Marks ids that name a user or an agent.
    Participant, ParticipantId, "participant";
    /// Marks the ids of contact records; each side of a contact has its own.
    Contact, ContactId, "contact";
    /// Marks the ids of contact requests.
    ContactRequest, ContactRequestId, "contact request";
    /// Marks the ids of executions; there is one for each agent and room.
    Execution, ExecutionId, "execution";
    /// Marks the ids of memories.
    Memory, MemoryId, "memory";
    /// Marks the ids of files; a file belongs to one room.
    File, FileId, "file";
    /// Marks the ids of tasks; a task belongs to one room.
    Task, TaskId, "task";
    /// Marks the ids of bulk deletions.
    Deletion, DeletionId, "deletion";
    /// Marks request ids, one for each HTTP request the platform answers.
    Request, RequestId, "request";
}

impl<M> Id<M> {
    /// Wraps a UUID.
    pub const fn new(uuid: Uuid) -> Self {
        Self { uuid, marker: PhantomData }
    }

    /// The UUID inside.
    pub const fn uuid(self) -> Uuid {
        self.uuid
    }

    /// The same UUID under another marker. For the places where the wire names a user or an agent.
    pub const fn cast<N>(self) -> Id<N> {
        Id::new(self.uuid)
    }
}

impl From<AgentId> for ParticipantId {
    fn from(id: AgentId) -> Self {
        id.cast()
    }
}

impl From<UserId> for ParticipantId {
    fn from(id: UserId) -> Self {
        id.cast()
    }
}

impl<M: Marker> FromStr for Id<M> {
    type Err = ParseIdError;

    fn from_str(text: &str) -> Result<Self, ParseIdError> {
        match Uuid::try_parse(text) {
            Ok(uuid) => Ok(Self::new(uuid)),
            Err(_) => Err(ParseIdError { what: M::NAME, text: text.chars().take(80).collect() }),
        }
    }
}

impl<M> fmt::Display for Id<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.uuid.as_hyphenated(), f)
    }
}

impl<M> fmt::Debug for Id<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<M> Clone for Id<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Id<M> {}

impl<M> PartialEq for Id<M> {
    fn eq(&self, other: &Self) -> bool {
        self.uuid == other.uuid
    }
}

impl<M> Eq for Id<M> {}

impl<M> PartialOrd for Id<M> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<M> Ord for Id<M> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.uuid.cmp(&other.uuid)
    }
}

impl<M> Hash for Id<M> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.uuid.hash(state);
    }
}

impl<M> Serialize for Id<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.uuid.serialize(serializer)
    }
}

impl<'de, M: Marker> Deserialize<'de> for Id<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_survives_json() {
        let id = AgentId::new(Uuid::from_u128(7));
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!(json, "\"00000000-0000-0000-0000-000000000007\"");
        assert_eq!(serde_json::from_str::<AgentId>(&json).unwrap(), id);
    }

    #[test]
    fn a_bad_id_is_named_in_the_error() {
        let err = "room-1".parse::<ChatId>().unwrap_err();
        assert_eq!(err.to_string(), "room id must be a UUID, got \"room-1\"");
    }
}
