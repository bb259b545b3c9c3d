//! Asking the platform for what was missed, and choosing what is handled next.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use band_wire::rest::{DeliveryStatus, Message, SenderType};
use band_wire::{MessageId, ParticipantId};

use super::config::{PAGES_MAX, RETRY_BASE, USED_UP};
use super::io::{Call, CallId, Listing, Note, Trouble};
use super::owed::Debt;
use super::work::Origin;
use super::{Room, Why};
use crate::backoff::Backoff;
use crate::trial::{self, Fault};

/// Where the room stands with the platform. See the table of the module above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    InSync,
    Wanted,
    Asking(CallId),
    Listing(CallId),
    Walking,
    Resting,
}

/// One pass over what the platform holds for the room.
#[derive(Debug)]
pub(super) struct Pass {
    stage: Stage,
    /// Another pass is wanted after this one.
    again: bool,
    /// It may be made in a stopped room: to see whether the room is still stopped.
    probing: bool,
    /// A turn came of it.
    found: bool,
    page: VecDeque<Message>,
    cursor: Option<String>,
    pages: u32,
    /// Passed over in this pass.
    skipped: BTreeSet<MessageId>,
    backoff: Backoff,
    /// A message was given back, and nothing has been served since: it is done elsewhere, or the agent has not
    /// heard that it is stopped here. Then a later push would overtake it, so pushes only lead to another pass.
    in_doubt: bool,
}

impl Pass {
    pub(super) const fn new(most: Duration) -> Self {
        Self {
            stage: Stage::Wanted,
            again: false,
            probing: false,
            found: false,
            page: VecDeque::new(),
            cursor: None,
            pages: 0,
            skipped: BTreeSet::new(),
            backoff: Backoff::new(RETRY_BASE, most),
            in_doubt: false,
        }
    }

    /// A pass is wanted; one that is under way is followed by another, and one that rests stays at rest.
    pub(super) const fn want(&mut self) {
        match self.stage {
            Stage::InSync => self.stage = Stage::Wanted,
            Stage::Wanted | Stage::Resting => {}
            Stage::Asking(_) | Stage::Listing(_) | Stage::Walking => self.again = true,
        }
    }

    /// The rest after a failed call is over.
    pub(super) const fn wake(&mut self) {
        if matches!(self.stage, Stage::Resting) {
            self.stage = Stage::Wanted;
        }
    }

    /// Whatever is under way does not count: it was asked before the room was stopped.
    pub(super) fn start_over(&mut self) {
        self.stage = Stage::Wanted;
        self.again = false;
        self.probing = false;
        self.page.clear();
    }

    /// The schedule wants a pass, in a stopped room too.
    pub(super) const fn probe(&mut self) {
        self.probing = true;
        if matches!(self.stage, Stage::InSync) {
            self.stage = Stage::Wanted;
        }
    }

    /// Whether the next message is being asked for.
    pub(super) const fn is_asking(&self) -> bool {
        matches!(self.stage, Stage::Asking(_))
    }

    pub(super) const fn found(&mut self) {
        self.found = true;
    }

    pub(super) const fn calm(&mut self) {
        self.backoff.reset();
    }

    /// A message was given back to the platform.
    pub(super) const fn doubt(&mut self) {
        self.in_doubt = true;
    }

    pub(super) fn skip(&mut self, id: MessageId) {
        self.skipped.insert(id);
    }

    /// Leaves a message for a later pass.
    pub(super) fn pass_over(&mut self, id: MessageId) {
        if self.stage != Stage::InSync {
            self.skip(id);
        }
    }
}

/// Whether, and why not, a message can be handled.
enum Standing {
    Runnable,
    /// The platform says that it is open, and this process has handled it: the mark is due once more.
    Handled,
    /// The platform says that somebody is at it, and this process has used up its attempts: a claim that came
    /// late has opened another one, which is ended.
    Reopened,
    Unfit,
}

impl Room {
    /// Whether a push waits that is handled as soon as the turn is over.
    pub(super) fn has_more(&self) -> bool {
        let pushed = self.pass.stage == Stage::InSync && self.subscribed && !self.queue.is_empty();
        !self.stopped && (pushed || self.hub.has_more())
    }

    /// Takes up what is next. True when something was decided and there may be more to take up.
    pub(super) fn take_up(&mut self) -> bool {
        match self.pass.stage {
            Stage::Asking(_) | Stage::Listing(_) => false,
            Stage::Resting => {
                self.offer_next();
                false
            }
            Stage::Wanted => {
                if (self.stopped && !self.pass.probing) || self.owed.in_flight() {
                    return false;
                }
                let id = self.call(Call::Next);
                self.pass.stage = Stage::Asking(id);
                false
            }
            Stage::Walking => match self.pass.page.pop_front() {
                Some(message) => self.try_served(Box::new(message)),
                None => self.next_page(),
            },
            Stage::InSync => {
                if self.stopped || !self.subscribed {
                    return false;
                }
                match self.queue.pop() {
                    None => false,
                    Some(message) if matches!(self.standing(&message), Standing::Runnable) => {
                        !self.begin(message, Origin::Pushed)
                    }
                    Some(_) => true,
                }
            }
        }
    }

    pub(super) fn pushed(&mut self, message: Box<Message>) {
        let id = message.id;
        let is_current = self.work.as_ref().is_some_and(|work| work.id == id);
        if self.is_closing() || is_current || !matches!(self.standing(&message), Standing::Runnable) {
            return;
        }
        if !self.queue.push(message) && !trial::has(Fault::OverflowNotDirty) {
            self.note(Note::Overflow);
            self.pass.want();
        } else if self.pass.in_doubt {
            self.pass.want();
        }
    }

    pub(super) fn next_answered(&mut self, call: CallId, served: Result<Option<Box<Message>>, Trouble>) {
        if self.pass.stage != Stage::Asking(call) || self.is_closing() {
            return;
        }
        match served {
            Err(trouble) => self.pass_failed(trouble),
            Ok(None) => {
                // What was pushed before the platform was asked is not to be handled now, or it had served it.
                if self.pass.in_doubt && !self.pass.again {
                    self.queue.clear();
                }
                self.pass_done();
            }
            Ok(Some(message)) => {
                self.pass.in_doubt = false;
                self.pass.stage = Stage::Wanted;
                if self.try_served(message) {
                    self.pass.cursor = None;
                    self.pass.pages = 0;
                    self.list();
                }
            }
        }
    }

    pub(super) fn list_answered(&mut self, call: CallId, page: Result<Listing, Trouble>) {
        if self.pass.stage != Stage::Listing(call) || self.is_closing() {
            return;
        }
        match page {
            Err(trouble) => self.pass_failed(trouble),
            Ok(page) => {
                self.pass.stage = Stage::Walking;
                self.pass.page = page.messages.into();
                self.pass.cursor = page.next;
            }
        }
    }

    /// Begins the turn of a message that the platform served; true when it can't be handled.
    fn try_served(&mut self, message: Box<Message>) -> bool {
        let id = message.id;
        match self.standing(&message) {
            Standing::Runnable if !self.pass.skipped.contains(&id) => {
                if std::mem::take(&mut self.stopped) {
                    self.note(Note::Resumed);
                }
                return !self.begin(message, Origin::Served);
            }
            Standing::Handled if self.pass.skipped.insert(id) => {
                self.owe(Debt { message: id, failure: None, reclaim: true });
            }
            Standing::Reopened if self.pass.skipped.insert(id) => {
                self.owe(Debt { message: id, failure: Some(USED_UP.to_owned()), reclaim: false });
            }
            Standing::Runnable | Standing::Handled | Standing::Reopened | Standing::Unfit => {}
        }
        true
    }

    fn standing(&self, message: &Message) -> Standing {
        let id = message.id;
        let status = message.delivery_status(self.config.agent);
        let is_own = message.sender_type == SenderType::Agent.as_str()
            && message.sender_id == ParticipantId::from(self.config.agent);
        let attempts = self.memory.attempts(id);
        if self.memory.is_complete(id) && !trial::has(Fault::DedupeOff) {
            Standing::Handled
        } else if is_own || self.owed.has(id) {
            Standing::Unfit
        } else if attempts > 0
            && attempts >= self.config.attempts
            && status == Some(DeliveryStatus::Processing)
        {
            Standing::Reopened
        } else if (attempts >= self.config.attempts && !trial::has(Fault::BudgetIgnored))
            || status == Some(DeliveryStatus::Processed)
            // Somebody may have put it back on the list since.
            || (self.memory.is_given_up(id) && status != Some(DeliveryStatus::Delivered))
        {
            Standing::Unfit
        } else {
            Standing::Runnable
        }
    }

    pub(super) fn is_runnable(&self, message: &Message) -> bool {
        matches!(self.standing(message), Standing::Runnable)
    }

    fn list(&mut self) {
        if trial::has(Fault::HeadHidesRest) {
            return self.pass_done();
        }
        let cursor = self.pass.cursor.take();
        let id = self.call(Call::List { cursor });
        self.pass.pages += 1;
        self.pass.stage = Stage::Listing(id);
    }

    /// A page is done: the next one, or the pass is over.
    fn next_page(&mut self) -> bool {
        if self.pass.cursor.is_some() && self.pass.pages < PAGES_MAX {
            self.list();
            return false;
        }
        self.pass_done();
        true
    }

    fn pass_done(&mut self) {
        let pass = &mut self.pass;
        pass.stage = if std::mem::take(&mut pass.again) { Stage::Wanted } else { Stage::InSync };
        self.offers.over();
        pass.probing = false;
        pass.skipped.clear();
        pass.page.clear();
        pass.backoff.reset();
        let found = std::mem::take(&mut pass.found);
        self.schedule.passed(self.now, self.stopped, found);
        self.timers.set(Why::Resync, self.schedule.due());
    }

    fn pass_failed(&mut self, trouble: Trouble) {
        match trouble {
            Trouble::Passing => self.rest(None),
            Trouble::Lasting => {
                self.note(Note::NotServed);
                self.pass.in_doubt = false;
                self.pass_done();
            }
        }
    }

    /// A call failed, or a message is held up: later again, and no push overtakes.
    pub(super) fn rest(&mut self, held_up: Option<MessageId>) {
        self.offers.rests(held_up);
        if held_up.is_some() {
            self.pass.doubt();
        }
        self.pass.page.clear();
        self.pass.stage = Stage::Resting;
        let wait = self.pass.backoff.next(&mut self.dice);
        self.timers.set(Why::Retry, self.now + wait);
    }
}
