//! Turns that go on beside the room: it takes up the next message while they wait for somebody, say.

use std::collections::BTreeMap;

use band_wire::MessageId;

use super::config::{CANCEL_GRACE, DETACHED_MAX};
use super::io::{Note, Output, TurnEnd, TurnId};
use super::{Room, Why};
use crate::turn::{Ending, INTERNAL_FAILURE, MISSING_REPLY, Outcome, Ruling, Verdict};

/// The turns beside the room.
#[derive(Debug, Default)]
pub(super) struct Detached {
    turns: BTreeMap<TurnId, Turn>,
}

#[derive(Debug)]
struct Turn {
    message: MessageId,
    judged: bool,
    cancelled: bool,
}

impl Detached {
    pub(super) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }
}

impl Room {
    /// The running turn lets the room go on. Its message is done with; the work is judged at its end.
    pub(super) fn detach(&mut self, turn: TurnId, delivered: bool) {
        let may = self.running().is_some_and(|running| running.turn == turn && !running.offer);
        if !may {
            return;
        }
        if self.detached.turns.len() >= DETACHED_MAX {
            return self.note(Note::TooManyDetached);
        }
        let Some((message, synthetic, running)) = self.take_running(turn) else { return };
        self.stop_working();
        self.outcome = Some(Outcome::Processed);
        self.bootstrapped |= delivered;
        let judged = self.config.judged && synthetic.is_none();
        let cancelled = running.cancel.is_some();
        if cancelled {
            self.timers.set(Why::DetachedGrace, self.now + CANCEL_GRACE);
        }
        self.detached.turns.insert(turn, Turn { message, judged, cancelled });
        match synthetic {
            Some(message) => self.synthetic_ruled(message, &Ruling::Processed),
            None => self.apply(message, Ruling::Processed, false),
        }
    }

    /// The work is over. The message keeps its mark; the room is told if nothing came of it.
    pub(super) fn detached_ended(&mut self, ended: TurnId, end: &TurnEnd) {
        let Some(turn) = self.detached.turns.remove(&ended) else { return };
        let is_complete = end.ledger.verdict() == Verdict::Complete;
        if turn.cancelled && !is_complete {
            self.was_cancelled();
        }
        if !turn.judged || is_complete || end.ending == Ending::Stopped || !self.config.report {
            return;
        }
        let text = if matches!(end.ending, Ending::Failed(_)) { INTERNAL_FAILURE } else { MISSING_REPLY };
        self.tell_failure(turn.message, text);
    }

    /// The room closes, and those beside it have had their time.
    pub(super) fn cancel_detached(&mut self) {
        for (turn, beside) in &mut self.detached.turns {
            if !std::mem::replace(&mut beside.cancelled, true) {
                self.out.push_back(Output::CancelTurn(*turn));
                self.timers.set(Why::DetachedGrace, self.now + CANCEL_GRACE);
            }
        }
    }

    pub(super) fn abort_detached(&mut self) {
        let cancelled = self.detached.turns.iter().filter(|(_, beside)| beside.cancelled);
        self.out.extend(cancelled.map(|(turn, _)| Output::AbortTurn(*turn)));
    }
}
