//! The agent's contacts: what becomes of each contact event.
//!
//! | event is | strategy | action |
//! |---|---|---|
//! | handled before | any | none |
//! | a contact added or removed, broadcast on | any | every serving room is told with its next turn |
//! | new | disabled | remembered |
//! | new | callback | the callback is called; remembered when it succeeds |
//! | new | hub room | told in the hub room; remembered then |
//! | an update of a request that is not known | hub room | the requests are listed once before it is told |
//!
//! Events are handled one after another, in their order, beside the rooms: a slow callback holds up further
//! contact events and nothing else. What does not fit into the queue is found again by listing.
//!
//! | the hub room | then |
//! |---|---|
//! | start | asked for, once |
//! | could not be made | asked for again, later each time |
//! | made | its room is served, whether the platform says so or not |
//! | served | its task is told what it is for, and what waits is told in it |
//! | its task ended | what comes waits until it is served again |
//! | the agent was removed from it | another one is asked for |
//!
//! Requests that came while nobody listened are found by listing the pending ones: when the connection is
//! made, and whenever events may have been missed. So are the contacts, where rooms are told of them: whoever came or
//! went since the last list counts as if it were pushed now.

mod absence;
mod known;
mod text;

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use band_wire::ChatId;
use band_wire::event::{ContactRequest, Event, name};
use band_wire::rest::{AgentContact, ContactRequests, ReceivedContactRequest};

use self::absence::Absence;
use self::known::{Details, Handled, Key, Requests};
use crate::backoff::{Backoff, Dice};
use crate::timers::Timers;
use crate::{Deadline, Machine, Moment};

pub use self::known::REMEMBERED;

/// Contact events that wait. What comes beyond is looked for on the platform later.
pub const QUEUE_MAX: usize = 1_000;

const RETRY_BASE: Duration = Duration::from_secs(1);
const RETRY_MAX: Duration = Duration::from_secs(30);

/// What to do with contact events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Handling {
    /// Nothing.
    #[default]
    Disabled,
    /// A callback of the host decides.
    Callback,
    /// They are told in a room of the agent's own, where the model decides.
    HubRoom,
}

/// How contacts are handled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// What to do with contact events.
    pub handling: Handling,
    /// Whether all rooms are told of contacts that come and go.
    pub broadcast: bool,
}

impl Options {
    /// Whether the contacts' topic is joined.
    pub fn listens(self) -> bool {
        self.broadcast || self.handling != Handling::Disabled
    }
}

/// What the machine is told.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// The rooms are joined: the hub room may be made.
    Start,
    /// A contact event.
    Event(Box<Event>),
    /// Events may have been missed.
    Missed,
    /// The answer to [`Output::CreateHub`].
    HubCreated(Result<ChatId, ()>),
    /// A room is served.
    Opened(ChatId),
    /// A room's task has ended; it may be served again.
    Ended(ChatId),
    /// The agent left a room.
    Left(ChatId),
    /// The answer to [`Output::Call`].
    Called(Result<(), ()>),
    /// The answer to [`Output::Enrich`].
    Enriched(Result<ContactRequests, ()>),
    /// The answer to [`Output::Look`].
    Looked(Result<Vec<ReceivedContactRequest>, ()>),
    /// The answer to [`Output::List`]; none when there are more contacts than are read.
    Listed(Result<Option<Vec<AgentContact>>, ()>),
    /// [`Output::Post`] is done, well or not.
    Posted,
    /// The agent stops: nothing new is begun.
    Close,
}

/// What the machine asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Tell every serving room this, with its next turn.
    Broadcast(String),
    /// Call the host's callback.
    Call(Box<Event>),
    /// Make the hub room.
    CreateHub,
    /// Serve this room, whether its push came or not.
    Serve(ChatId),
    /// Tell a room's task that it is the hub, and what that means.
    Designate(ChatId),
    /// Hand a room's task a message of the agent's own.
    Tell(ChatId, String),
    /// Post an event with the same text into the room, of this type of contact event.
    Post(ChatId, String, &'static str),
    /// List the requests of both directions, of any status: one page.
    Enrich,
    /// List all pending requests that were received.
    Look,
    /// List all contacts.
    List,
    /// The start is done: the hub room is there, or could not be made at once.
    Settled,
    /// More waits than fits.
    Overflow,
}

/// Why the machine wants to wake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// The hub room is to be asked for again.
    CreateHub,
    /// The pending requests are to be listed again.
    Look,
    /// The contacts are to be listed again.
    List,
}

/// What is under way with the event at the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Busy {
    No,
    Calling,
    Enriching,
    Posting,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hub {
    /// Not asked for.
    None,
    /// Asked for, or about to be asked for again.
    Making,
    /// There, and served or not.
    Made { room: ChatId, served: bool },
}

/// The machine. See the module.
#[derive(Debug)]
pub struct Contacts {
    options: Options,
    now: Moment,
    queue: VecDeque<Box<Event>>,
    busy: Busy,
    /// Whether the event at the head was broadcast, or is as well known as it gets.
    broadcast: bool,
    enriched: bool,
    handled: Handled,
    requests: Requests,
    hub: Hub,
    open: BTreeSet<ChatId>,
    looking: bool,
    look_again: bool,
    absence: Absence,
    started: bool,
    settled: bool,
    closing: bool,
    out: VecDeque<Output>,
    timers: Timers<Why>,
    dice: Dice,
    making: Backoff,
    seeking: Backoff,
    listing: Backoff,
}

impl Contacts {
    /// Nothing has come yet. The seed is for jitter.
    pub fn new(options: Options, seed: u64) -> Self {
        Self {
            options,
            now: Moment::ZERO,
            queue: VecDeque::new(),
            busy: Busy::No,
            broadcast: false,
            enriched: false,
            handled: Handled::default(),
            requests: Requests::default(),
            hub: Hub::None,
            open: BTreeSet::new(),
            looking: false,
            look_again: false,
            absence: Absence::default(),
            started: false,
            settled: false,
            closing: false,
            out: VecDeque::new(),
            timers: Timers::new(),
            dice: Dice::new(seed),
            making: Backoff::new(RETRY_BASE, RETRY_MAX),
            seeking: Backoff::new(RETRY_BASE, RETRY_MAX),
            listing: Backoff::new(RETRY_BASE, RETRY_MAX),
        }
    }

    /// The hub room, once it is made.
    pub const fn hub(&self) -> Option<ChatId> {
        match self.hub {
            Hub::Made { room, .. } => Some(room),
            Hub::None | Hub::Making => None,
        }
    }

    fn has_hub(&self) -> bool {
        self.options.handling == Handling::HubRoom
    }

    fn start(&mut self) {
        self.started = true;
        if self.has_hub() {
            self.make_hub();
        } else {
            self.settle();
        }
    }

    fn settle(&mut self) {
        if !std::mem::replace(&mut self.settled, true) {
            self.out.push_back(Output::Settled);
        }
    }

    fn make_hub(&mut self) {
        if self.hub == Hub::None && self.started {
            self.hub = Hub::Making;
            self.out.push_back(Output::CreateHub);
        }
    }

    fn hub_created(&mut self, created: Result<ChatId, ()>) {
        if self.hub != Hub::Making {
            return;
        }
        match created {
            Ok(room) => {
                self.making.reset();
                self.hub = Hub::Made { room, served: false };
                self.out.push_back(Output::Serve(room));
                if self.open.contains(&room) {
                    self.serve_hub(room);
                }
            }
            Err(()) => {
                let wait = self.making.next(&mut self.dice);
                self.timers.set(Why::CreateHub, self.now + wait);
            }
        }
        self.settle();
    }

    fn serve_hub(&mut self, room: ChatId) {
        if self.hub == (Hub::Made { room, served: false }) {
            self.hub = Hub::Made { room, served: true };
            self.out.push_back(Output::Designate(room));
        }
    }

    fn opened(&mut self, room: ChatId) {
        if self.has_hub() {
            self.open.insert(room);
            self.serve_hub(room);
        }
    }

    fn ended(&mut self, room: ChatId) {
        self.open.remove(&room);
        if self.hub() == Some(room) {
            self.hub = Hub::Made { room, served: false };
        }
    }

    fn left(&mut self, room: ChatId) {
        self.open.remove(&room);
        if self.hub() == Some(room) {
            self.hub = Hub::None;
            self.make_hub();
        }
    }

    fn event(&mut self, event: Box<Event>) {
        if let Event::ContactRequestReceived(request) = &*event {
            let ContactRequest { id, from_handle, from_name, .. } = request;
            let side = known::Side::From;
            let details = Details { side, handle: from_handle.clone(), name: from_name.clone() };
            self.requests.remember(*id, details);
        }
        if self.queue.len() < QUEUE_MAX {
            self.queue.push_back(event);
        } else {
            self.look_again = true;
            self.out.push_back(Output::Overflow);
        }
    }

    /// Looks for requests that nobody told of.
    fn look(&mut self) {
        if self.options.handling == Handling::Disabled {
            return;
        }
        self.timers.clear(Why::Look);
        if std::mem::replace(&mut self.looking, true) {
            self.look_again = true;
        } else {
            self.look_again = false;
            self.out.push_back(Output::Look);
        }
    }

    /// Looks for contacts that came or went and that nobody told of.
    fn list(&mut self) {
        self.timers.clear(Why::List);
        if self.options.broadcast && self.absence.ask() {
            self.out.push_back(Output::List);
        }
    }

    fn listed(&mut self, found: Result<Option<Vec<AgentContact>>, ()>) {
        let again = match found {
            Ok(found) => {
                self.listing.reset();
                let (events, again) = self.absence.listed(found);
                events.into_iter().for_each(|event| self.event(Box::new(event)));
                again
            }
            Err(()) => {
                let wait = self.listing.next(&mut self.dice);
                self.timers.set(Why::List, self.now + wait);
                self.absence.over()
            }
        };
        if again {
            self.list();
        }
    }

    fn looked(&mut self, found: Result<Vec<ReceivedContactRequest>, ()>) {
        self.looking = false;
        match found {
            Ok(found) => {
                self.seeking.reset();
                let waiting: BTreeSet<Key> = self.queue.iter().filter_map(|event| Key::of(event)).collect();
                for request in found {
                    let key = Key::Received(request.id);
                    if !self.handled.has(&key) && !waiting.contains(&key) {
                        self.event(Box::new(Event::ContactRequestReceived(pushed(request))));
                    }
                }
            }
            Err(()) => {
                let wait = self.seeking.next(&mut self.dice);
                self.timers.set(Why::Look, self.now + wait);
            }
        }
    }

    fn enriched(&mut self, found: Result<ContactRequests, ()>) {
        self.busy = Busy::No;
        self.enriched = true;
        let ContactRequests { received, sent } = found.unwrap_or_default();
        let Some(Event::ContactRequestUpdated(update)) = self.queue.front().map(|event| &**event) else {
            return;
        };
        let received = received.iter().find(|request| request.id == update.id).map(Details::from);
        let sent = || sent.iter().find(|request| request.id == update.id).map(Details::from);
        if let Some(details) = received.or_else(sent) {
            self.requests.remember(update.id, details);
        }
    }

    /// Handles what waits, as far as it goes without an answer from outside.
    fn advance(&mut self) {
        while self.busy == Busy::No && !self.closing {
            let Some(event) = self.queue.front() else { break };
            let Some(key) = Key::of(event).filter(|key| !self.handled.has(key)) else {
                self.done(None);
                continue;
            };
            if self.options.broadcast
                && !std::mem::replace(&mut self.broadcast, true)
                && let Some(text) = text::broadcast(event)
            {
                self.out.push_back(Output::Broadcast(text));
            }
            match self.options.handling {
                Handling::Disabled => self.done(Some(key)),
                Handling::Callback => {
                    self.busy = Busy::Calling;
                    self.out.push_back(Output::Call(event.clone()));
                }
                Handling::HubRoom => {
                    if !self.tell() {
                        break;
                    }
                }
            }
        }
        if self.queue.len() <= QUEUE_MAX / 2 && std::mem::take(&mut self.look_again) {
            self.look();
        }
    }

    /// Tells the hub room of the event at the head; false when that has to wait.
    fn tell(&mut self) -> bool {
        let Some(event) = self.queue.front() else { return false };
        let Hub::Made { room, served: true } = self.hub else { return false };
        let details = match &**event {
            Event::ContactRequestUpdated(update) => {
                let known = self.requests.get(update.id);
                if known.is_none() && !self.enriched {
                    self.busy = Busy::Enriching;
                    self.out.push_back(Output::Enrich);
                    return false;
                }
                known
            }
            _ => None,
        };
        let text = text::of_event(event, details);
        self.out.push_back(Output::Tell(room, text.clone()));
        self.out.push_back(Output::Post(room, text, kind(event)));
        self.busy = Busy::Posting;
        false
    }

    /// Ends with the event at the head, and remembers it if that went well.
    fn done(&mut self, key: Option<Key>) {
        self.queue.pop_front();
        self.busy = Busy::No;
        self.broadcast = false;
        self.enriched = false;
        if let Some(key) = key {
            self.handled.remember(key);
        }
    }

    fn head(&self) -> Option<Key> {
        self.queue.front().and_then(|event| Key::of(event))
    }
}

/// A listed request as the push that told of it.
fn pushed(request: ReceivedContactRequest) -> ContactRequest {
    ContactRequest {
        id: request.id,
        from_handle: request.from_handle,
        from_name: request.from_name,
        message: request.message,
        status: request.status.as_str().to_owned(),
        inserted_at: Some(request.inserted_at),
    }
}

const fn kind(event: &Event) -> &'static str {
    match event {
        Event::ContactRequestReceived(_) => name::CONTACT_REQUEST_RECEIVED,
        Event::ContactRequestUpdated(_) => name::CONTACT_REQUEST_UPDATED,
        Event::ContactAdded(_) => name::CONTACT_ADDED,
        Event::ContactRemoved(_) => name::CONTACT_REMOVED,
        _ => "unknown",
    }
}

impl Machine for Contacts {
    type Input = Input;
    type Output = Output;
    type Why = Why;

    fn handle(&mut self, now: Moment, input: Input) {
        self.now = now;
        match input {
            Input::Close => {
                self.closing = true;
                self.timers.clear_all();
            }
            _ if self.closing || !self.options.listens() && input != Input::Start => {}
            Input::Start => self.start(),
            Input::Event(event) => {
                self.absence.heard(&event);
                self.event(event);
            }
            Input::Missed => {
                self.look();
                self.list();
            }
            Input::Listed(found) => self.listed(found),
            Input::HubCreated(created) => self.hub_created(created),
            Input::Opened(room) => self.opened(room),
            Input::Ended(room) => self.ended(room),
            Input::Left(room) => self.left(room),
            Input::Called(outcome) => {
                if self.busy == Busy::Calling {
                    let key = outcome.ok().and_then(|()| self.head());
                    self.done(key);
                }
            }
            Input::Enriched(found) => {
                if self.busy == Busy::Enriching {
                    self.enriched(found);
                }
            }
            Input::Looked(found) => self.looked(found),
            Input::Posted => {
                if self.busy == Busy::Posting {
                    let key = self.head();
                    self.done(key);
                }
            }
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
            match why {
                Why::CreateHub => self.out.push_back(Output::CreateHub),
                Why::Look => self.look(),
                Why::List => self.list(),
            }
        }
        self.advance();
    }
}
