//! The hub behind one lock, the clock beside it, and the queues it fills.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::ws::Utf8Bytes;
use band_core::platform::hub::{
    Close, ConnId, Hub, Input, Lane, OnConflict, Output, Readers, Refused, Ticket,
};
use band_core::platform::{Principal, Push};
use band_core::{Machine, Moment};
use band_wire::phx::{Frame, Ref, Topic};
use band_wire::{AgentId, ChatId, ParticipantId, UserId};
use tokio::sync::{Notify, mpsc};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::outbox::{self, Outbox, Pickup};
use crate::bus::Outlet;

/// Changes of presence that may wait to be announced. One more is left out: the lists of participants tell
/// it all the same.
const MAX_PRESENCE: usize = 1024;

/// An agent has come online or gone offline.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Presence {
    pub(crate) agent: AgentId,
    pub(crate) online: bool,
}

/// Where all sockets meet. Its lock is held for moments only: nobody waits under it.
#[derive(Debug)]
pub(crate) struct Switchboard {
    state: Mutex<State>,
    origin: Instant,
    /// The hub has another deadline.
    rescheduled: Notify,
}

#[derive(Debug)]
struct State {
    hub: Hub,
    outboxes: BTreeMap<ConnId, Outbox>,
    presence: mpsc::Sender<Presence>,
    last: u64,
}

/// A join that the store has to decide, see [`Output::Ask`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Question {
    pub(super) ticket: Ticket,
    pub(super) principal: Principal,
    pub(super) topic: Topic,
}

impl Switchboard {
    /// Nobody is connected. `run` should differ from run to run: the ids of evictions are made of it. Also
    /// gives the changes of presence, to be announced.
    pub(crate) fn new(run: u32) -> (Self, mpsc::Receiver<Presence>) {
        let last = u64::from(run) << 32;
        let (presence, changes) = mpsc::channel(MAX_PRESENCE);
        let state = State { hub: Hub::new(), outboxes: BTreeMap::new(), presence, last };
        let board = Self { state: Mutex::new(state), origin: Instant::now(), rescheduled: Notify::new() };
        (board, changes)
    }

    /// Lets a socket in, until the seat is dropped.
    pub(super) fn open(
        self: &Arc<Self>,
        principal: Principal,
        on_conflict: OnConflict,
    ) -> Result<Seat, Refused> {
        let now = self.now();
        let mut state = self.lock();
        state.last += 1;
        let conn = ConnId(state.last);
        state.hub.handle(now, Input::Open { conn, principal, on_conflict });
        let (outbox, pickup) = outbox::queues();
        state.outboxes.insert(conn, outbox);
        let refused = state.dispatch().1;
        if let Some(why) = refused {
            state.outboxes.remove(&conn);
            return Err(why);
        }
        drop(state);
        self.rescheduled.notify_one();
        Ok(Seat { conn, pickup: Some(pickup), board: Arc::clone(self) })
    }

    /// Tells the hub something, and gives the questions that come of it.
    pub(super) fn tell(&self, input: Input) -> Vec<Question> {
        let now = self.now();
        let mut state = self.lock();
        let before = state.hub.deadline();
        state.hub.handle(now, input);
        let questions = state.dispatch().0;
        let after = state.hub.deadline();
        drop(state);
        if before != after {
            self.rescheduled.notify_one();
        }
        questions
    }

    /// Closes every socket, spread over a second, and lets nobody in any more.
    pub(crate) fn stop(&self) {
        self.tell(Input::Stop);
    }

    /// Closes the sockets of a person; those that still may come back will.
    pub(crate) fn expel(&self, user: UserId) {
        self.tell(Input::Expel { who: user.cast() });
    }

    /// Wakes the hub at its deadlines. Runs until it is told to end.
    pub(crate) async fn keep_time(&self, ended: CancellationToken) {
        loop {
            let deadline = self.lock().hub.deadline();
            let due = async {
                match deadline {
                    Some(deadline) => {
                        tokio::time::sleep_until(self.origin + deadline.at.since_origin()).await;
                    }
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = ended.cancelled() => return,
                () = self.rescheduled.notified() => {}
                () = due => {
                    let now = self.now();
                    let mut state = self.lock();
                    state.hub.expire(now);
                    state.dispatch();
                }
            }
        }
    }

    fn now(&self) -> Moment {
        Moment::at(self.origin.elapsed())
    }

    /// The state is sound after a panic elsewhere: the hub itself can't panic.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn dispatch(&mut self) -> (Vec<Question>, Option<Refused>) {
        let (mut questions, mut refused) = (Vec::new(), None);
        while let Some(output) = self.hub.poll() {
            match output {
                Output::Refused { why, .. } => refused = Some(why),
                Output::Ask { ticket, principal, topic, .. } => {
                    questions.push(Question { ticket, principal, topic });
                }
                Output::Send { conn, lane, frame } => {
                    if let Some(outbox) = self.outboxes.get(&conn) {
                        outbox.push(lane, frame.encode().into());
                    }
                }
                Output::Presence { agent, online } => {
                    if self.presence.try_send(Presence { agent, online }).is_err() {
                        tracing::debug!(%agent, online, "a change of presence is not announced");
                    }
                }
                Output::Close { conn, close } => {
                    tracing::debug!(conn = conn.0, ?close, "socket is to be closed");
                    if let Some(outbox) = self.outboxes.get(&conn) {
                        outbox.close(close);
                    }
                }
            }
        }
        (questions, refused)
    }

    fn publish(&self, push: &Push, readers: &dyn Readers) {
        let mut shapes = Shapes::new(push);
        for to in self.hub.recipients(push, readers) {
            let Some(outbox) = self.outboxes.get(&to.conn) else { continue };
            let text = shapes.with(to.join_ref);
            if text.len() > to.max_bytes {
                outbox.cut(Close::Oversized);
            } else {
                outbox.push(Lane::Ordered, text);
            }
        }
    }
}

impl Outlet for Switchboard {
    fn publish(&self, pushes: &[Push], readers: &dyn Readers) {
        let state = self.lock();
        for push in pushes {
            state.publish(push, readers);
        }
    }

    fn is_listening(&self, agent: AgentId, chat: ChatId) -> bool {
        self.lock().hub.is_listening(agent, chat)
    }

    fn is_online(&self, who: ParticipantId) -> bool {
        self.lock().hub.is_online(who)
    }

    fn revoke(&self, agent: AgentId) {
        self.tell(Input::Expel { who: agent.cast() });
    }
}

/// A push as text, written once for each join_ref and shared by all sockets that have sent it.
struct Shapes<'a> {
    push: &'a Push,
    topic: String,
    texts: BTreeMap<Option<&'a Ref>, Utf8Bytes>,
}

impl<'a> Shapes<'a> {
    fn new(push: &'a Push) -> Self {
        Self { push, topic: push.topic.to_string(), texts: BTreeMap::new() }
    }

    fn with(&mut self, join_ref: Option<&'a Ref>) -> Utf8Bytes {
        let text = self.texts.entry(join_ref).or_insert_with(|| {
            Frame::encode_push(join_ref, &self.topic, self.push.event, &self.push.payload).into()
        });
        text.clone()
    }
}

/// A socket's place on the switchboard. Dropping it gives the place up.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) conn: ConnId,
    pickup: Option<Pickup>,
    board: Arc<Switchboard>,
}

impl Seat {
    /// The end of the queues, for the writer; none when it was taken before.
    pub(super) fn pickup(&mut self) -> Option<Pickup> {
        self.pickup.take()
    }

    pub(super) fn board(&self) -> &Switchboard {
        &self.board
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.board.tell(Input::Closed { conn: self.conn });
        self.board.lock().outboxes.remove(&self.conn);
    }
}
