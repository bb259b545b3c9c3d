//! One room: queue, claim, backlog, acknowledgement, retry, resync.
//!
//! The machine handles one message at a time, in the platform's order. It never sees sockets: pushes, answers
//! and deadlines come in, calls and turns go out.
//!
//! # Where messages come from
//!
//! | stage | pushes | leaves it when |
//! |---|---|---|
//! | in sync | handled as they come | subscribed again, resync due, overflow, a message to retry → wanted |
//! | wanted | wait | nothing is at work and no mark is on its way → asking |
//! | asking `/next` | wait | none → in sync; can be handled → its turn, then wanted; can't → listing; failed → resting |
//! | listing behind a message that can't be handled | wait | a page → walking; failed → resting |
//! | walking a page | wait | each that can be handled gets its turn; the last page is done → in sync |
//! | resting after a failed call | wait | the backoff is over, or subscribed again → wanted |
//!
//! So the platform's order is kept, and what was missed comes before later pushes. A message can't be handled
//! here when it is handled already, its mark is owed, its attempts are used up, it is the agent's own, or its
//! claim was refused several times.
//!
//! A message that was given back to the platform, and is not served then, is done elsewhere or the agent has not
//! heard that it is stopped here. Until the platform serves something, pushes are not handled: each leads to
//! another look.
//!
//! # One message
//!
//! | stage | next |
//! |---|---|
//! | preparing: claim, and with the first one the participants and the past | all there → running; claim refused → resting, nothing charged |
//! | running | ended → ruling ([`crate::turn::judge`]); asked to end → one second, then aborted |
//! | ruled processed or failed | the mark is owed before it is sent, and repeated alone until it holds |
//! | ruled later, paused, left | nothing is charged or marked; the platform serves it again |
//!
//! A pushed first message is claimed after the past was read, since the past may say that it is done; a
//! served one is claimed at the same time, and if the past then says that it is done, the attempt that was opened
//! is ended. Marks and working reports hold up neither replies nor later pushes.
//!
//! # Closing
//!
//! Nothing new is taken up. A running turn may finish until the deadline, then it is cancelled, and a second
//! later aborted; the last marks get the rest of the time, a second at least: one that got lost is tried again. A turn that was cancelled leaves its message as it is.

mod closing;
mod config;
mod control;
mod detached;
mod hub;
mod io;
mod memory;
mod offer;
mod owed;
mod pass;
mod queue;
mod record;
mod roster;
mod running;
mod schedule;
#[cfg(test)]
mod tests;
mod updates;
mod work;
mod working;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use band_wire::MessageId;

pub use config::{CANCEL_GRACE, QUEUE_MAX, RoomConfig};
pub use io::{Answer, Call, CallId, Control, Input, Listing, Mark, Note, Output, Trouble, TurnEnd, TurnId};
pub use owed::Debt;
pub use record::{Record, Recovered};
pub use roster::{Member, Roster, participants_update};
pub use updates::{UpTo, Updates};

use self::closing::Life;
use self::config::RETRY_MAX;
use self::detached::Detached;
use self::hub::Hub;
use self::memory::Memory;
use self::offer::Offers;
use self::owed::{Owed, Settled};
use self::pass::Pass;
use self::queue::Queue;
use self::schedule::Schedule;
use self::work::Work;
use self::working::Working;
use crate::backoff::{Backoff, Dice};
use crate::timers::Timers;
use crate::trial::{self, Fault};
use crate::turn::Outcome;
use crate::{Deadline, Machine, Moment};

/// Why a room wants to wake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// A turn that was asked to end has had its time.
    CancelGrace,
    /// A turn takes too long.
    MaxCycle,
    /// A closing room no longer waits for its turn.
    StopBy,
    /// A closing room no longer waits for its last calls.
    FlushBy,
    /// A mark that did not hold is due again.
    Owed,
    /// A call for messages that failed is due again.
    Retry,
    /// Something may have been missed: ask.
    Resync,
    /// The working state is due again.
    Working,
    /// A synthetic message that was not taken is due again.
    Synthetic,
    /// Turns beside a closing room that were asked to end have had their time.
    DetachedGrace,
}

/// The machine of one room. See the module.
#[derive(Debug)]
pub struct Room {
    config: RoomConfig,
    now: Moment,
    dice: Dice,
    timers: Timers<Why>,
    out: VecDeque<Output>,
    ids: u64,
    life: Life,
    subscribed: bool,
    stopped: bool,
    queue: Queue,
    memory: Memory,
    pass: Pass,
    work: Option<Work>,
    owed: Owed,
    owed_backoff: Backoff,
    working: Working,
    notices: BTreeSet<CallId>,
    /// Claims on their way of messages that turned out to be handled.
    late_claims: BTreeMap<CallId, MessageId>,
    schedule: Schedule,
    hub: Hub,
    detached: Detached,
    offers: Offers,
    /// How often a person has steered the agent.
    steered: u64,
    bootstrapped: bool,
    roster_known: bool,
    history_failures: u32,
    /// What the last turn that ended counts as, until it is asked for.
    outcome: Option<Outcome>,
}

impl Room {
    /// A room whose topics are joined, for the first time. The seed is for jitter.
    pub fn new(config: RoomConfig, now: Moment, seed: u64) -> Self {
        Self::resume(config, now, seed, Recovered::default())
    }

    /// The same, with what earlier stays in the room left behind.
    pub fn resume(config: RoomConfig, now: Moment, seed: u64, left: Recovered) -> Self {
        let config = config.paced();
        let mut dice = Dice::new(seed);
        let schedule = Schedule::start(&config, now, &mut dice);
        let most = RETRY_MAX.min(config.resync);
        let mut room = Self {
            config,
            now,
            dice,
            timers: Timers::new(),
            out: VecDeque::new(),
            ids: 0,
            life: Life::Open,
            subscribed: true,
            stopped: false,
            queue: Queue::default(),
            memory: Memory::resume(left.handled, left.started, left.given_up),
            pass: Pass::new(most),
            work: None,
            owed: Owed::resume(left.debts),
            owed_backoff: Backoff::new(config::RETRY_BASE, most),
            working: Working::default(),
            notices: BTreeSet::new(),
            late_claims: BTreeMap::new(),
            schedule,
            hub: Hub::new(Backoff::new(config::RETRY_BASE, most)),
            detached: Detached::default(),
            offers: Offers::default(),
            steered: 0,
            bootstrapped: false,
            roster_known: false,
            history_failures: 0,
            outcome: None,
        };
        room.timers.set(Why::Resync, room.schedule.due());
        room.advance();
        room
    }

    /// What the last turn that ended counts as; once.
    pub const fn take_outcome(&mut self) -> Option<Outcome> {
        self.outcome.take()
    }

    /// Pushes that wait for their turn.
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Marks that the platform is owed.
    pub fn owes(&self) -> usize {
        self.owed.len()
    }

    /// Makes everything happen that can happen now.
    fn advance(&mut self) {
        if self.life == Life::Closed {
            return;
        }
        if let Some(call) = self.owed.next() {
            let id = self.call(call);
            self.owed.sent(id);
        }
        self.report_working();
        if matches!(self.life, Life::Closing { .. }) {
            return self.finish_closing();
        }
        while (self.work.is_none() || trial::has(Fault::TwoTurns))
            && !self.take_synthetic()
            && !self.owed.is_full()
            && self.take_up()
        {}
        if self.work.is_none() {
            self.working.no_more();
            self.report_working();
        }
    }

    fn call(&mut self, call: Call) -> CallId {
        self.ids += 1;
        let id = CallId(self.ids);
        self.out.push_back(Output::Call { id, call });
        id
    }

    fn note(&mut self, note: Note) {
        self.out.push_back(Output::Note(note));
    }

    fn record(&mut self, record: Record) {
        if trial::has(Fault::AckBeforeJournal) && matches!(record, Record::Owes(_)) {
            return;
        }
        self.out.push_back(Output::Record(record));
    }

    /// The platform is owed a mark from here on, whatever becomes of this process.
    fn owe(&mut self, debt: Debt) {
        self.memory.ruled(debt.message);
        if self.owed.add(debt.clone()) {
            self.record(Record::Owes(debt));
        }
    }

    /// The message needs nothing any more.
    fn complete(&mut self, message: MessageId) {
        self.memory.complete(message);
        self.record(Record::Settled { message, handled: true });
    }

    fn answered(&mut self, call: CallId, answer: Answer) {
        match answer {
            Answer::Next(served) => self.next_answered(call, served),
            Answer::Listed(page) => {
                if let Some(page) = self.offers.listed(call, page) {
                    self.list_answered(call, page);
                }
            }
            Answer::Marked(mark) => match self.owed.answered(call, mark) {
                Some(settled) => self.mark_answered(&settled),
                None => self.claim_answered(call, mark),
            },
            Answer::Participants(list) => self.participants_answered(call, list.is_ok()),
            Answer::History(past) => self.history_answered(call, past),
            Answer::Activity(holds) => {
                let told = self.working.answered(call);
                self.activity_answered(told, holds);
            }
            Answer::Noticed => {
                self.notices.remove(&call);
            }
        }
    }

    fn mark_answered(&mut self, settled: &Settled) {
        match settled {
            Settled::Step => {}
            Settled::Paid(id, true) => {
                self.complete(*id);
                self.owed_backoff.reset();
            }
            Settled::Paid(message, handled) => {
                self.record(Record::Settled { message: *message, handled: *handled });
                self.owed_backoff.reset();
            }
            Settled::Later => {
                let wait = self.owed_backoff.next(&mut self.dice);
                self.timers.set(Why::Owed, self.now + wait);
            }
        }
    }

    /// The connection, or the agent's right to speak, is back: nothing rests any longer.
    fn wake(&mut self) {
        self.owed.wake();
        self.pass.wake();
        self.hub.wake();
        self.timers.clear(Why::Synthetic);
        self.timers.clear(Why::Owed);
        self.timers.clear(Why::Retry);
    }

    fn due(&mut self, why: Why) {
        match why {
            Why::CancelGrace => self.abort_turn(),
            Why::MaxCycle => self.cycle_too_long(),
            Why::StopBy => self.stop_turn(),
            Why::FlushBy => self.close_now(),
            Why::Owed => self.owed.wake(),
            Why::Retry => self.pass.wake(),
            Why::Resync => {
                if !trial::has(Fault::ResyncOff) {
                    self.pass.probe();
                }
                self.timers.set(Why::Resync, self.now + self.config.resync);
            }
            Why::Working => self.repeat_working(),
            Why::Synthetic => self.hub.wake(),
            Why::DetachedGrace => self.abort_detached(),
        }
    }
}

impl Machine for Room {
    type Input = Input;
    type Output = Output;
    type Why = Why;

    fn handle(&mut self, now: Moment, input: Input) {
        self.now = now;
        match input {
            Input::Subscribed => {
                self.subscribed = true;
                self.wake();
                self.pass.want();
            }
            Input::Unsubscribed => self.subscribed = false,
            Input::Resync => self.pass.want(),
            Input::Pushed(message) => self.pushed(message),
            Input::Synthetic(message) => self.synthetic(message),
            Input::Hub => self.config.keep_alive = None,
            Input::Answered { call, answer } => self.answered(call, answer),
            Input::TurnEnded { turn, end } => self.turn_ended(turn, end),
            Input::Detached { turn, delivered } => self.detach(turn, delivered),
            Input::PostRefused(turn) => {
                if self.running().is_some_and(|running| running.turn == turn) {
                    self.observed_stop();
                }
            }
            Input::Control(control) => self.control(control),
            Input::Close { by } => self.close(by),
        }
        self.advance();
    }

    fn poll(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    fn deadline(&self) -> Option<Deadline<Why>> {
        self.timers.next()
    }

    fn expire(&mut self, now: Moment) {
        self.now = now;
        while let Some(why) = self.timers.take_due(now) {
            self.due(why);
        }
        self.advance();
    }
}
