//! Messages behind one that is held up may be words to work under way: the adapter is asked.
//!
//! Nothing is marked before the adapter has taken one. Each is offered once as long as the same message holds
//! up the others.

use std::collections::{BTreeSet, VecDeque};

use band_wire::MessageId;
use band_wire::rest::Message;

use super::Room;
use super::config::OFFERED_MAX;
use super::io::{Call, CallId, Listing, Output, Trouble};
use super::owed::Debt;
use super::running::Running;
use super::work::{Stage, Work};
use crate::turn::{Cancel, Circumstances, Ending, Ledger, Ruling, judge};

/// What was offered while a message is held up.
#[derive(Debug, Default)]
pub(super) struct Offers {
    /// The message that holds up the others.
    head: Option<MessageId>,
    seen: BTreeSet<MessageId>,
    /// A page of what stands behind it is to be read.
    wanted: bool,
    asked: Option<CallId>,
    page: VecDeque<Message>,
    cursor: Option<String>,
}

impl Offers {
    /// Nothing is held up any more.
    pub(super) fn over(&mut self) {
        *self = Self::default();
    }

    /// The pass rests; each time one more page is looked at.
    pub(super) fn rests(&mut self, head: Option<MessageId>) {
        if self.head != head {
            *self = Self { head, ..Self::default() };
        }
        self.wanted = head.is_some();
    }

    /// Takes the answer to the page that was asked for; gives it back when it was another one.
    pub(super) fn listed(
        &mut self,
        call: CallId,
        page: Result<Listing, Trouble>,
    ) -> Option<Result<Listing, Trouble>> {
        if self.asked.take_if(|asked| *asked == call).is_none() {
            return Some(page);
        }
        if let Ok(Listing { messages, next }) = page {
            self.page = messages.into();
            self.cursor = next;
        }
        None
    }
}

impl Room {
    /// Offers the next message that waits behind the one held up, if there is one.
    pub(super) fn offer_next(&mut self) {
        if !self.config.controls || self.stopped || self.is_closing() {
            return;
        }
        if let Some(message) = self.next_offer() {
            let id = message.id;
            let turn = self.next_turn();
            self.offers.seen.insert(id);
            self.out.push_back(Output::Offer { turn, message });
            self.work = Some(Work { id, synthetic: None, stage: Stage::Running(Running::new(turn, true)) });
        } else if self.offers.asked.is_none() && std::mem::take(&mut self.offers.wanted) {
            let cursor = self.offers.cursor.take();
            let call = self.call(Call::List { cursor });
            self.offers.asked = Some(call);
        }
    }

    fn next_offer(&mut self) -> Option<Box<Message>> {
        if self.offers.seen.len() >= OFFERED_MAX {
            return None;
        }
        let pushed = self.queue.iter().find(|message| self.may_offer(message));
        if let Some(message) = pushed {
            return Some(message.clone());
        }
        while let Some(message) = self.offers.page.pop_front() {
            if self.may_offer(&message) {
                return Some(Box::new(message));
            }
        }
        None
    }

    fn may_offer(&self, message: &Message) -> bool {
        let is_new = self.offers.head != Some(message.id) && !self.offers.seen.contains(&message.id);
        is_new && self.is_runnable(message)
    }

    pub(super) fn offer_ended(&mut self, id: MessageId, ending: Ending, cancel: Option<Cancel>) {
        match ending {
            Ending::Consumed => {
                self.queue.forget(id);
                self.owe(Debt { message: id, failure: None, reclaim: true });
            }
            Ending::Failed(_) | Ending::Cancelled => {
                self.memory.charge(id);
                let last_attempt = self.memory.attempts(id) >= self.config.attempts;
                let (ledger, report) = (Ledger::new(), self.config.report);
                let facts = Circumstances { ledger, cancel, judged: true, last_attempt, report };
                let Ruling::Failed { error, notice } = judge(ending, facts) else {
                    self.memory.uncharge(id);
                    return;
                };
                self.queue.forget(id);
                self.owe(Debt { message: id, failure: Some(error), reclaim: true });
                if let Some(text) = notice {
                    self.tell_failure(id, text);
                }
            }
            Ending::Returned | Ending::NotAccepted | Ending::Stopped => {}
        }
    }
}
