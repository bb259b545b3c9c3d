//! The platform's half of a simulation: the real plans and the real hub over plain maps.

mod answer;
mod board;
mod contacts;
mod control;
mod people;
mod routes;
mod store;

use std::collections::BTreeMap;
use std::time::Duration;

use band_core::platform::activity::{self, Activity};
use band_core::platform::hub::{self, ConnId, Input, OnConflict, Readers, Refused};
use band_core::platform::{Plan, Principal, Push};
use band_core::{Machine, Moment};
use band_wire::id::Marker;
use band_wire::{AgentId, ChatId, Id, Stamp};
use bytes::Bytes;
use http::Request;
use uuid::Uuid;

pub(crate) use answer::{Answer, status};
use board::Board;
pub(crate) use board::Outgoing;
pub(crate) use store::Store;

/// When every simulation begins, in microseconds of the Unix epoch: 2026-11-30, 10:00.
const EPOCH: i64 = 1_796_032_800_000_000;

/// One site with its sockets. Everything happens at the moment that the caller names.
#[derive(Debug)]
pub(crate) struct Platform {
    store: Store,
    board: Board,
    activity: Activity,
    keys: BTreeMap<String, Principal>,
    now: Moment,
    ids: u64,
    requests: u64,
    conns: u64,
}

impl Readers for Store {
    fn may_read(&self, who: Principal, chat: ChatId) -> bool {
        self.room(chat).is_some_and(|room| room.access(who).may_read())
    }
}

impl Platform {
    /// An empty site.
    pub(crate) fn new() -> Self {
        Self {
            store: Store::default(),
            board: Board::default(),
            activity: Activity::new(),
            keys: BTreeMap::new(),
            now: Moment::ZERO,
            ids: 0,
            requests: 0,
            conns: 0,
        }
    }

    /// What is stored.
    pub(crate) const fn store(&self) -> &Store {
        &self.store
    }

    /// Loses everything that is not stored: sockets, subscriptions, who works.
    pub(crate) fn crash(&mut self) {
        self.board = Board::default();
        self.activity = Activity::new();
    }

    /// Lets time pass, up to now.
    pub(crate) fn advance(&mut self, now: Moment) {
        self.now = now;
        self.board.expire(now);
        self.activity.expire(now);
        self.publish_activity();
    }

    /// When something is due.
    pub(crate) fn deadline(&self) -> Option<Moment> {
        let lapse = self.activity.deadline().map(|deadline| deadline.at);
        [self.board.deadline(), lapse].into_iter().flatten().min()
    }

    /// Whom a key belongs to.
    pub(crate) fn principal(&self, key: &str) -> Option<Principal> {
        self.keys.get(key).copied()
    }

    /// Answers one request.
    pub(crate) fn request(&mut self, now: Moment, request: &Request<Bytes>) -> Answer {
        self.advance(now);
        self.requests += 1;
        let id = format!("r-{}", self.requests);
        routes::route(self, request).unwrap_or_else(|refusal| answer::refused(refusal, id))
    }

    /// Lets a socket in.
    pub(crate) fn open(
        &mut self,
        now: Moment,
        principal: Principal,
        on_conflict: OnConflict,
    ) -> Result<ConnId, Refused> {
        self.advance(now);
        self.conns += 1;
        let conn = ConnId(self.conns);
        self.board.open(now, conn, principal, on_conflict).map(|()| conn)
    }

    /// Tells the hub something of a socket, and answers its questions at once.
    pub(crate) fn hear(&mut self, now: Moment, input: Input) {
        self.advance(now);
        self.board.tell(now, input);
        while let Some(asked) = self.board.questions.pop_front() {
            let board::Question { conn, ticket, principal, topic } = asked;
            let allowed = topic.room().is_none_or(|chat| self.store.may_read(principal, chat));
            let answer =
                if allowed { hub::Answer::Allowed(serde_json::Map::new()) } else { hub::Answer::Denied };
            self.board.tell(now, Input::Answer { conn, ticket, answer });
        }
    }

    /// What is to be written to sockets, oldest first.
    pub(crate) fn take_outgoing(&mut self) -> Vec<Outgoing> {
        self.board.outgoing.drain(..).collect()
    }

    /// Whether an agent has a socket.
    pub(crate) fn is_online(&self, agent: AgentId) -> bool {
        self.board.is_online(agent)
    }

    /// Whether an agent is shown as working.
    pub(crate) fn is_working(&self, chat: ChatId, agent: AgentId) -> bool {
        self.activity.is_working(chat, agent)
    }

    fn commit<A>(&mut self, plan: Plan<A>) -> A {
        for write in plan.writes {
            self.store.apply(write);
        }
        self.publish(&plan.pushes);
        plan.answer
    }

    fn publish(&mut self, pushes: &[Push]) {
        self.board.publish(pushes, &self.store);
    }

    fn work(&mut self, input: activity::Input) {
        self.activity.handle(self.now, input);
        self.publish_activity();
    }

    fn publish_activity(&mut self) {
        let pushes: Vec<Push> = std::iter::from_fn(|| self.activity.poll()).collect();
        self.publish(&pushes);
    }

    /// Now, as it is stored.
    fn stamp(&self) -> Stamp {
        let passed = i64::try_from(self.now.since_origin().as_micros()).unwrap_or(i64::MAX);
        Stamp::from_micros(EPOCH.saturating_add(passed))
    }

    /// A new id. Ids grow with time, as the real platform's do.
    fn id<M: Marker>(&mut self) -> Id<M> {
        Id::new(self.uuid())
    }

    fn uuid(&mut self) -> Uuid {
        self.ids += 1;
        let since_epoch = Duration::from_micros(EPOCH.unsigned_abs()) + self.now.since_origin();
        let millis = u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX);
        let mut bytes = [0; 10];
        bytes.iter_mut().skip(2).zip(self.ids.to_be_bytes()).for_each(|(to, from)| *to = from);
        uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
    }
}
