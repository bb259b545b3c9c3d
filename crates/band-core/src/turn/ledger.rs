//! What happened in a turn, and whether that settles it.

use super::Effect;

/// Whether a turn may end as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Something settled the turn.
    Complete,
    /// Nobody got an answer and nothing else came of the turn.
    MissingReply,
}

/// The record of one turn.
///
/// | recorded | [`verdict`](Ledger::verdict) | [`replied`](Ledger::replied) |
/// |---|---|---|
/// | nothing, or only observations | missing reply | no |
/// | any act | complete | no |
/// | any reply or decline, with anything else | complete | yes |
/// | settled by the adapter itself | complete | unchanged |
/// | a failure that was reported to the room | complete | unchanged |
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ledger {
    acted: bool,
    replied: bool,
    settled: bool,
    reported: bool,
}

impl Ledger {
    /// Nothing happened yet.
    pub const fn new() -> Self {
        Self { acted: false, replied: false, settled: false, reported: false }
    }

    /// Records a successful act. What failed is not recorded.
    pub const fn record(&mut self, effect: Effect) {
        match effect {
            Effect::Observe => {}
            Effect::Act => self.acted = true,
            Effect::Reply | Effect::Decline => self.replied = true,
        }
    }

    /// The adapter ended the turn itself.
    pub const fn settle(&mut self) {
        self.settled = true;
    }

    /// A failure of this turn reached the room.
    pub const fn note_reported(&mut self) {
        self.reported = true;
    }

    /// Whether the turn has replied, or declined to.
    pub const fn replied(self) -> bool {
        self.replied
    }

    /// Whether a failure of this turn reached the room.
    pub const fn reported(self) -> bool {
        self.reported
    }

    /// Whether the turn may end as it is.
    pub const fn verdict(self) -> Verdict {
        if self.acted || self.replied || self.settled || self.reported {
            Verdict::Complete
        } else {
            Verdict::MissingReply
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_follows_from_what_was_recorded() {
        use Effect::{Act, Decline, Observe, Reply};
        let table: [(&[Effect], Verdict, bool); 7] = [
            (&[], Verdict::MissingReply, false),
            (&[Observe, Observe], Verdict::MissingReply, false),
            (&[Act], Verdict::Complete, false),
            (&[Observe, Act], Verdict::Complete, false),
            (&[Reply], Verdict::Complete, true),
            (&[Decline], Verdict::Complete, true),
            (&[Act, Reply, Observe], Verdict::Complete, true),
        ];
        for (effects, verdict, replied) in table {
            let mut ledger = Ledger::new();
            for effect in effects {
                ledger.record(*effect);
            }
            assert_eq!((ledger.verdict(), ledger.replied()), (verdict, replied), "{effects:?}");
        }
    }

    #[test]
    fn settling_or_reporting_completes_a_turn_without_a_reply() {
        for act in [Ledger::settle, Ledger::note_reported] {
            let mut ledger = Ledger::new();
            act(&mut ledger);
            assert_eq!((ledger.verdict(), ledger.replied()), (Verdict::Complete, false));
        }
    }
}
