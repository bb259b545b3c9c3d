//! What an adapter keeps for a room at a provider, a child process for example: opened when it is needed,
//! suspended when it is idle, disposed of when the room is over.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use crate::timers::Timers;
use crate::{Deadline, Machine, Moment};

/// How long whoever needs the resource waits for it. The work on it goes on.
pub const TRANSITION_LIMIT: Duration = Duration::from_secs(10);
/// How long accepted work may go on when the room is over, and an opening that is under way.
pub const SETTLE_LIMIT: Duration = Duration::from_secs(10);

/// How long it may take to give it up. Then it counts as one that can't be, and stays owned.
pub const RELEASE_LIMIT: Duration = Duration::from_secs(30);

/// Which opening of the resource: what comes from an older one has no say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(pub u64);

/// Someone who asked for the resource, or for its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// Why the resource is given up. A later one that is stronger wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// Nobody needs it now: it can be resumed as what it was.
    Idle,
    /// It is broken: the next one starts afresh.
    Recovery,
    /// The room is over: nothing is opened any more.
    Final,
}

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// Someone needs the resource.
    Acquire(Ticket),
    /// Whoever asked does not wait any more, or is done with it.
    Done(Ticket),
    /// It is open.
    Opened(Generation),
    /// It could not be opened.
    OpenFailed(Generation),
    /// The provider says for sure whether it works on anything of its own.
    Quiescent(Generation, bool),
    /// It is to be given up.
    Release(Cause),
    /// It is to be disposed of, and the answer goes to this ticket. `by` is the work that asks, if it is work
    /// on this very resource.
    Dispose {
        /// For the answer.
        ticket: Ticket,
        /// Whoever asks, if the resource is theirs now.
        by: Option<Ticket>,
    },
    /// It was given up.
    Released(Generation),
    /// It could not be given up.
    ReleaseFailed(Generation),
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Open it; as what it was, if `resume`.
    Open {
        /// For the answer.
        generation: Generation,
        /// As what it was when it was suspended.
        resume: bool,
    },
    /// The room is over and the opening takes too long: nobody waits for it any more.
    Abandon(Generation),
    /// To give it up takes too long: leave that, nobody waits for it any more.
    AbandonRelease(Generation),
    /// Whoever asked has it, until they are done.
    Grant(Ticket, Generation),
    /// Whoever asked does not get it.
    Refuse(Ticket, Refusal),
    /// Cancel the work on it. Said once.
    CancelWork(Generation),
    /// Give it up.
    Release(Generation, Cause),
    /// Forget what it was: it will not be resumed.
    Erase,
    /// How a disposal went.
    Answer(Ticket, Disposal),
}

/// Why someone does not get the resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The room is over.
    Closing,
    /// It takes too long.
    TooLong,
    /// It could not be opened.
    Failed,
}

/// How a disposal went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disposal {
    /// It is gone.
    Done,
    /// Whoever asked works on it: it goes when they are done.
    Pending,
    /// It could not be given up, and stays owned: ask again.
    Failed,
}

/// Why a room's resource wants to wake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// Nobody has needed it for a while.
    Idle,
    /// Accepted work has had its time, or an opening that nobody needs.
    Settle,
    /// It takes too long to give it up.
    Release,
    /// Someone has waited long enough.
    Waiting(Ticket),
}

/// The resource of one room.
///
/// | state | someone needs it | it is given up |
/// |---|---|---|
/// | none | opened | – |
/// | suspended | opened, as what it was | forgotten, when final |
/// | opening | waits | when it is open; when final, 10 s later at the latest |
/// | resident | granted | cancelled and joined first, unless idle |
/// | releasing | waits, and is opened again; refused when final | the stronger cause wins; 30 s, then cleanup is pending |
/// | cleanup pending | tried again, then opened | tried again |
/// | closed | refused | – |
#[derive(Debug)]
pub struct Residency {
    idle_after: Option<Duration>,
    now: Moment,
    state: State,
    generation: Generation,
    /// The strongest cause that was given and is not carried out.
    release: Option<Cause>,
    cancelled: bool,
    leases: BTreeSet<Ticket>,
    waiting: VecDeque<Ticket>,
    /// Those who want to know how the disposal goes.
    asking: BTreeSet<Ticket>,
    timers: Timers<Why>,
    out: VecDeque<Output>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    None,
    Suspended,
    Opening,
    Resident { quiescent: bool },
    Releasing(Cause),
    CleanupPending(Cause),
    Closed,
}

impl Residency {
    /// Nothing is open. `idle_after`: how long it may lie idle before it is suspended; never without.
    pub fn new(idle_after: Option<Duration>) -> Self {
        Self {
            idle_after,
            now: Moment::ZERO,
            state: State::None,
            generation: Generation(0),
            release: None,
            cancelled: false,
            leases: BTreeSet::new(),
            waiting: VecDeque::new(),
            asking: BTreeSet::new(),
            timers: Timers::new(),
            out: VecDeque::new(),
        }
    }

    /// Whether it is gone for good.
    pub fn is_closed(&self) -> bool {
        self.state == State::Closed
    }

    /// Whether something of it is still owned.
    pub const fn is_owned(&self) -> bool {
        !matches!(self.state, State::None | State::Suspended | State::Closed)
    }

    fn is_final(&self) -> bool {
        self.state == State::Closed || self.release == Some(Cause::Final)
    }

    fn acquire(&mut self, ticket: Ticket) {
        if self.is_final() {
            return self.refuse(ticket, Refusal::Closing);
        }
        self.waiting.push_back(ticket);
        self.timers.set(Why::Waiting(ticket), self.now + TRANSITION_LIMIT);
    }

    fn done(&mut self, ticket: Ticket) {
        self.leases.remove(&ticket);
        self.waiting.retain(|waiting| *waiting != ticket);
        self.timers.clear(Why::Waiting(ticket));
    }

    fn refuse(&mut self, ticket: Ticket, why: Refusal) {
        self.timers.clear(Why::Waiting(ticket));
        self.out.push_back(Output::Refuse(ticket, why));
    }

    fn refuse_all(&mut self, why: Refusal) {
        for ticket in std::mem::take(&mut self.waiting) {
            self.refuse(ticket, why);
        }
    }

    fn give_up(&mut self, cause: Cause) {
        let is_idle_now = matches!(self.state, State::Resident { quiescent: true })
            && self.leases.is_empty()
            && self.waiting.is_empty();
        if self.state == State::Closed || (cause == Cause::Idle && !is_idle_now) {
            return;
        }
        self.release = self.release.max(Some(cause));
        if cause == Cause::Final {
            self.refuse_all(Refusal::Closing);
            let is_in_the_way = !self.leases.is_empty() || self.state == State::Opening;
            if is_in_the_way && self.timers.get(Why::Settle).is_none() {
                self.timers.set(Why::Settle, self.now + SETTLE_LIMIT);
            }
        }
        if cause == Cause::Recovery {
            self.cancel_work();
        }
    }

    fn cancel_work(&mut self) {
        if !self.leases.is_empty() && !std::mem::replace(&mut self.cancelled, true) {
            self.out.push_back(Output::CancelWork(self.generation));
        }
    }

    fn dispose(&mut self, ticket: Ticket, by: Option<Ticket>) {
        if self.state == State::Closed {
            self.out.push_back(Output::Answer(ticket, Disposal::Done));
            return;
        }
        if by.is_some_and(|by| self.leases.contains(&by)) {
            self.out.push_back(Output::Answer(ticket, Disposal::Pending));
        } else {
            self.asking.insert(ticket);
        }
        self.give_up(Cause::Final);
    }

    fn opened(&mut self, failed: bool) {
        if failed {
            self.state = State::None;
            self.refuse_all(Refusal::Failed);
        } else {
            self.state = State::Resident { quiescent: false };
            self.cancelled = false;
        }
    }

    fn released(&mut self, cause: Cause, failed: bool) {
        self.timers.clear(Why::Release);
        if failed {
            self.state = State::CleanupPending(cause);
            // It stays wanted, but is tried again only when somebody asks.
            self.release = self.release.max(Some(cause)).filter(|cause| *cause == Cause::Final);
            self.answer(Disposal::Failed);
            return;
        }
        self.release.take_if(|wanted| *wanted <= cause);
        self.state = match cause {
            Cause::Idle => State::Suspended,
            Cause::Recovery => State::None,
            Cause::Final => State::Closed,
        };
        if cause == Cause::Final {
            self.out.push_back(Output::Erase);
            self.timers.clear_all();
            self.answer(Disposal::Done);
        }
    }

    fn answer(&mut self, how: Disposal) {
        for ticket in std::mem::take(&mut self.asking) {
            self.out.push_back(Output::Answer(ticket, how));
        }
    }

    /// Takes the steps that the state allows.
    fn go_on(&mut self, may_retry: bool) {
        match (self.state, self.release) {
            (State::None | State::Suspended, Some(cause)) => {
                if cause == Cause::Recovery {
                    self.state = State::None;
                }
                self.release = None;
                if cause == Cause::Final {
                    self.release = Some(Cause::Final);
                    self.released(Cause::Final, false);
                } else {
                    self.go_on(false);
                }
            }
            (State::None | State::Suspended, None) if !self.waiting.is_empty() => {
                let resume = self.state == State::Suspended;
                self.generation = Generation(self.generation.0 + 1);
                self.state = State::Opening;
                self.out.push_back(Output::Open { generation: self.generation, resume });
            }
            (State::Resident { .. }, Some(cause)) if self.leases.is_empty() => self.start_release(cause),
            (State::Resident { .. }, None) => self.serve(),
            (State::CleanupPending(earlier), _) if may_retry => {
                let cause = self.release.map_or(earlier, |wanted| wanted.max(earlier));
                self.start_release(cause);
            }
            _ => {}
        }
    }

    fn start_release(&mut self, cause: Cause) {
        self.timers.clear(Why::Idle);
        self.timers.clear(Why::Settle);
        self.timers.set(Why::Release, self.now + RELEASE_LIMIT);
        self.state = State::Releasing(cause);
        self.out.push_back(Output::Release(self.generation, cause));
    }

    fn serve(&mut self) {
        for ticket in std::mem::take(&mut self.waiting) {
            self.timers.clear(Why::Waiting(ticket));
            self.leases.insert(ticket);
            self.state = State::Resident { quiescent: false };
            self.out.push_back(Output::Grant(ticket, self.generation));
        }
        let is_idle = self.state == State::Resident { quiescent: true } && self.leases.is_empty();
        match self.idle_after.filter(|_| is_idle) {
            Some(after) if self.timers.get(Why::Idle).is_none() => {
                self.timers.set(Why::Idle, self.now + after);
            }
            Some(_) => {}
            None => self.timers.clear(Why::Idle),
        }
    }
}

impl Machine for Residency {
    type Input = Input;
    type Output = Output;
    type Why = Why;

    fn handle(&mut self, now: Moment, input: Input) {
        self.now = now;
        let asks = matches!(input, Input::Acquire(_) | Input::Dispose { .. } | Input::Release(_));
        match (input, self.state) {
            (Input::Acquire(ticket), _) => self.acquire(ticket),
            (Input::Done(ticket), _) => self.done(ticket),
            (Input::Opened(of), State::Opening) if of == self.generation => self.opened(false),
            (Input::OpenFailed(of), State::Opening) if of == self.generation => self.opened(true),
            (Input::Quiescent(of, quiescent), State::Resident { .. }) if of == self.generation => {
                self.state = State::Resident { quiescent };
            }
            (Input::Release(cause), _) => self.give_up(cause),
            (Input::Dispose { ticket, by }, _) => self.dispose(ticket, by),
            (Input::Released(of), State::Releasing(cause)) if of == self.generation => {
                self.released(cause, false);
            }
            (Input::ReleaseFailed(of), State::Releasing(cause)) if of == self.generation => {
                self.released(cause, true);
            }
            // Of an older generation, or twice: it has no say.
            (
                Input::Opened(_)
                | Input::OpenFailed(_)
                | Input::Quiescent(..)
                | Input::Released(_)
                | Input::ReleaseFailed(_),
                _,
            ) => {}
        }
        self.go_on(asks);
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
            match why {
                Why::Idle => self.give_up(Cause::Idle),
                Why::Settle if self.state == State::Opening => {
                    self.out.push_back(Output::Abandon(self.generation));
                    self.state = State::None;
                }
                Why::Settle => self.cancel_work(),
                Why::Release => {
                    if let State::Releasing(cause) = self.state {
                        self.out.push_back(Output::AbandonRelease(self.generation));
                        self.released(cause, true);
                    }
                }
                Why::Waiting(ticket) => {
                    self.waiting.retain(|waiting| *waiting != ticket);
                    self.out.push_back(Output::Refuse(ticket, Refusal::TooLong));
                }
            }
        }
        self.go_on(false);
    }
}

#[cfg(test)]
mod tests;
