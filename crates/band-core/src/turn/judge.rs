//! What becomes of the message when its turn is over.

use std::time::Duration;

use super::{Ledger, Verdict};

/// Room-visible text of a turn that ended in silence.
pub const MISSING_REPLY: &str =
    "The agent ended its turn without replying or calling band_no_reply, so nothing reached the room.";
/// What the failed mark of a silent turn says.
pub const SILENT: &str = "turn ended without a reply";
/// Room-visible text of a turn that failed. The cause goes to the mark and to the logs only.
pub const INTERNAL_FAILURE: &str = "Internal error while processing message; see agent logs.";
/// Room-visible text of a message that is not started any more, since its process ended each time.
pub const GIVEN_UP: &str =
    "The agent gave this message up: it ended unexpectedly each time while it was working on it.";
/// What a failed mark says when the cause has no text.
pub const UNKNOWN_ERROR: &str = "Unknown error";

/// How a turn came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The adapter returned.
    Returned,
    /// The adapter gave an error, or panicked: what it said.
    Failed(String),
    /// The adapter did not take the message: nothing happened.
    NotAccepted,
    /// A post was refused because the platform has stopped the agent in this room.
    Stopped,
    /// The turn ended, or was ended, because it had been asked to.
    Cancelled,
    /// The message was a word to work under way, or dropped before it came to a turn: it is done with.
    Consumed,
}

/// Why a turn was asked to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cancel {
    /// It took longer than `max_cycle_seconds`, which is this long.
    TooLong(Duration),
    /// The working report was answered "not working": the room was stopped and nobody told us.
    ObservedStop,
    /// A person interrupted it.
    Interrupt,
    /// A person stopped the agent in this room.
    Stop,
    /// The agent stops, or leaves the room.
    Shutdown,
}

/// What is known besides the ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Circumstances {
    /// What the turn did.
    pub ledger: Ledger,
    /// Why it was asked to end, if it was.
    pub cancel: Option<Cancel>,
    /// Whether silence counts as a failure. Bridges do not want that.
    pub judged: bool,
    /// Whether no further attempt follows.
    pub last_attempt: bool,
    /// Whether the room may be told of failures.
    pub report: bool,
}

/// What becomes of the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// Done: mark it processed.
    Processed,
    /// Mark it failed with this text, and tell the room if a notice is given.
    Failed {
        /// For the mark.
        error: String,
        /// For the room.
        notice: Option<&'static str>,
    },
    /// Not settled: give the attempt back and let the platform serve it again.
    Later,
    /// Not settled: give the attempt back and wait for PLAY.
    Paused,
    /// Not settled and not marked: the next start handles it again.
    Left,
}

/// What a turn counts as: recorded once, where it is ruled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It replied, declined or acted.
    Processed,
    /// It failed, ended in silence, or took too long.
    Failed,
    /// It was asked to end, by a person or by the stop of the agent.
    Cancelled,
    /// The message was not taken, or could not be answered: the platform serves it again.
    Deferred,
}

impl Outcome {
    /// Of a turn that was ruled like this; `cancel` is why it was asked to end.
    pub const fn of(ruling: &Ruling, cancel: Option<Cancel>, complete: bool) -> Self {
        match (ruling, cancel) {
            (Ruling::Processed, Some(Cancel::Interrupt)) if !complete => Self::Cancelled,
            (Ruling::Processed, _) => Self::Processed,
            (Ruling::Failed { .. }, _) => Self::Failed,
            (Ruling::Later, _) => Self::Deferred,
            (Ruling::Paused | Ruling::Left, _) => Self::Cancelled,
        }
    }
}

/// Rules on a turn.
///
/// | asked to end | ending | ruling |
/// |---|---|---|
/// | any or none | returned, and complete; consumed | processed |
/// | none | returned in silence, judged | failed, the room is told of the missing reply |
/// | none | returned in silence, not judged | processed |
/// | none | failed | failed; on the last attempt the room is told, unless the adapter did |
/// | none | not accepted; stopped | later |
/// | none | cancelled by the adapter itself | failed |
/// | too long | anything else | failed, as above |
/// | observed stop | anything else | later |
/// | interrupt | anything else | processed: consumed |
/// | stop | anything else | paused |
/// | shutdown | anything else | left |
pub fn judge(ending: Ending, facts: Circumstances) -> Ruling {
    let complete = facts.ledger.verdict() == Verdict::Complete;
    if ending == Ending::Consumed || (ending == Ending::Returned && complete) {
        return Ruling::Processed;
    }
    match facts.cancel {
        Some(Cancel::Interrupt) => Ruling::Processed,
        Some(Cancel::Stop) => Ruling::Paused,
        Some(Cancel::ObservedStop) => Ruling::Later,
        Some(Cancel::Shutdown) => Ruling::Left,
        Some(Cancel::TooLong(most)) => {
            failed(format!("cycle exceeded max_cycle_seconds={:?}", most.as_secs_f64()), facts)
        }
        None => match ending {
            Ending::Returned if facts.judged => silent(facts),
            Ending::Returned | Ending::Consumed => Ruling::Processed,
            Ending::Failed(error) => failed(error, facts),
            Ending::NotAccepted | Ending::Stopped => Ruling::Later,
            Ending::Cancelled => failed("the adapter cancelled its own turn".to_owned(), facts),
        },
    }
}

fn silent(facts: Circumstances) -> Ruling {
    Ruling::Failed { error: SILENT.to_owned(), notice: facts.report.then_some(MISSING_REPLY) }
}

fn failed(error: String, facts: Circumstances) -> Ruling {
    let error = if error.trim().is_empty() { UNKNOWN_ERROR.to_owned() } else { error };
    let tell = facts.report && facts.last_attempt && !facts.ledger.reported();
    Ruling::Failed { error, notice: tell.then_some(INTERNAL_FAILURE) }
}

#[cfg(test)]
mod tests {
    use super::super::Effect;
    use super::*;

    fn facts(cancel: Option<Cancel>) -> Circumstances {
        Circumstances { ledger: Ledger::new(), cancel, judged: true, last_attempt: true, report: true }
    }

    fn said(error: &str, notice: Option<&'static str>) -> Ruling {
        Ruling::Failed { error: error.to_owned(), notice }
    }

    #[test]
    fn every_ending_has_its_ruling() {
        let boom = || Ending::Failed("boom".to_owned());
        let table = [
            (Ending::Returned, None, said(SILENT, Some(MISSING_REPLY))),
            (boom(), None, said("boom", Some(INTERNAL_FAILURE))),
            (Ending::Failed("  ".to_owned()), None, said(UNKNOWN_ERROR, Some(INTERNAL_FAILURE))),
            (Ending::NotAccepted, None, Ruling::Later),
            (Ending::Stopped, None, Ruling::Later),
            (Ending::Cancelled, Some(Cancel::Interrupt), Ruling::Processed),
            (boom(), Some(Cancel::Interrupt), Ruling::Processed),
            (Ending::Cancelled, Some(Cancel::Stop), Ruling::Paused),
            (Ending::Returned, Some(Cancel::Stop), Ruling::Paused),
            (Ending::Cancelled, Some(Cancel::ObservedStop), Ruling::Later),
            (Ending::Cancelled, Some(Cancel::Shutdown), Ruling::Left),
            (boom(), Some(Cancel::Shutdown), Ruling::Left),
            (
                Ending::Cancelled,
                Some(Cancel::TooLong(Duration::from_secs(600))),
                said("cycle exceeded max_cycle_seconds=600.0", Some(INTERNAL_FAILURE)),
            ),
        ];
        for (ending, cancel, ruling) in table {
            assert_eq!(judge(ending.clone(), facts(cancel)), ruling, "{ending:?} {cancel:?}");
        }
    }

    #[test]
    fn a_turn_that_finished_its_work_counts_whatever_it_was_asked() {
        let mut done = Ledger::new();
        done.record(Effect::Reply);
        let too_long = Cancel::TooLong(Duration::from_secs(1));
        let cancels = [too_long, Cancel::ObservedStop, Cancel::Interrupt, Cancel::Stop, Cancel::Shutdown];
        for cancel in cancels.map(Some).into_iter().chain([None]) {
            let facts = Circumstances { ledger: done, ..facts(cancel) };
            assert_eq!(judge(Ending::Returned, facts), Ruling::Processed);
        }
    }

    #[test]
    fn silence_is_fine_where_turns_are_not_judged() {
        let facts = Circumstances { judged: false, ..facts(None) };
        assert_eq!(judge(Ending::Returned, facts), Ruling::Processed);
    }

    #[test]
    fn the_room_hears_of_a_failure_once_and_only_at_the_last_attempt() {
        let boom = || Ending::Failed("boom".to_owned());
        let early = Circumstances { last_attempt: false, ..facts(None) };
        assert_eq!(judge(boom(), early), said("boom", None));
        let mut told = Ledger::new();
        told.note_reported();
        assert_eq!(judge(boom(), Circumstances { ledger: told, ..facts(None) }), said("boom", None));
        assert_eq!(judge(boom(), Circumstances { report: false, ..facts(None) }), said("boom", None));
        let quiet = Circumstances { report: false, ..facts(None) };
        assert_eq!(judge(Ending::Returned, quiet), said(SILENT, None));
    }
}
