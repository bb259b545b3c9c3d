//! What an agent holds while it lives, and how that is given up.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Weak;
use std::time::Duration;

use band_wire::ChatId;
use tokio::sync::OwnedSemaphorePermit;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::cleanup::guarded;
use super::failure::{CleanupFailure, CleanupPhase};
use super::host::Host;
use super::place::Place;
use super::running::Lease;
use crate::adapter::FrameworkAdapter;
use crate::health::HealthServer;
use crate::runtime::{Closer, Leftover, RuntimeEnd, Watched};

/// A stop that may take longer than this is as good as one without an end.
const LONGEST_STOP: Duration = Duration::from_secs(365 * 24 * 3_600);

/// What an agent holds. Dropped, everything is cut off at once and the adapter is not told.
#[derive(Debug, Default)]
pub(super) struct Body {
    pub(super) connected: Option<Connected>,
    pub(super) pending: Pending,
    /// A turn was cancelled, in whichever attempt at the stop.
    pub(super) cut_short: bool,
    pub(super) lease: Weak<Lease>,
    /// Tells whether the agent is well, for as long as it is held.
    pub(super) health: Option<HealthServer>,
    /// Held until the adapter is cleaned up: no other host starts it meanwhile.
    pub(super) adapter: Option<OwnedSemaphorePermit>,
    // The last to go.
    pub(super) place: Option<Place>,
}

/// The runtime in its task.
#[derive(Debug)]
pub(super) struct Connected {
    pub(super) task: JoinSet<RuntimeEnd>,
    pub(super) watched: Watched,
}

/// What is still to be cleaned up.
#[derive(Debug, Default)]
pub(super) struct Pending {
    /// Rooms that the adapter has to forget.
    pub(super) rooms: BTreeSet<ChatId>,
    /// Turns of some of them that were dropped and still run.
    pub(super) leftover: BTreeMap<ChatId, Leftover>,
    /// The adapter was given the platform.
    pub(super) adapter: bool,
    /// Callbacks are owned.
    pub(super) callbacks: bool,
}

impl Body {
    /// Orders the runtime to stop, if there is one.
    pub(super) fn closer(&self) -> Option<Closer> {
        self.connected.as_ref().map(|connected| connected.watched.closer.clone())
    }

    /// Gives the agent's place on this host back, once everything else is given up.
    pub(super) async fn leave(&mut self) {
        // Whoever gets the place may want the address too.
        self.health = None;
        if let Some(place) = self.place.take() {
            place.leave().await;
        }
    }

    /// Gives up what is left: rooms and connection, then the adapter, then, when all of that is done, the
    /// callbacks. What fails stays; the next attempt tries that alone. May be dropped: what is not done stays.
    pub(super) async fn tear_down(&mut self, host: &Host, timeout: Option<Duration>) -> Vec<CleanupFailure> {
        let mut failures = self.close(host, timeout).await;
        if self.pending.adapter {
            match guarded(host.id, host.setup.adapter.cleanup_all()).await {
                Ok(()) => self.pending.adapter = false,
                Err(err) => failures.push(CleanupFailure::new(CleanupPhase::Adapter, err.to_string())),
            }
        }
        if self.pending.callbacks && failures.is_empty() {
            failures = host.setup.cleanups.dispose(host.id).await;
            self.pending.callbacks = !failures.is_empty();
        }
        if failures.is_empty() {
            self.adapter = None;
        }
        failures
    }

    async fn close(&mut self, host: &Host, timeout: Option<Duration>) -> Vec<CleanupFailure> {
        let mut failures = Vec::new();
        if let Some(connected) = &mut self.connected {
            connected.watched.closer.close(deadline(timeout));
            let ended = connected.task.join_next().await;
            self.connected = None;
            match ended {
                Some(Ok(end)) => {
                    self.cut_short |= !end.graceful;
                    self.pending.rooms.extend(end.left.into_iter().chain(end.leftover.keys().copied()));
                    self.pending.leftover = end.leftover;
                    let earlier = self.pending.rooms.clone();
                    // Noted before the next wait: this may be dropped there.
                    self.pending.rooms.extend(end.unforgotten.keys());
                    failures.extend(self.forget_rooms(host, earlier).await);
                    let refused = end.unforgotten.into_iter();
                    failures.extend(refused.map(|(room, error)| CleanupFailure::of_room(room, error)));
                }
                Some(Err(broken)) => {
                    self.cut_short = true;
                    let text = format!("the runtime broke: {broken}");
                    failures.push(CleanupFailure::new(CleanupPhase::Runtime, text));
                }
                None => {}
            }
        } else {
            failures.extend(self.forget_rooms(host, self.pending.rooms.clone()).await);
        }
        failures
    }

    /// Turns of this room that were dropped and still run; they get a second more.
    async fn still_running(&mut self, room: ChatId) -> Option<CleanupFailure> {
        let leftover = self.pending.leftover.get_mut(&room)?;
        let count = leftover.settle().await;
        if count == 0 {
            self.pending.leftover.remove(&room);
            return None;
        }
        let error = format!("ExecutionContext {room}: {count} cancelled task(s) still running");
        Some(CleanupFailure::of_room(room, error))
    }

    /// Has the adapter forget rooms that it could not forget before.
    async fn forget_rooms(&mut self, host: &Host, rooms: BTreeSet<ChatId>) -> Vec<CleanupFailure> {
        let mut failures = Vec::new();
        for room in rooms {
            if let Some(failure) = self.still_running(room).await {
                failures.push(failure);
                continue;
            }
            match guarded(host.id, host.setup.adapter.on_cleanup(room)).await {
                Ok(()) => drop(self.pending.rooms.remove(&room)),
                Err(err) => failures.push(CleanupFailure::of_room(room, err.to_string())),
            }
        }
        failures
    }
}

/// Until when turns may finish; none is at once.
pub(super) fn deadline(timeout: Option<Duration>) -> Option<Instant> {
    timeout.map(|timeout| Instant::now() + timeout.min(LONGEST_STOP))
}
