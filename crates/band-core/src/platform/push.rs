//! What sockets are told.

use std::sync::Arc;

use band_wire::AgentId;
use band_wire::phx::Topic;

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

/// Who of a topic's subscribers gets an event. Membership is checked on top, at the time of the push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Audience {
    /// All of them.
    Everyone,
    /// People alone.
    Users,
    /// People, and these agents.
    UsersAnd(Vec<AgentId>),
}
