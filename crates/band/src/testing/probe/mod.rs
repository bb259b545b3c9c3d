//! What became of a turn, and what every adapter has to get right.

mod matrix;

use std::fmt;
use std::sync::Arc;

use band_core::turn::Verdict;

pub use matrix::{Cue, Doing, ProbeReport, ProbeSubject};

use crate::turn::{AgentInput, TurnShared};

/// Looks at a turn after the adapter had it: what the runtime would judge it by.
///
/// ```
/// use band::testing::{FakeTools, TurnProbe};
///
/// let room = FakeTools::new();
/// let turn = room.turn("hello");
/// let probe = TurnProbe::on(&turn);
/// turn.no_reply(Some("nothing to say"));
/// assert!(probe.is_complete() && probe.replied());
/// ```
#[derive(Clone)]
pub struct TurnProbe(Arc<TurnShared>);

impl TurnProbe {
    /// Takes a look that outlives the turn.
    pub fn on(turn: &AgentInput) -> Self {
        Self(Arc::clone(&turn.tools.shared))
    }

    /// Whether it replied, or declined to.
    pub fn replied(&self) -> bool {
        self.0.ledger().replied()
    }

    /// Whether it told the room of a failure of its own.
    pub fn reported(&self) -> bool {
        self.0.ledger().reported()
    }

    /// Whether it may end as it is: if not, it is a missing reply.
    pub fn is_complete(&self) -> bool {
        self.0.ledger().verdict() == Verdict::Complete
    }

    /// Whether what it was to bring counts as delivered; if not, the next turn brings it again.
    pub fn was_delivered(&self) -> bool {
        self.0.was_delivered()
    }
}

impl fmt::Debug for TurnProbe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TurnProbe")
            .field("is_complete", &self.is_complete())
            .field("replied", &self.replied())
            .finish_non_exhaustive()
    }
}
