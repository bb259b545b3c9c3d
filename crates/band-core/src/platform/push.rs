//! What sockets are told.

use std::collections::BTreeSet;
use std::sync::Arc;

use band_wire::phx::Topic;
use band_wire::{AgentId, ParticipantId};

/// One event for the subscribers of one topic. Made with the writes that cause it, sent after their commit,
/// in commit order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Push {
    /// The topic.
    pub topic: Topic,
    /// Who of its subscribers gets it.
    pub audience: Audience,
    /// The event's name.
    pub event: &'static str,
    /// The payload, encoded once: a JSON object.
    pub payload: Arc<str>,
}

/// Who of a topic's subscribers gets an event. Membership is checked on top, at the time of the push,
/// but for [`Audience::These`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Audience {
    /// All of them.
    Everyone,
    /// People alone.
    Users,
    /// People, and these agents.
    UsersAnd(Vec<AgentId>),
    /// These alone. Their membership is not checked: the room may be gone.
    These(BTreeSet<ParticipantId>),
}
