//! What could not be cleaned up.

use std::fmt;

use band_wire::ChatId;

use super::Running;
use crate::error::Error;

/// Something could not be cleaned up. The agent keeps its lock; stopping it again tries what failed.
pub struct CleanupIncomplete {
    /// The agent, to stop again.
    pub running: Running,
    /// What failed.
    pub failures: Vec<CleanupFailure>,
}

/// One thing that could not be cleaned up.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CleanupFailure {
    /// Which part of the cleanup it belongs to.
    pub phase: CleanupPhase,
    /// The room that could not be cleaned up; none for the agent as a whole.
    pub room: Option<ChatId>,
    /// What was said.
    pub error: String,
}

/// A part of the cleanup. Each waits for none of the others but the callbacks, which come when all else is
/// done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CleanupPhase {
    /// Rooms and connection.
    Runtime,
    /// The adapter.
    Adapter,
    /// What was registered with [`Cleanups`](super::Cleanups).
    Callbacks,
}

impl CleanupFailure {
    pub(super) const fn new(phase: CleanupPhase, error: String) -> Self {
        Self { phase, room: None, error }
    }

    pub(super) const fn of_room(room: ChatId, error: String) -> Self {
        Self { phase: CleanupPhase::Runtime, room: Some(room), error }
    }
}

impl fmt::Display for CleanupFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.room {
            Some(room) => write!(f, "room {room}: {}", self.error),
            None => f.write_str(&self.error),
        }
    }
}

/// All failures in one text, by phase.
pub(super) fn told(failures: &[CleanupFailure]) -> String {
    let mut text = "Agent cleanup remains incomplete".to_owned();
    let mut phase = None;
    for failure in failures {
        let heading = match failure.phase {
            CleanupPhase::Runtime => "Execution cleanup remains incomplete",
            CleanupPhase::Adapter | CleanupPhase::Callbacks => {
                "Adapter cleanup failed; retry stop() or shutdown() on the same host"
            }
        };
        let glue = if phase.is_none() { ": " } else { "; " };
        text.push_str(glue);
        if phase.replace(heading) != Some(heading) {
            text.push_str(heading);
            text.push_str(": ");
        }
        text.push_str(&failure.to_string());
    }
    text
}

impl fmt::Display for CleanupIncomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&told(&self.failures))
    }
}

impl std::error::Error for CleanupIncomplete {}

impl From<CleanupIncomplete> for Error {
    fn from(incomplete: CleanupIncomplete) -> Self {
        Self::Cleanup(incomplete.to_string())
    }
}

impl fmt::Debug for CleanupIncomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CleanupIncomplete").field("failures", &self.failures).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use band_wire::Id;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn failures_are_told_by_phase() {
        let room = Id::new(Uuid::nil());
        let failures = [
            CleanupFailure::of_room(room, "a".to_owned()),
            CleanupFailure::of_room(room, "b".to_owned()),
            CleanupFailure::new(CleanupPhase::Adapter, "c".to_owned()),
            CleanupFailure::new(CleanupPhase::Callbacks, "d".to_owned()),
        ];
        assert_eq!(
            told(&failures),
            format!(
                "Agent cleanup remains incomplete: Execution cleanup remains incomplete: room {room}: a; room {room}: \
                 b; Adapter cleanup failed; retry stop() or shutdown() on the same host: c; d"
            )
        );
    }
}
