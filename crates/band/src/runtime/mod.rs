//! A running agent: its link, its presence, one task for each room, and their owner.

mod activity;
mod calls;
mod context;
mod control;
mod leftover;
mod mailbox;
mod past;
mod phase;
mod room;
mod rooms;
mod turns;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use band_core::agent::contacts::Input as Contact;
use band_core::agent::{Input, Output, Presence};
use band_core::{Machine, Moment};
use band_wire::ChatId;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub(crate) use self::calls::marked;
pub(crate) use self::context::read as read_past;
pub(crate) use self::leftover::Leftover;
use self::rooms::Rooms;
pub(crate) use self::turns::label;
use crate::adapter::{BoxedAdapter, Identity};
use crate::agent::hooks::Hooks;
use crate::alarm;
use crate::config::SessionConfig;
use crate::contacts::{ContactDesk, HubRoom, Order};
use crate::error::Result;
use crate::host::Places;
use crate::journal::Journal;
use crate::link::{Link, LinkConfig, LinkEvent, LinkEvents, LinkHandle, StopReason};
use crate::metrics::{LinkMeter, Metrics};
use crate::presence::Listing;
use crate::rest::RestClient;
use crate::sim::{Chance, Seams};
use crate::tools::Offer;

/// How long turns may go on when the connection ends for good and nobody says otherwise.
const GRACE: std::time::Duration = std::time::Duration::from_secs(30);

/// What a runtime needs.
pub(crate) struct Parts {
    pub(crate) rest: RestClient,
    pub(crate) link: LinkConfig,
    pub(crate) session: Arc<SessionConfig>,
    pub(crate) identity: Arc<Identity>,
    pub(crate) adapter: Arc<BoxedAdapter>,
    pub(crate) metrics: Metrics,
    pub(crate) journal: Journal,
    pub(crate) features: Arc<Offer>,
    pub(crate) hooks: Arc<Hooks>,
    /// Where the adapter may block its thread; none when it may not.
    pub(crate) places: Option<Places>,
    pub(crate) seams: Seams,
    /// For all jitter, and for ids.
    pub(crate) chance: Chance,
    pub(crate) hub: HubRoom,
    /// Whether the rooms that the agent is in already are joined at the start.
    pub(crate) existing_rooms: bool,
}

/// What a runtime tells while it runs.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Resolves when the rooms are joined; an error when the connection ended for good before.
    pub(crate) ready: oneshot::Receiver<Result<usize, StopReason>>,
    /// Why the connection ended for good, once it has.
    pub(crate) ended: watch::Receiver<Option<StopReason>>,
    /// The rooms that are open.
    pub(crate) rooms: watch::Receiver<Arc<Vec<ChatId>>>,
    /// The link, for what it tells of itself.
    pub(crate) link: LinkHandle,
    /// Orders to stop.
    pub(crate) closer: Closer,
}

/// Orders to stop: turns may finish until the moment given, or not at all.
#[derive(Debug, Clone)]
pub(crate) struct Closer(watch::Sender<Option<Close>>);

#[derive(Debug, Clone, Copy)]
struct Close {
    by: Option<Instant>,
}

impl Closer {
    /// Stops. Said again, it can only become sooner, in whichever order it is said.
    pub(crate) fn close(&self, by: Option<Instant>) {
        self.0.send_modify(|order| {
            let by = order.map_or(by, |known| mailbox::sooner(known.by, by));
            *order = Some(Close { by });
        });
    }
}

/// How a runtime ended.
#[derive(Debug)]
pub(crate) struct RuntimeEnd {
    /// No turn had to be cancelled.
    pub(crate) graceful: bool,
    /// Rooms that the adapter could not forget, and why.
    pub(crate) unforgotten: BTreeMap<ChatId, String>,
    /// Rooms that it could not forget when they were left, before the stop.
    pub(crate) left: BTreeSet<ChatId>,
    /// Rooms with turns that were dropped and still run.
    pub(crate) leftover: BTreeMap<ChatId, Leftover>,
}

/// The owner of everything that runs for an agent. When it is dropped, everything is.
pub(crate) struct Runtime {
    presence: Presence,
    origin: Instant,
    rest: RestClient,
    link: LinkHandle,
    meter: LinkMeter,
    events: LinkEvents,
    /// The link has said its last word.
    silent: bool,
    driver: JoinSet<StopReason>,
    listing: Listing,
    rooms: Rooms,
    contacts: ContactDesk,
    controls: control::Seen,
    ready: Option<oneshot::Sender<Result<usize, StopReason>>>,
    /// How many rooms the start has joined, once it has.
    joined: usize,
    ended: watch::Sender<Option<StopReason>>,
    open: watch::Sender<Arc<Vec<ChatId>>>,
    orders: watch::Receiver<Option<Close>>,
    closing: bool,
}

impl Runtime {
    /// Connects. [`run`](Self::run) does the rest.
    pub(crate) fn start(parts: Parts, contacts: ContactDesk) -> Result<(Self, Watched)> {
        tracing::info!(target: "band.runtime", "Starting AgentRuntime for agent {}", parts.identity.id);
        let (link, events, driver) = match &parts.seams.dialer {
            Some(dialer) => Link::with_dialer(&parts.link, Arc::clone(dialer))?,
            None => Link::new(&parts.link)?,
        };
        let mut tasks = JoinSet::new();
        tasks.spawn(driver.run(CancellationToken::new()));
        let pulse = link.pulse();
        let (ready, told_ready) = oneshot::channel();
        let (ended, told_ended) = watch::channel(None);
        let (open, told_open) = watch::channel(Arc::default());
        let (closer, orders) = watch::channel(None);
        let watched = Watched {
            ready: told_ready,
            ended: told_ended,
            rooms: told_open,
            link: link.clone(),
            closer: Closer(closer),
        };
        let runtime = Self {
            presence: Presence::new(parts.chance.seed()).existing_rooms(parts.existing_rooms),
            origin: Instant::now(),
            rest: parts.rest.clone(),
            link,
            meter: LinkMeter::new(parts.metrics.clone(), pulse),
            events,
            silent: false,
            driver: tasks,
            listing: Listing::default(),
            rooms: Rooms::new(parts),
            contacts,
            controls: control::Seen::default(),
            ready: Some(ready),
            joined: 0,
            ended,
            open,
            orders,
            closing: false,
        };
        Ok((runtime, watched))
    }

    /// Runs until it is told to stop, or the connection ends for good; then until every room has closed.
    pub(crate) async fn run(mut self) -> RuntimeEnd {
        let _last_word = LastWord(self.ended.clone());
        while !self.drain().await {
            let deadline = self.presence.deadline();
            tokio::select! {
                biased;
                changed = self.orders.changed() => match changed {
                    Ok(()) => self.ordered(),
                    // Nobody is left who could ask: the owner of this task drops it.
                    Err(_) => std::future::pending().await,
                },
                Some(end) = self.rooms.ended() => {
                    let room = self.rooms.put_away(end);
                    self.tell(Input::Ended(room));
                    self.contacts.tell(Contact::Ended(room));
                }
                rooms = self.listing.answer() => self.tell(Input::Listed(rooms)),
                event = self.events.next(), if !self.silent => match event {
                    Some(event) => self.happened(event),
                    None => self.fell_silent(),
                },
                () = self.contacts.next() => {}
                () = alarm::due(self.origin, deadline) => {
                    let now = self.now();
                    self.presence.expire(now);
                }
            }
        }
        self.finish_contacts().await;
        self.link.close();
        while let Some(end) = self.driver.join_next().await {
            // Whoever stops the agent hears of it.
            if let Err(broken) = end
                && let Ok(panic) = broken.try_into_panic()
            {
                std::panic::resume_unwind(panic);
            }
        }
        self.rooms.into_end()
    }

    /// What is being done with a contact event has as long as turns have.
    async fn finish_contacts(&mut self) {
        loop {
            let order = *self.orders.borrow_and_update();
            tokio::select! {
                biased;
                Ok(()) = self.orders.changed() => {}
                () = self.contacts.finish(order.and_then(|Close { by }| by)) => return,
            }
        }
    }

    fn now(&self) -> Moment {
        Moment::at(self.origin.elapsed())
    }

    fn tell(&mut self, input: Input) {
        let now = self.now();
        self.presence.handle(now, input);
    }

    fn ordered(&mut self) {
        let order = *self.orders.borrow_and_update();
        if let Some(Close { by }) = order {
            self.close(by);
        }
    }

    /// The rooms close; turns may finish until then.
    fn close(&mut self, by: Option<Instant>) {
        self.closing = true;
        self.meter.ready(false);
        self.contacts.tell(Contact::Close);
        self.rooms.close_all(by);
        self.tell(Input::Close);
    }

    /// Does what presence and the contacts ask for; true when everything is closed.
    async fn drain(&mut self) -> bool {
        loop {
            if self.carry_out().await {
                return true;
            }
            let Some(order) = self.contacts.order() else { return false };
            self.obey(order);
        }
    }

    /// What the contacts want of the rooms.
    fn obey(&mut self, order: Order) {
        match order {
            Order::Broadcast(text) => self.rooms.mail_all(|mailbox| mailbox.system(text.clone())),
            Order::Serve(room) => self.tell(Input::Added(room)),
            Order::Designate(room, text) => self.rooms.mail(room, |mailbox| {
                mailbox.hub();
                mailbox.system(text);
            }),
            Order::Tell(room, message) => self.rooms.mail(room, |mailbox| mailbox.synthetic(message)),
            Order::Settled => {
                if let Some(ready) = self.ready.take() {
                    // An error means that nobody waits for the start any more.
                    let _ = ready.send(Ok(self.joined));
                }
            }
        }
    }

    /// Does what presence asks for; true when everything is closed.
    async fn carry_out(&mut self) -> bool {
        let mut changed = false;
        while let Some(output) = self.presence.poll() {
            match output {
                Output::List => self.listing.ask(self.rest.clone()),
                Output::Join(room) => self.link.join_room(room).await,
                Output::Leave(room) => self.link.leave_room(room).await,
                Output::Open(room) => {
                    self.rooms.open(room);
                    self.contacts.tell(Contact::Opened(room));
                    changed = true;
                }
                Output::Subscribed(room) => self.rooms.mail(room, mailbox::Mailbox::subscribed),
                Output::Unsubscribed(room) => self.rooms.mail(room, mailbox::Mailbox::unsubscribed),
                Output::Resync(room) => self.rooms.mail(room, mailbox::Mailbox::resync),
                Output::Close(room) => {
                    self.rooms.close(room);
                    self.contacts.tell(Contact::Left(room));
                    changed = true;
                }
                Output::Ready(rooms) => {
                    tracing::info!(target: "band.agent", "Subscribed to {rooms} rooms during startup");
                    self.meter.ready(!self.closing);
                    self.joined = rooms;
                    self.contacts.tell(Contact::Start);
                }
                Output::Closed => return true,
            }
        }
        if changed {
            self.open.send_replace(Arc::new(self.presence.open_rooms().collect()));
        }
        false
    }

    fn happened(&mut self, event: LinkEvent) {
        use mailbox::News;
        self.meter.event(&event, self.link.counters());
        match event {
            LinkEvent::Connected { .. } => {
                self.tell(Input::Connected);
                self.contacts.tell(Contact::Missed);
            }
            LinkEvent::Contact(event) => self.contacts.tell(Contact::Event(event)),
            LinkEvent::ContactsStale => self.contacts.tell(Contact::Missed),
            LinkEvent::Disconnected { .. } => self.tell(Input::Disconnected),
            LinkEvent::RoomsStale => self.tell(Input::Stale),
            LinkEvent::RoomAdded(record) => self.tell(Input::Added(record.id)),
            LinkEvent::RoomRemoved(room) => self.removed(room, "room_removed"),
            LinkEvent::RoomDeleted(room) => self.removed(room, "room_deleted"),
            LinkEvent::RoomJoined(room) => self.tell(Input::Joined(room)),
            LinkEvent::RoomJoinFailed { room, reason, .. } => {
                tracing::warn!(target: "band.presence", %room, reason, "room could not be joined");
                self.tell(Input::JoinFailed(room));
            }
            LinkEvent::Message { room, message } => {
                self.rooms.mail(room, |mailbox| mailbox.news(News::Message(message)));
            }
            LinkEvent::ParticipantAdded { room, participant } => {
                let member = Box::new((*participant).into());
                self.rooms.mail(room, |mailbox| mailbox.news(News::Arrived(member)));
            }
            LinkEvent::ParticipantRemoved { room, participant } => {
                let member = Box::new((*participant).into());
                self.rooms.mail(room, |mailbox| mailbox.news(News::Left(member)));
            }
            LinkEvent::Overflow { room } => self.rooms.mail(room, mailbox::Mailbox::resync),
            LinkEvent::Control(control) => self.steered(&control),
            LinkEvent::Ended(reason) => self.link_ended(reason),
            _ => {}
        }
    }

    fn removed(&mut self, room: ChatId, event: &str) {
        if self.rooms.has(room) {
            tracing::info!(target: "band.presence", "Agent left room via {event}: {room}");
        }
        self.tell(Input::Removed(room));
    }

    /// There are no events any more. A link that broke has not said why: without it no room hears anything.
    fn fell_silent(&mut self) {
        self.silent = true;
        if !self.closing {
            tracing::error!(target: "band.agent", "the connection's task broke: the agent stops");
            if let Some(ready) = self.ready.take() {
                let _ = ready.send(Err(StopReason::Broken));
            }
            self.ended.send_replace(Some(StopReason::Broken));
            self.close(Some(Instant::now() + GRACE));
        }
    }

    /// The connection is over for good: no other process may be hindered, so nothing new is taken up.
    fn link_ended(&mut self, reason: StopReason) {
        if let Some(ready) = self.ready.take() {
            let _ = ready.send(Err(reason.clone()));
        }
        if !self.closing {
            tracing::warn!(target: "band.agent", %reason, "the connection ended for good");
            self.ended.send_replace(Some(reason));
            self.close(Some(Instant::now() + GRACE));
        }
    }
}

/// Says that the runtime broke, when it did: whoever waits for its end must not take that for an orderly one.
struct LastWord(watch::Sender<Option<StopReason>>);

impl Drop for LastWord {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.send_if_modified(|ended| {
                let first = ended.is_none();
                *ended = ended.take().or(Some(StopReason::Broken));
                first
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_order_to_stop_can_only_become_sooner() {
        let (sender, orders) = watch::channel(None);
        let closer = Closer(sender);
        let now = Instant::now();
        let held = |by| {
            closer.close(by);
            orders.borrow().map(|order| order.by)
        };
        let (soon, later) = (Some(now + Duration::from_secs(1)), Some(now + Duration::from_secs(9)));
        assert_eq!(held(later), Some(later));
        assert_eq!(held(soon), Some(soon));
        assert_eq!(held(later), Some(soon));
        assert_eq!(held(None), Some(None));
        assert_eq!(held(soon), Some(None));
    }
}
