//! Messages that came in while the model was at work: those that it has seen are done with it.

/// A message that waits, as far as the drain cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Waiting<'a> {
    /// The message.
    pub id: &'a str,
    /// Who wrote it.
    pub sender_id: &'a str,
    /// `User` or `Agent`.
    pub sender_type: &'a str,
}

/// What to do with the message that is served next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrainStep {
    /// None is served: the drain is over.
    NoCandidate,
    /// The agent's own: it is not marked.
    SelfEcho,
    /// The model has seen it: it is done.
    Drain,
    /// The model has not seen it: it is left, and the drain is over.
    OutOfSnapshot,
}

/// Decides on the message that is served next. `seen` says whether it stood in the past that the model got.
pub fn drain_step(served: Option<Waiting<'_>>, seen: impl FnOnce(&str) -> bool, agent: &str) -> DrainStep {
    match served {
        None => DrainStep::NoCandidate,
        Some(it) if is_self_echo(it.sender_id, it.sender_type, agent) => DrainStep::SelfEcho,
        Some(it) if seen(it.id) => DrainStep::Drain,
        Some(_) => DrainStep::OutOfSnapshot,
    }
}

/// Whether the agent wrote a message itself. The type's case matters: people and agents may share an id space.
pub fn is_self_echo(sender_id: &str, sender_type: &str, agent: &str) -> bool {
    sender_type == "Agent" && sender_id == agent
}
