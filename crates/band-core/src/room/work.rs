//! One message before its turn: its claim, and what the turn needs.

use band_wire::MessageId;
use band_wire::rest::{DeliveryStatus, Message};

use super::Room;
use super::config::{CLAIM_PATIENCE, HISTORY_PATIENCE};
use super::io::{Call, CallId, Mark, Output, Trouble};
use super::owed::Debt;
use super::running::Running;
use crate::trial::{self, Fault};

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
pub(super) enum Step {
    Todo,
    Asked(CallId),
    Done,
}

#[derive(Debug)]
pub(super) enum Stage {
    Preparing {
        message: Box<Message>,
        claim: Step,
        history: Step,
        roster: Step,
        /// The platform served it from its backlog.
        served: bool,
    },
    Running(Running),
}

/// The message at work.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) id: MessageId,
    /// A synthetic message, to be put back if its turn does not come about.
    pub(super) synthetic: Option<Box<Message>>,
    pub(super) stage: Stage,
}

impl Work {
    pub(super) const fn is_running(&self) -> bool {
        matches!(self.stage, Stage::Running(_))
    }

    pub(super) fn is_claimed(&self) -> bool {
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
        let needs_past = self.config.history && !self.bootstrapped;
        // A push that does not say how the message stands may be of one that is done.
        let is_unknown = origin == Origin::Pushed && message.delivery_status(self.config.agent).is_none();
        let roster = if self.roster_known { Step::Done } else { Step::Asked(self.call(Call::Participants)) };
        let history = if needs_past {
            Step::Asked(self.call(Call::History(id)))
        } else if self.config.history && is_unknown {
            Step::Asked(self.call(Call::Status(id)))
        } else {
            Step::Done
        };
        let claim = match (origin, history) {
            (Origin::Synthetic, _) => Step::Done,
            (Origin::Pushed, Step::Asked(_)) => Step::Todo,
            _ => Step::Asked(self.call(Call::Claim(id))),
        };
        let synthetic = (origin == Origin::Synthetic).then(|| message.clone());
        let served = origin == Origin::Served;
        let stage = Stage::Preparing { message, claim, history, roster, served };
        self.work = Some(Work { id, synthetic, stage });
        self.start_when_ready();
        true
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
            Mark::Rejected | Mark::Refused | Mark::Stopped if trial::has(Fault::RefusedClaimRuns) => {
                *claim = Step::Done;
                self.start_when_ready();
            }
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
            Err(Trouble::Passing) if !self.bootstrapped && self.history_failures < HISTORY_PATIENCE => {
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
        let Some(work) = self.work.take() else { return };
        match work.synthetic {
            Some(message) => self.rest_synthetic(message),
            None => self.rest(Some(work.id)),
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
}
