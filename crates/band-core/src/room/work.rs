//! One message: from its claim to the ruling on its turn.

use band_wire::MessageId;
use band_wire::rest::{DeliveryStatus, Message};

use super::config::{CANCEL_GRACE, CLAIM_PATIENCE, HISTORY_PATIENCE};
use super::io::{Call, CallId, Mark, Note, Output, Trouble, TurnEnd, TurnId};
use super::owed::Debt;
use super::{Room, Why};
use crate::turn::{Cancel, Circumstances, Outcome, Ruling, Verdict, judge};

/// Where a message came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Pushed,
    Served,
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
    /// Claims a message and fetches what its turn needs.
    pub(super) fn begin(&mut self, message: Box<Message>, origin: Origin) {
        let id = message.id;
        self.queue.forget(id);
        let needs_history = self.config.history && !self.bootstrapped;
        let roster = if self.roster_known { Step::Done } else { Step::Asked(self.call(Call::Participants)) };
        let history = if needs_history { Step::Asked(self.call(Call::History(id))) } else { Step::Done };
        let claim = match (origin, history) {
            (Origin::Pushed, Step::Asked(_)) => Step::Todo,
            _ => Step::Asked(self.call(Call::Claim(id))),
        };
        self.work = Some(Work { id, stage: Stage::Preparing { message, claim, history, roster } });
    }

    /// A message turned out to be handled before its turn. A claim opens it again, so its attempt is ended.
    fn was_handled(&mut self, id: MessageId, claim: Step) {
        match claim {
            Step::Todo => {}
            Step::Asked(call) => {
                self.late_claims.insert(call, id);
            }
            Step::Done => self.owed.add(Debt { message: id, failure: None, reclaim: false }),
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
        let Some(Work { id, stage: Stage::Preparing { claim, .. } }) = &mut self.work else { return };
        if *claim != Step::Asked(call) {
            return;
        }
        let id = *id;
        match mark {
            Mark::Accepted => {
                *claim = Step::Done;
                self.start_when_ready();
            }
            Mark::NotFound => {
                self.memory.complete(id);
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
        let Some(Work { id, stage: Stage::Preparing { history, claim, .. } }) = &mut self.work else {
            return;
        };
        if *history != Step::Asked(call) {
            return;
        }
        let id = *id;
        match past {
            Ok(Some(DeliveryStatus::Processed)) => {
                let claim = *claim;
                self.memory.complete(id);
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
        self.work = None;
        self.rest();
    }

    fn start_when_ready(&mut self) {
        let Some(work) = self.work.take() else { return };
        let (id, message) = match work {
            Work {
                id,
                stage:
                    Stage::Preparing { message, claim: Step::Done, history: Step::Done, roster: Step::Done },
            } => (id, message),
            other => {
                self.work = Some(other);
                return;
            }
        };
        self.memory.charge(id);
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
        self.work = Some(Work { id, stage: Stage::Running { turn, cancel: None } });
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
            self.owed.add(Debt { message: work.id, failure: None, reclaim });
        }
    }

    /// The message at work is dropped before its turn started; the platform keeps it.
    pub(super) fn drop_prepared(&mut self) {
        self.work.take_if(|work| !work.is_running());
    }

    pub(super) fn turn_ended(&mut self, ended: TurnId, end: TurnEnd) {
        let Some(work) = &self.work else { return };
        let (id, cancel) = match work {
            Work { id, stage: Stage::Running { turn, cancel } } if *turn == ended => (*id, *cancel),
            _ => return,
        };
        self.work = None;
        self.timers.clear(Why::MaxCycle);
        self.timers.clear(Why::CancelGrace);
        self.stop_working();
        let was_taken = end.delivered && end.ending != crate::turn::Ending::NotAccepted;
        self.bootstrapped |= was_taken;
        let last_attempt = self.memory.attempts(id) >= self.config.attempts;
        let facts = Circumstances {
            ledger: end.ledger,
            cancel,
            judged: self.config.judged,
            last_attempt,
            report: self.config.report,
        };
        let complete = facts.ledger.verdict() == Verdict::Complete;
        let ruling = judge(end.ending, facts);
        self.outcome = Some(Outcome::of(&ruling, cancel, complete));
        self.apply(id, ruling, last_attempt);
    }

    fn apply(&mut self, id: MessageId, ruling: Ruling, last_attempt: bool) {
        match ruling {
            Ruling::Processed => {
                self.pass.calm();
                self.owed.add(Debt { message: id, failure: None, reclaim: false });
            }
            Ruling::Failed { error, notice } => {
                self.pass.calm();
                self.owed.add(Debt { message: id, failure: Some(error), reclaim: false });
                if let Some(text) = notice {
                    let call = self.call(Call::Notice(text));
                    self.notices.insert(call);
                }
                if last_attempt {
                    self.note(Note::GaveUp(id));
                } else {
                    self.pass.want();
                }
            }
            Ruling::Later => {
                self.memory.uncharge(id);
                self.rest();
            }
            Ruling::Paused => {
                self.memory.uncharge(id);
                self.pass.want();
            }
            Ruling::Left => self.was_cancelled(),
        }
    }
}
