//! The tasks of all rooms, and the way to each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use band_core::Moment;
use band_core::room::{Room, RoomConfig};
use band_wire::ChatId;
use tokio::task::{JoinError, JoinSet};
use tokio::time::Instant;

use super::activity::ActivityLog;
use super::calls::RoomCalls;
use super::leftover::Leftover;
use super::mailbox::Mailbox;
use super::room::{RoomEnd, RoomParts, RoomTask};
use super::turns::{Scene, Turns};
use super::{Parts, RuntimeEnd};
use crate::adapter::FrameworkAdapter;
use crate::agent::hooks::RoomCallbacks;
use crate::config::{SessionConfig, seconds};
use crate::journal::RoomJournal;
use crate::tools::RestPort;

/// Owns the rooms' tasks.
pub(super) struct Rooms {
    parts: Parts,
    activity: Arc<ActivityLog>,
    tasks: JoinSet<RoomEnd>,
    ids: BTreeMap<tokio::task::Id, ChatId>,
    mailboxes: BTreeMap<ChatId, Arc<Mailbox>>,
    /// What is written down of each room, as long as the agent is in it or owes it something.
    journals: BTreeMap<ChatId, RoomJournal>,
    /// Set when all rooms close.
    closing: bool,
    graceful: bool,
    /// Rooms that the adapter could not forget when all closed, and why.
    unforgotten: BTreeMap<ChatId, String>,
    /// Rooms that it could not forget when they were left, while the agent went on.
    left: BTreeSet<ChatId>,
    /// Rooms with turns that were dropped and still run.
    leftover: BTreeMap<ChatId, Leftover>,
}

/// The end of a room's task: with what is left, or broken.
type Ended = (tokio::task::Id, Result<RoomEnd, JoinError>);

impl Rooms {
    pub(super) fn new(parts: Parts) -> Self {
        Self {
            parts,
            activity: Arc::default(),
            tasks: JoinSet::new(),
            ids: BTreeMap::new(),
            mailboxes: BTreeMap::new(),
            journals: BTreeMap::new(),
            closing: false,
            graceful: true,
            unforgotten: BTreeMap::new(),
            left: BTreeSet::new(),
            leftover: BTreeMap::new(),
        }
    }

    pub(super) fn open(&mut self, room: ChatId) {
        let Parts { rest, session, identity, adapter, metrics, journal, .. } = &self.parts;
        let mailbox: Arc<Mailbox> = Arc::default();
        let calls = Arc::new(RoomCalls::new(&self.parts, room, Arc::clone(&self.activity)));
        let journal = self.journals.entry(room).or_insert_with(|| journal.room(room)).clone();
        let port = Arc::new(RestPort::new(rest.clone(), room, self.parts.chance.clone()));
        let turns = Turns::new(self.scene(), port, Arc::clone(&mailbox), journal.clone());
        let config = room_config(session, identity.id, adapter.judges_turns());
        let machine = Room::resume(config, Moment::ZERO, self.parts.chance.seed(), journal.recovered());
        let callbacks = RoomCallbacks::new(Arc::clone(&self.parts.hooks), room);
        let meter = metrics.room();
        let room_parts = RoomParts { mailbox: Arc::clone(&mailbox), calls, turns, callbacks, meter };
        let task = RoomTask::new(machine, journal, room_parts, Arc::clone(adapter));
        let handle = self.tasks.spawn(task.run());
        self.ids.insert(handle.id(), room);
        self.mailboxes.insert(room, mailbox);
        // It has a new stay to forget.
        self.unforgotten.remove(&room);
        tracing::info!(target: "band.presence", "Agent joined room: {room}");
    }

    fn scene(&self) -> Scene {
        let Parts { identity, adapter, features, hooks, session, chance, places, .. } = &self.parts;
        Scene {
            identity: Arc::clone(identity),
            adapter: Arc::clone(adapter),
            features: Arc::clone(features),
            hooks: Arc::clone(hooks),
            session: Arc::clone(session),
            chance: chance.clone(),
            places: places.clone(),
            hub: self.parts.hub.clone(),
        }
    }

    /// Leaves something for a room; nothing when it has no task.
    pub(super) fn mail(&self, room: ChatId, put: impl FnOnce(&Mailbox)) {
        if let Some(mailbox) = self.mailboxes.get(&room) {
            put(mailbox);
        }
    }

    pub(super) fn mail_all(&self, put: impl Fn(&Mailbox)) {
        self.mailboxes.values().for_each(|mailbox| put(mailbox));
    }

    /// The agent left a room: its turn is cancelled at once. When all rooms close they have been told.
    pub(super) fn close(&self, room: ChatId) {
        if !self.closing {
            tracing::debug!(target: "band.presence", "the agent's task in room {room} closes");
            self.mail(room, |mailbox| mailbox.close(None));
        }
    }

    pub(super) fn close_all(&mut self, by: Option<Instant>) {
        if !std::mem::replace(&mut self.closing, true) {
            self.left = std::mem::take(&mut self.unforgotten).into_keys().collect();
        }
        self.mail_all(|mailbox| mailbox.close_for_good(by));
    }

    /// A task that has ended; none at once when there is no task. May be dropped and called again.
    pub(super) async fn ended(&mut self) -> Option<Ended> {
        Some(match self.tasks.join_next_with_id().await? {
            Ok((id, end)) => (id, Ok(end)),
            Err(broken) => (broken.id(), Err(broken)),
        })
    }

    /// Keeps what is left of a room whose task has ended; gives the room.
    pub(super) fn put_away(&mut self, (id, end): Ended) -> ChatId {
        let room = self.ids.remove(&id).unwrap_or_else(|| ChatId::new(uuid::Uuid::nil()));
        self.mailboxes.remove(&room);
        match end {
            Err(broken) => {
                tracing::error!(target: "band.room", %room, %broken, "the room's task broke");
                if self.closing {
                    self.graceful = false;
                    self.unforgotten.insert(room, format!("the room's task broke: {broken}"));
                }
            }
            Ok(end) => {
                if self.journals.get(&room).is_some_and(|journal| !journal.owes()) {
                    self.journals.remove(&room);
                    if !self.closing {
                        self.parts.journal.forget(room);
                    }
                }
                // A turn that ends with its room, while the agent goes on, says nothing about the agent's end.
                self.graceful &= end.graceful || !self.closing;
                if let Some(leftover) = end.leftover {
                    self.leftover.insert(room, leftover);
                }
                if let Err(err) = end.cleanup {
                    tracing::warn!(target: "band.room", %room, %err, "the adapter could not forget the room");
                    self.unforgotten.insert(room, err.to_string());
                }
            }
        }
        room
    }

    pub(super) fn into_end(self) -> RuntimeEnd {
        let Self { graceful, unforgotten, left, leftover, .. } = self;
        RuntimeEnd { graceful, unforgotten, left, leftover }
    }

    pub(super) fn has(&self, room: ChatId) -> bool {
        self.mailboxes.contains_key(&room)
    }

    pub(super) fn all(&self) -> Vec<ChatId> {
        self.mailboxes.keys().copied().collect()
    }
}

fn room_config(session: &SessionConfig, agent: band_wire::AgentId, judged: bool) -> RoomConfig {
    let resync = seconds(session.idle_resync_seconds);
    RoomConfig {
        agent,
        attempts: session.max_message_retries,
        deliveries: session.max_deliveries,
        history: session.enable_context_hydration,
        judged,
        controls: true,
        report: session.report_turn_failures_to_room,
        max_cycle: session.max_cycle_seconds.map(seconds),
        resync,
        resync_max: seconds(session.idle_resync_max_seconds),
        resync_stopped: session.stopped_resync_seconds.map_or(resync, seconds),
        keep_alive: session.enable_working_state.then(|| seconds(session.working_keep_alive_seconds)),
        max_working: session.max_working_state_seconds.map(seconds),
    }
}
