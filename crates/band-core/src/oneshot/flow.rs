//! One message: from its claim to its mark.
//!
//! | stage | next |
//! |---|---|
//! | handled, or in hand elsewhere | the end |
//! | its mark is owed | the mark alone |
//! | asking which message is served next | none: the end; this one: claim; another: look for this one |
//! | looking in the list of open messages | not there, or processed: the end; there: participants |
//! | claimed | participants |
//! | participants are there | is it a word to work that is under way? |
//! | it is | mark it processed (claim it first, if it is not the oldest); the end |
//! | it is not, and it is not the oldest | the end: its turn comes after the others |
//! | it is not, and it is the oldest | the past, page by page, then the adapter's turn |
//! | the turn is done | owed, marked processed, handled; then what else the model has seen |
//! | the turn failed | marked failed; the error |
//!
//! A call that fails is the end with its error, but for participants, the past and what comes after the mark.

use std::collections::BTreeSet;

use band_wire::rest::{DeliveryStatus, Message};
use band_wire::{AgentId, ChatId, MessageId};

use super::past::{Page, Past, Reader};
use super::{Claims, DrainStep, Waiting, drain_step};
use crate::room::{Listing, Mark};

/// Messages that are taken along at most.
pub const DRAIN_MAX: u32 = 50;
/// Letters of a failed mark's text.
pub const ERROR_MAX: usize = 500;
/// Pages of open messages in which one is looked for.
const LIST_PAGES: u32 = 50;

/// What an invocation is about.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    /// Whose.
    pub agent: AgentId,
    /// Where.
    pub room: ChatId,
    /// The message of the event.
    pub message: MessageId,
    /// Messages that are taken along at most: [`DRAIN_MAX`], as a rule.
    pub drain_max: u32,
    /// Pages of the past that are kept: [`PAGES_KEPT`](super::PAGES_KEPT), as a rule.
    pub pages_kept: usize,
}

/// What a flow asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// The oldest message that is not processed.
    Next,
    /// A page of the messages that are not processed, oldest first.
    List {
        /// From the page before.
        cursor: Option<String>,
    },
    /// Mark a message processing.
    Claim(MessageId),
    /// Mark a message processed.
    Processed(MessageId),
    /// Mark a message failed.
    Failed(MessageId, String),
    /// Who is in the room. A failure is an empty room.
    Participants,
    /// Ask the adapter whether it takes the message as a word to work under way.
    Probe(Box<Message>),
    /// A page of the room's past, oldest first.
    History {
        /// From the page before.
        cursor: Option<String>,
    },
    /// The adapter's turn.
    Run(Box<Message>, Box<Past>),
}

/// The answer to a call, of its own kind.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// To [`Call::Next`]; an error when the call failed.
    Next(Result<Option<Box<Message>>, ()>),
    /// To [`Call::List`].
    Listed(Result<Listing, ()>),
    /// To the three marks.
    Marked(Mark),
    /// To [`Call::Participants`].
    Participants,
    /// To [`Call::Probe`]: whether it was taken; an error's text when the adapter failed.
    Probed(Result<bool, String>),
    /// To [`Call::History`].
    History(Option<Page>),
    /// To [`Call::Run`].
    Ran(Ran),
}

/// How the adapter's turn went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ran {
    /// Well.
    Done,
    /// The adapter did not take the message.
    NotAccepted,
    /// The platform has stopped the agent in this room.
    Stopped,
    /// Badly: what the mark says.
    Failed(String),
}

/// How an event ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Not for a one-shot host.
    Ignored {
        /// The event.
        event: String,
    },
    /// The adapter has cleaned a room up.
    CleanedUp {
        /// The event.
        event: String,
        /// The room.
        room: ChatId,
    },
    /// The agent's own message.
    SkippedSelf {
        /// The message.
        message: MessageId,
    },
    /// Nothing waits in the room.
    NoPending {
        /// The message.
        message: MessageId,
    },
    /// Handled, or not its turn.
    AlreadyProcessed {
        /// The message.
        message: MessageId,
        /// The oldest one, if it is another.
        next_open: Option<MessageId>,
    },
    /// In hand elsewhere in this process, or the adapter did not take it. The platform serves it again.
    NotAccepted {
        /// The room; none when it was in hand.
        room: Option<ChatId>,
        /// The message.
        message: MessageId,
    },
    /// Handled.
    Done {
        /// The room.
        room: ChatId,
        /// The message.
        message: MessageId,
        /// What else was done with it, since the model had seen it.
        drained: Vec<MessageId>,
        /// There may be more of those.
        drain_truncated: bool,
        /// The model did not see the whole past.
        history_truncated: bool,
    },
}

/// Why an event failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// A call failed; whoever made it knows how.
    Call,
    /// The platform did not let the message be claimed.
    Claim,
    /// The platform did not take the processed mark. It stays owed.
    Completion,
    /// The platform has stopped the agent in this room.
    Stopped,
    /// The adapter failed.
    Adapter,
}

/// How a flow ended.
pub type End = Result<Outcome, Refusal>;

#[derive(Debug)]
enum Stage {
    Owed,
    Asking,
    Looking { pages: u32 },
    Claiming,
    Participants,
    Probing,
    ClaimingControl,
    Reading(Reader),
    Running,
    Marking { drains: bool },
    Failing,
    Draining,
    DrainClaiming(MessageId),
    DrainMarking(MessageId),
    Ended,
}

/// The machine of one invocation: [`poll`](Self::poll) gives a call, [`answer`](Self::answer) takes its answer,
/// until there is an [`end`](Self::end). One call is under way at a time.
#[derive(Debug)]
pub struct Flow {
    start: Start,
    stage: Stage,
    call: Option<Call>,
    end: Option<End>,
    message: Option<Box<Message>>,
    /// The oldest open message, when it is another one.
    older: Option<MessageId>,
    seen: BTreeSet<MessageId>,
    history_truncated: bool,
    drains_left: u32,
    own: BTreeSet<MessageId>,
    drained: Vec<MessageId>,
}

impl Flow {
    /// Begins, with what this process knows of the message.
    pub fn new(start: Start, claims: &mut Claims) -> Self {
        let mut flow = Self {
            start,
            stage: Stage::Ended,
            call: None,
            end: None,
            message: None,
            older: None,
            seen: BTreeSet::new(),
            history_truncated: false,
            drains_left: start.drain_max,
            own: BTreeSet::new(),
            drained: Vec::new(),
        };
        let Start { room, message, .. } = start;
        if claims.is_completed(room, message) {
            flow.already();
        } else if !claims.try_claim(room, message) {
            flow.finish(Ok(Outcome::NotAccepted { room: None, message }));
        } else if claims.is_owed(room, message) {
            flow.ask(Stage::Owed, Call::Processed(message));
        } else {
            flow.ask(Stage::Asking, Call::Next);
        }
        flow
    }

    /// The call to make, if one is to be made.
    pub fn poll(&mut self) -> Option<Call> {
        self.call.take()
    }

    /// How it ended, once it has.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// The message that is marked with this one and is in hand now, if any.
    pub const fn draining(&self) -> Option<MessageId> {
        match self.stage {
            Stage::DrainClaiming(id) | Stage::DrainMarking(id) => Some(id),
            _ => None,
        }
    }

    /// Takes the answer to the last call. Once there is an end the message is out of hand.
    pub fn answer(&mut self, answer: Answer, claims: &mut Claims) {
        let stage = std::mem::replace(&mut self.stage, Stage::Ended);
        match (stage, answer) {
            (Stage::Asking, Answer::Next(served)) => self.served(served),
            (Stage::Looking { pages }, Answer::Listed(page)) => self.listed(pages, page),
            (Stage::Claiming, Answer::Marked(mark)) => match mark {
                Mark::Accepted => self.ask(Stage::Participants, Call::Participants),
                other => self.finish(Err(refusal(other, Refusal::Claim))),
            },
            (Stage::Participants, Answer::Participants) => match self.message.clone() {
                Some(message) => self.ask(Stage::Probing, Call::Probe(message)),
                None => self.finish(Err(Refusal::Call)),
            },
            (Stage::Probing, Answer::Probed(taken)) => self.probed(taken, claims),
            (Stage::ClaimingControl, Answer::Marked(mark)) => match mark {
                Mark::Accepted => self.mark(false, claims),
                other => self.finish(Err(refusal(other, Refusal::Claim))),
            },
            (Stage::Reading(reader), Answer::History(page)) => self.read(reader, page),
            (Stage::Running, Answer::Ran(ran)) => self.ran(ran, claims),
            (Stage::Owed, Answer::Marked(mark)) => self.marked(mark, false, claims),
            (Stage::Marking { drains }, Answer::Marked(mark)) => self.marked(mark, drains, claims),
            (Stage::Failing, Answer::Marked(_)) => self.finish(Err(Refusal::Adapter)),
            (Stage::Draining, Answer::Next(served)) => self.drain(served, claims),
            (Stage::DrainClaiming(id), Answer::Marked(mark)) => self.drain_claimed(id, mark, claims),
            (Stage::DrainMarking(id), Answer::Marked(mark)) => self.drain_marked(id, mark, claims),
            // Not the answer that was asked for: nobody can go on from here.
            (Stage::Ended, _) if self.end.is_some() => {}
            _ => self.finish(Err(Refusal::Call)),
        }
        if self.end.is_some() {
            claims.release(self.start.room, self.start.message);
        }
    }

    fn ask(&mut self, stage: Stage, call: Call) {
        self.stage = stage;
        self.call = Some(call);
    }

    fn finish(&mut self, end: End) {
        self.stage = Stage::Ended;
        self.end = Some(end);
    }

    fn already(&mut self) {
        self.finish(Ok(Outcome::AlreadyProcessed { message: self.start.message, next_open: self.older }));
    }

    fn served(&mut self, served: Result<Option<Box<Message>>, ()>) {
        match served {
            Err(()) => self.finish(Err(Refusal::Call)),
            Ok(None) => self.finish(Ok(Outcome::NoPending { message: self.start.message })),
            Ok(Some(message)) if message.id == self.start.message => self.found(message),
            Ok(Some(other)) => {
                self.older = Some(other.id);
                self.ask(Stage::Looking { pages: 1 }, Call::List { cursor: None });
            }
        }
    }

    fn listed(&mut self, pages: u32, page: Result<Listing, ()>) {
        let Ok(page) = page else { return self.finish(Err(Refusal::Call)) };
        let found = page.messages.into_iter().find(|message| message.id == self.start.message);
        match (found, page.next) {
            (Some(message), _) => self.found(Box::new(message)),
            (None, Some(cursor)) if pages < LIST_PAGES => {
                self.ask(Stage::Looking { pages: pages + 1 }, Call::List { cursor: Some(cursor) });
            }
            (None, _) => self.already(),
        }
    }

    fn found(&mut self, message: Box<Message>) {
        if message.delivery_status(self.start.agent) == Some(DeliveryStatus::Processed) {
            return self.already();
        }
        self.message = Some(message);
        match self.older {
            None => self.ask(Stage::Claiming, Call::Claim(self.start.message)),
            Some(_) => self.ask(Stage::Participants, Call::Participants),
        }
    }

    fn probed(&mut self, taken: Result<bool, String>, claims: &mut Claims) {
        match (taken, self.older) {
            (Err(error), None) => self.fail(&error),
            (Err(_), Some(_)) => self.finish(Err(Refusal::Adapter)),
            (Ok(true), None) => self.mark(false, claims),
            (Ok(true), Some(_)) => self.ask(Stage::ClaimingControl, Call::Claim(self.start.message)),
            (Ok(false), Some(_)) => self.already(),
            (Ok(false), None) => {
                let reader = Reader::new(self.start.pages_kept);
                self.ask(Stage::Reading(reader), Call::History { cursor: None });
            }
        }
    }

    fn read(&mut self, mut reader: Reader, page: Option<Page>) {
        if let Some(cursor) = reader.take(page) {
            return self.ask(Stage::Reading(reader), Call::History { cursor: Some(cursor) });
        }
        let past = reader.done();
        self.seen = past.ids();
        self.history_truncated = past.truncated;
        match self.message.take() {
            Some(message) => self.ask(Stage::Running, Call::Run(message, Box::new(past))),
            None => self.finish(Err(Refusal::Call)),
        }
    }

    fn ran(&mut self, ran: Ran, claims: &mut Claims) {
        let Start { room, message, .. } = self.start;
        match ran {
            Ran::Done => self.mark(true, claims),
            Ran::NotAccepted => self.finish(Ok(Outcome::NotAccepted { room: Some(room), message })),
            Ran::Stopped => self.finish(Err(Refusal::Stopped)),
            Ran::Failed(error) => self.fail(&error),
        }
    }

    fn fail(&mut self, error: &str) {
        let error = match error.trim() {
            "" => "error".to_owned(),
            error => error.chars().take(ERROR_MAX).collect(),
        };
        self.ask(Stage::Failing, Call::Failed(self.start.message, error));
    }

    fn mark(&mut self, drains: bool, claims: &mut Claims) {
        claims.remember_owed(self.start.room, self.start.message);
        self.ask(Stage::Marking { drains }, Call::Processed(self.start.message));
    }

    fn marked(&mut self, mark: Mark, drains: bool, claims: &mut Claims) {
        match mark {
            Mark::Accepted => {
                claims.remember_completed(self.start.room, self.start.message);
                if drains { self.drain_more(false) } else { self.done(false) }
            }
            other => self.finish(Err(refusal(other, Refusal::Completion))),
        }
    }

    /// Asks for the next message that came in meanwhile, unless enough were taken along.
    fn drain_more(&mut self, over: bool) {
        match self.drains_left.checked_sub(1).filter(|_| !over) {
            Some(left) => {
                self.drains_left = left;
                self.ask(Stage::Draining, Call::Next);
            }
            None => self.done(!over),
        }
    }

    fn drain(&mut self, served: Result<Option<Box<Message>>, ()>, claims: &mut Claims) {
        let Ok(served) = served else { return self.done(false) };
        let agent = self.start.agent.to_string();
        let (id, step) = match &served {
            None => (None, DrainStep::NoCandidate),
            Some(message) => {
                let (id, sender) = (message.id.to_string(), message.sender_id.to_string());
                let waiting = Waiting { id: &id, sender_id: &sender, sender_type: &message.sender_type };
                (Some(message.id), drain_step(Some(waiting), |_| self.seen.contains(&message.id), &agent))
            }
        };
        match (step, id) {
            // Served once more, it would be served for ever.
            (DrainStep::SelfEcho, Some(id)) => {
                let is_new = self.own.insert(id);
                self.drain_more(!is_new);
            }
            (DrainStep::Drain, Some(id)) if claims.try_claim(self.start.room, id) => {
                self.ask(Stage::DrainClaiming(id), Call::Claim(id));
            }
            _ => self.done(false),
        }
    }

    fn drain_claimed(&mut self, id: MessageId, mark: Mark, claims: &mut Claims) {
        if mark == Mark::Accepted {
            self.ask(Stage::DrainMarking(id), Call::Processed(id));
        } else {
            claims.release(self.start.room, id);
            self.done(false);
        }
    }

    fn drain_marked(&mut self, id: MessageId, mark: Mark, claims: &mut Claims) {
        claims.release(self.start.room, id);
        if mark == Mark::Accepted {
            self.drained.push(id);
            self.drain_more(false);
        } else {
            self.done(false);
        }
    }

    fn done(&mut self, drain_truncated: bool) {
        let Start { room, message, .. } = self.start;
        let drained = std::mem::take(&mut self.drained);
        self.finish(Ok(Outcome::Done {
            room,
            message,
            drained,
            drain_truncated,
            history_truncated: self.history_truncated,
        }));
    }
}

fn refusal(mark: Mark, otherwise: Refusal) -> Refusal {
    if mark == Mark::Stopped { Refusal::Stopped } else { otherwise }
}
