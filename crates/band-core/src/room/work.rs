//! One message: from its claim to the ruling on its turn.

use band_wire::MessageId;
use band_wire::rest::{DeliveryStatus, Message};

use super::config::{CANCEL_GRACE, CLAIM_PATIENCE, HISTORY_PATIENCE};
use super::io::{Call, CallId, Mark, Note, Output, Trouble, TurnEnd, TurnId};
use super::owed::Debt;
use super::record::Record;
use super::{Room, Why};
use crate::turn::{Cancel, Circumstances, GIVEN_UP, Outcome, Ruling, Verdict, judge};

/// Where a message came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Pushed,
    Served,
    /// From the agent itself; see [`super::hub`].
    Synthetic,
}

/// One thing to have before a turn starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Todo,
    Asked(CallId),
    Done,
}

#[derive(Debug)]
enum Stage {
    Preparing { message: Box<Message>, claim: Step, history: Step, roster: Step },
    Running { turn: TurnId, cancel: Option<Cancel> },
}

/// The message at work.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) id: MessageId,
    /// A synthetic message, to be put back if its turn does not come about.
    synthetic: Option<Box<Message>>,
    stage: Stage,
}

impl Work {
    pub(super) const fn is_running(&self) -> bool {
        matches!(self.stage, Stage::Running { .. })
    }

    fn is_claimed(&self) -> bool {
        matches!(self.stage, Stage::Preparing { claim: Step::Done, .. })
    }
}

impl Room {
    /// Claims a message and fetches what its turn needs. False when no turn is made of it.
    pub(super) fn begin(&mut self, message: Box<Message>, origin: Origin) -> bool {
        let id = message.id;
        self.queue.forget(id);
        if self.config.deliveries > 0 && self.memory.started(id) >= self.config.deliveries {
            self.give_up(id);
            return false;
        }
        let needs_history = self.config.history && !self.bootstrapped;
        let roster = if self.roster_known { Step::Done } else { Step::Asked(self.call(Call::Participants)) };
        let history = if needs_history { Step::Asked(self.call(Call::History(id))) } else { Step::Done };
        let claim = match (origin, history) {
            (Origin::Synthetic, _) => Step::Done,
            (Origin::Pushed, Step::Asked(_)) => Step::Todo,
            _ => Step::Asked(self.call(Call::Claim(id))),
        };
        let synthetic = (origin == Origin::Synthetic).then(|| message.clone());
        self.work = Some(Work { id, synthetic, stage: Stage::Preparing { message, claim, history, roster } });
        self.start_when_ready();
        true
    }

    /// Too many turns of this message have ended with their process: there is no further one.
    fn give_up(&mut self, id: MessageId) {
        let failure = format!("{} turns ended without a verdict", self.memory.started(id));
        self.memory.give_up(id);
        self.record(Record::GaveUp(id));
        self.owe(Debt { message: id, failure: Some(failure), reclaim: true });
        self.note(Note::GaveUp(id));
        if self.config.report {
            self.tell_failure(id, GIVEN_UP);
        }
    }

    fn tell_failure(&mut self, id: MessageId, text: &'static str) {
        let call = self.call(Call::Notice(id, text));
        self.notices.insert(call);
    }

    /// A message turned out to be handled before its turn. A claim opens it again, so its attempt is ended.
    fn was_handled(&mut self, id: MessageId, claim: Step) {
        match claim {
            Step::Todo => {}
            Step::Asked(call) => {
                self.late_claims.insert(call, id);
            }
            Step::Done => self.owe(Debt { message: id, failure: None, reclaim: false }),
        }
    }

    fn late_claim_answered(&mut self, id: MessageId, mark: Mark) {
        match mark {
            Mark::Accepted => self.was_handled(id, Step::Done),
            // It may hold all the same.
            Mark::Lost => self.pass.want(),
            Mark::Stopped | Mark::Rejected | Mark::NotFound | Mark::Refused => {}
        }
    }

    pub(super) fn claim_answered(&mut self, call: CallId, mark: Mark) {
        if let Some(id) = self.late_claims.remove(&call) {
            return self.late_claim_answered(id, mark);
        }
        let Some(Work { id, stage: Stage::Preparing { claim, .. }, .. }) = &mut self.work else { return };
        if *claim != Step::Asked(call) {
            return;
        }
        let id = *id;
        match mark {
            Mark::Accepted => {
                *claim = Step::Done;
                self.start_when_ready();
            }
            // It is gone, or the agent is out of the room. It may come back, so it does not count as handled.
            Mark::NotFound => {
                self.pass.pass_over(id);
                self.work = None;
            }
            Mark::Rejected | Mark::Refused => {
                if self.memory.refused(id) >= CLAIM_PATIENCE {
                    self.pass.skip(id);
                }
                self.put_back();
            }
            Mark::Stopped | Mark::Lost => self.put_back(),
        }
    }

    pub(super) fn participants_answered(&mut self, call: CallId, known: bool) {
        self.roster_known |= known;
        if let Some(Work { stage: Stage::Preparing { roster, .. }, .. }) = &mut self.work
            && *roster == Step::Asked(call)
        {
            *roster = Step::Done;
            self.start_when_ready();
        }
    }

    pub(super) fn history_answered(&mut self, call: CallId, past: Result<Option<DeliveryStatus>, Trouble>) {
        let Some(Work { id, stage: Stage::Preparing { history, claim, .. }, .. }) = &mut self.work else {
            return;
        };
        if *history != Step::Asked(call) {
            return;
        }
        let id = *id;
        match past {
            Ok(Some(DeliveryStatus::Processed)) => {
                let claim = *claim;
                self.complete(id);
                self.work = None;
                return self.was_handled(id, claim);
            }
            Err(Trouble::Passing) if self.history_failures < HISTORY_PATIENCE => {
                self.history_failures += 1;
                return self.put_back();
            }
            Ok(_) | Err(_) => *history = Step::Done,
        }
        if *claim == Step::Todo {
            self.ids += 1;
            let asked = CallId(self.ids);
            *claim = Step::Asked(asked);
            self.out.push_back(Output::Call { id: asked, call: Call::Claim(id) });
        }
        self.history_failures = 0;
        self.start_when_ready();
    }

    /// Gives the message back to the platform, which serves it again. Nothing is charged.
    fn put_back(&mut self) {
        match self.work.take().and_then(|work| work.synthetic) {
            Some(message) => self.rest_synthetic(message),
            None => self.rest(),
        }
    }

    fn start_when_ready(&mut self) {
        let Some(work) = self.work.take() else { return };
        let Work {
            id,
            synthetic,
            stage: Stage::Preparing { message, claim: Step::Done, history: Step::Done, roster: Step::Done },
        } = work
        else {
            self.work = Some(work);
            return;
        };
        if synthetic.is_none() {
            self.memory.charge(id);
            self.record(Record::Began(id));
        }
        self.ids += 1;
        let turn = TurnId(self.ids);
        self.start_working();
        self.out.push_back(Output::StartTurn { turn, message, bootstrap: !self.bootstrapped });
        if let Some(most) = self.config.max_cycle {
            self.timers.set(Why::MaxCycle, self.now + most);
        }
        self.schedule.hurry(self.now, false);
        self.timers.set(Why::Resync, self.schedule.due());
        self.pass.found();
        self.work = Some(Work { id, synthetic, stage: Stage::Running { turn, cancel: None } });
    }

    /// Asks the running turn to end. Said again, the weightier cause counts; the grace is not renewed.
    pub(super) fn cancel(&mut self, cause: Cancel) {
        if let Some(Work { stage: Stage::Running { turn, cancel }, .. }) = &mut self.work {
            if cancel.is_none() {
                self.out.push_back(Output::CancelTurn(*turn));
                self.timers.set(Why::CancelGrace, self.now + CANCEL_GRACE);
            }
            *cancel = (*cancel).max(Some(cause));
        }
    }

    pub(super) fn cycle_too_long(&mut self) {
        if let Some(most) = self.config.max_cycle {
            self.cancel(Cancel::TooLong(most));
        }
    }

    pub(super) fn abort_turn(&mut self) {
        if let Some(Work { stage: Stage::Running { turn, .. }, .. }) = &self.work {
            self.out.push_back(Output::AbortTurn(*turn));
        }
    }

    /// The message at work counts as handled, though its turn never started.
    pub(super) fn consume_prepared(&mut self) {
        if let Some(work) = self.work.take_if(|work| !work.is_running()) {
            let reclaim = !work.is_claimed();
            if work.synthetic.is_none() {
                self.owe(Debt { message: work.id, failure: None, reclaim });
            }
        }
    }

    /// The message at work is dropped before its turn started; the platform keeps it.
    pub(super) fn drop_prepared(&mut self) {
        if let Some(work) = self.work.take_if(|work| !work.is_running())
            && let Some(message) = work.synthetic
        {
            self.keep_synthetic(message);
        }
    }

    pub(super) fn turn_ended(&mut self, ended: TurnId, end: TurnEnd) {
        let is_it = |work: &mut Work| matches!(work.stage, Stage::Running { turn, .. } if turn == ended);
        let Some(Work { id, synthetic, stage: Stage::Running { cancel, .. } }) = self.work.take_if(is_it)
        else {
            return;
        };
        self.timers.clear(Why::MaxCycle);
        self.timers.clear(Why::CancelGrace);
        self.stop_working();
        let was_taken = end.delivered && end.ending != crate::turn::Ending::NotAccepted;
        self.bootstrapped |= was_taken;
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

    fn apply(&mut self, id: MessageId, ruling: Ruling, last_attempt: bool) {
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
                self.rest();
            }
            Ruling::Paused => {
                self.excuse(id);
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
        self.memory.uncharge(id);
        self.record(Record::Excused(id));
    }
}
