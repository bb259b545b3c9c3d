//! One message at its turn: start, end, and what becomes of it.

use band_wire::MessageId;
use band_wire::rest::Message;

use super::config::CANCEL_GRACE;
use super::io::{Call, Note, Output, TurnEnd, TurnId};
use super::owed::Debt;
use super::record::Record;
use super::work::{Stage, Step, Work};
use super::{Room, Why};
use crate::trial::{self, Fault};
use crate::turn::{Cancel, Circumstances, GIVEN_UP, Outcome, Ruling, Verdict, judge};

/// A turn, or a message that is offered as a word to work under way.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) turn: TurnId,
    pub(super) cancel: Option<Cancel>,
    /// The adapter knows that the platform has stopped it in this room.
    pub(super) told: bool,
    /// Not a turn: the adapter is only asked whether it takes the message as a word to work under way.
    pub(super) offer: bool,
}

impl Running {
    pub(super) const fn new(turn: TurnId, offer: bool) -> Self {
        Self { turn, cancel: None, told: false, offer }
    }
}

impl Room {
    pub(super) fn start_when_ready(&mut self) {
        let Some(work) = self.work.take() else { return };
        let Work {
            id,
            synthetic,
            stage:
                Stage::Preparing { message, claim: Step::Done, history: Step::Done, roster: Step::Done, served },
        } = work
        else {
            self.work = Some(work);
            return;
        };
        if synthetic.is_none() {
            self.memory.charge(id);
            self.record(Record::Began(id));
        }
        let turn = self.next_turn();
        if synthetic.is_none() {
            self.start_working();
        }
        self.out.push_back(Output::StartTurn { turn, message, bootstrap: !self.bootstrapped, served });
        self.schedule.hurry(self.now, false);
        self.timers.set(Why::Resync, self.schedule.due());
        self.pass.found();
        self.work = Some(Work { id, synthetic, stage: Stage::Running(Running::new(turn, false)) });
    }

    /// The number of a turn that starts now and may take so long.
    pub(super) fn next_turn(&mut self) -> TurnId {
        self.ids += 1;
        if let Some(most) = self.config.max_cycle {
            self.timers.set(Why::MaxCycle, self.now + most);
        }
        TurnId(self.ids)
    }

    /// The turn that runs, if one does.
    pub(super) fn running(&mut self) -> Option<&mut Running> {
        match &mut self.work {
            Some(Work { stage: Stage::Running(running), .. }) => Some(running),
            _ => None,
        }
    }

    /// Takes the turn that runs out of the work, if it is this one.
    pub(super) fn take_running(
        &mut self,
        ended: TurnId,
    ) -> Option<(MessageId, Option<Box<Message>>, Running)> {
        let is_it = |work: &mut Work| matches!(&work.stage, Stage::Running(running) if running.turn == ended);
        let Work { id, synthetic, stage: Stage::Running(running) } = self.work.take_if(is_it)? else {
            return None;
        };
        self.timers.clear(Why::MaxCycle);
        self.timers.clear(Why::CancelGrace);
        Some((id, synthetic, running))
    }

    /// Asks the running turn to end. Said again, the weightier cause counts; the grace is not renewed.
    pub(super) fn cancel(&mut self, cause: Cancel) {
        let grace_over = self.now + CANCEL_GRACE;
        let Some(running) = self.running() else { return };
        let (turn, is_first) = (running.turn, running.cancel.is_none());
        running.cancel = running.cancel.max(Some(cause));
        if is_first {
            self.out.push_back(Output::CancelTurn(turn));
            self.timers.set(Why::CancelGrace, grace_over);
        }
    }

    pub(super) fn cycle_too_long(&mut self) {
        if let Some(most) = self.config.max_cycle {
            self.cancel(Cancel::TooLong(most));
        }
    }

    pub(super) fn abort_turn(&mut self) {
        if let Some(turn) = self.running().map(|running| running.turn) {
            self.out.push_back(Output::AbortTurn(turn));
        }
    }

    pub(super) fn turn_ended(&mut self, ended: TurnId, end: TurnEnd) {
        let Some((id, synthetic, Running { cancel, offer, .. })) = self.take_running(ended) else {
            return self.detached_ended(ended, &end);
        };
        if offer {
            return self.offer_ended(id, end.ending, cancel);
        }
        self.stop_working();
        self.bootstrapped |= end.was_taken();
        let last_attempt = self.memory.attempts(id) >= self.config.attempts;
        let facts = Circumstances {
            ledger: end.ledger,
            cancel,
            judged: self.config.judged && synthetic.is_none(),
            last_attempt,
            report: self.config.report,
        };
        let complete = facts.ledger.verdict() == Verdict::Complete;
        let ruling = judge(end.ending, facts);
        self.outcome = Some(Outcome::of(&ruling, cancel, complete));
        match synthetic {
            Some(message) => self.synthetic_ruled(message, &ruling),
            None => self.apply(id, ruling, last_attempt),
        }
    }

    pub(super) fn apply(&mut self, id: MessageId, ruling: Ruling, last_attempt: bool) {
        match ruling {
            Ruling::Processed => {
                self.pass.calm();
                self.owe(Debt { message: id, failure: None, reclaim: false });
            }
            Ruling::Failed { error, notice } => {
                self.pass.calm();
                self.owe(Debt { message: id, failure: Some(error), reclaim: false });
                if let Some(text) = notice {
                    self.tell_failure(id, text);
                }
                if last_attempt {
                    self.note(Note::GaveUp(id));
                } else {
                    self.pass.want();
                }
            }
            Ruling::Later => {
                self.excuse(id);
                self.rest(Some(id));
            }
            Ruling::Paused => {
                self.excuse(id);
                self.pass.doubt();
                self.pass.want();
            }
            Ruling::Left => {
                self.excuse(id);
                self.was_cancelled();
            }
        }
    }

    /// The turn's end was not the message's fault.
    fn excuse(&mut self, id: MessageId) {
        if !trial::has(Fault::StopCharged) {
            self.memory.uncharge(id);
        }
        self.record(Record::Excused(id));
    }

    /// Too many turns of this message have ended with their process: there is no further one.
    pub(super) fn give_up(&mut self, id: MessageId) {
        let failure = format!("{} turns ended without a verdict", self.memory.started(id));
        self.memory.give_up(id);
        self.record(Record::GaveUp(id));
        self.owe(Debt { message: id, failure: Some(failure), reclaim: true });
        self.note(Note::GaveUp(id));
        if self.config.report {
            self.tell_failure(id, GIVEN_UP);
        }
    }

    pub(super) fn tell_failure(&mut self, id: MessageId, text: &'static str) {
        let call = self.call(Call::Notice(id, text));
        self.notices.insert(call);
    }
}
