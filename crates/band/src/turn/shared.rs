//! What a turn, its tools and the runtime share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use band_core::room::Roster;
use band_core::turn::Ledger;
use band_wire::{ChatId, MessageId};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::adapter::Identity;
use crate::journal::RoomJournal;
use crate::sync::AtomicU32;
use crate::tools::{Offer, RoomPort};

/// What all turns of a room share.
pub(crate) struct RoomShared {
    pub(crate) room: ChatId,
    pub(crate) identity: Arc<Identity>,
    pub(crate) port: Arc<dyn RoomPort>,
    pub(crate) roster: Arc<Mutex<Roster>>,
    pub(crate) features: Arc<Offer>,
    /// Whether the agent's contacts are handled in this room.
    pub(crate) is_hub: bool,
    pub(crate) journal: RoomJournal,
    /// Wakes the room's task when a turn has something to say to it.
    pub(crate) wake: Arc<Notify>,
}

/// The state of one turn. Locks are held for a few instructions, never across an await.
pub(crate) struct TurnShared {
    pub(crate) room: ChatId,
    pub(crate) trigger: MessageId,
    pub(crate) identity: Arc<Identity>,
    pub(crate) port: Arc<dyn RoomPort>,
    pub(crate) roster: Arc<Mutex<Roster>>,
    pub(crate) features: Arc<Offer>,
    pub(crate) is_hub: bool,
    pub(crate) cancel: CancellationToken,
    pub(crate) journal: RoomJournal,
    /// Open while somebody works on a turn that lets its room go on.
    pub(crate) work: TaskTracker,
    ledger: Mutex<Ledger>,
    sends: Sends,
    owed: AtomicBool,
    stopped: AtomicBool,
    detached: AtomicBool,
    wake: Arc<Notify>,
}

impl TurnShared {
    pub(crate) fn new(common: RoomShared, trigger: MessageId, cancel: CancellationToken) -> Self {
        let RoomShared { room, identity, port, roster, features, is_hub, journal, wake } = common;
        Self {
            room,
            trigger,
            identity,
            port,
            roster,
            features,
            is_hub,
            cancel,
            journal,
            work: TaskTracker::new(),
            ledger: Mutex::new(Ledger::new()),
            sends: Sends::default(),
            owed: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            detached: AtomicBool::new(false),
            wake,
        }
    }

    pub(crate) fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn roster(&self) -> MutexGuard<'_, Roster> {
        self.roster.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Numbers the next message of this turn: the same send has the same number when the turn is run again.
    pub(crate) fn next_send(&self) -> u32 {
        self.sends.next()
    }

    /// A message with this number was not stored. Its number is free, unless a later one was given out.
    pub(crate) fn give_back_send(&self, number: u32) {
        self.sends.give_back(number);
    }

    /// The adapter did not get the history: it stays owed.
    pub(crate) fn keep_owed(&self) {
        self.owed.store(true, Ordering::Relaxed);
    }

    /// A post was refused because the platform has stopped the agent in this room.
    pub(crate) fn note_stopped(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.wake.notify_one();
    }

    pub(crate) fn was_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Whether the adapter got what it was handed.
    pub(crate) fn was_delivered(&self) -> bool {
        !self.owed.load(Ordering::Relaxed)
    }

    /// The room need not wait for this turn any longer.
    pub(crate) fn detach(&self) {
        self.detached.store(true, Ordering::Relaxed);
        self.wake.notify_one();
    }

    pub(crate) fn is_detached(&self) -> bool {
        self.detached.load(Ordering::Relaxed)
    }

    /// Waits for whoever still works on a turn that was detached.
    pub(crate) async fn work_over(&self) {
        self.work.close();
        self.work.wait().await;
    }
}

/// The numbers of a turn's sends.
#[derive(Debug, Default)]
struct Sends(AtomicU32);

impl Sends {
    fn next(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    fn give_back(&self, number: u32) {
        let given = number.saturating_add(1);
        let _ = self.0.compare_exchange(given, number, Ordering::Relaxed, Ordering::Relaxed);
    }
}

#[cfg(test)]
#[cfg(feature = "shuttle")]
mod interleavings;
