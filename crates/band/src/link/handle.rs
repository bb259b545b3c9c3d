//! What the owner of a link holds: a handle for commands, and the events.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use band_core::link::{Counters, LinkEvent, StopReason};
use band_wire::ChatId;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What the owner tells a link.
#[derive(Debug, Clone, Copy)]
pub(super) enum Command {
    Join(ChatId),
    Leave(ChatId),
}

/// What handle, events and driver share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) stop: CancellationToken,
    counters: Mutex<Counters>,
    contacts: AtomicBool,
    ended: OnceLock<StopReason>,
    heard: Mutex<Option<Instant>>,
}

impl Shared {
    pub(super) fn count(&self, counters: Counters) {
        *self.counters.lock().unwrap_or_else(PoisonError::into_inner) = counters;
    }

    /// Something came from the platform.
    pub(super) fn hear(&self) {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    pub(super) fn contacts(&self, joined: bool) {
        self.contacts.store(joined, Ordering::Relaxed);
    }

    pub(super) fn end(&self, reason: StopReason) {
        // The first reason stays.
        let _ = self.ended.set(reason);
    }
}

/// When the platform was heard last on a link.
#[derive(Debug, Clone)]
pub(crate) struct Pulse(Arc<Shared>);

impl Pulse {
    /// How long it has been silent; none when it never spoke.
    pub(crate) fn silent_for(&self) -> Option<Duration> {
        let heard = *self.0.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.map(|heard| heard.elapsed())
    }
}

/// Commands for a link. Cheap to clone, usable from any runtime or thread. None of them fails: once the
/// link has ended they have no effect, and its last event has said why.
#[derive(Debug, Clone)]
pub struct LinkHandle {
    pub(super) commands: mpsc::Sender<Command>,
    pub(super) shared: Arc<Shared>,
}

impl LinkHandle {
    /// Wants a room: its topics are joined now or as soon as there is a socket, and again after every
    /// reconnect. [`LinkEvent::RoomJoined`] and [`LinkEvent::RoomJoinFailed`] tell what becomes of it.
    pub async fn join_room(&self, room: ChatId) {
        let _ = self.commands.send(Command::Join(room)).await;
    }

    /// Does not want a room any more. Events of the room that are under way may still arrive.
    pub async fn leave_room(&self, room: ChatId) {
        let _ = self.commands.send(Command::Leave(room)).await;
    }

    /// Asks for a graceful end: `agent_control` is left, the socket closed with 1000, within seconds.
    pub fn close(&self) {
        self.shared.stop.cancel();
    }

    /// What was counted so far.
    pub fn counters(&self) -> Counters {
        *self.shared.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the platform was heard last.
    pub(crate) fn pulse(&self) -> Pulse {
        Pulse(Arc::clone(&self.shared))
    }

    /// Whether `agent_contacts` is joined on the socket of now.
    pub fn is_contacts_subscribed(&self) -> bool {
        self.shared.contacts.load(Ordering::Relaxed)
    }

    /// Why the link ended, once it has.
    pub fn ended(&self) -> Option<StopReason> {
        self.shared.ended.get().cloned()
    }
}

/// The events of a link, in order. Whoever holds them should take them swiftly: what does not fit into the
/// link's queue is replaced by a request for a resync.
#[derive(Debug)]
pub struct LinkEvents {
    pub(super) events: mpsc::Receiver<LinkEvent>,
    pub(super) shared: Arc<Shared>,
    pub(super) told_end: bool,
}

impl LinkEvents {
    /// The next event; [`LinkEvent::Ended`] is the last one, then none. Also none when the driver was
    /// dropped before its end. May be dropped and called again.
    pub async fn next(&mut self) -> Option<LinkEvent> {
        if let Some(event) = self.events.recv().await {
            return Some(event);
        }
        if std::mem::replace(&mut self.told_end, true) {
            return None;
        }
        self.shared.ended.get().cloned().map(LinkEvent::Ended)
    }
}
