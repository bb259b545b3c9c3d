//! What an adapter keeps for each room at a provider: opened when it is needed, suspended, disposed of.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use band_core::residency::{Disposal, Generation, Input, Output, Refusal, Residency as Decide, Ticket};
use band_core::{Machine, Moment};
use band_wire::ChatId;
use futures_util::FutureExt;
use tokio::sync::oneshot;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub use band_core::residency::Cause as ReleaseCause;

use super::{AdapterError, AdapterResult};
use crate::alarm;

/// What is kept for a room: a child process, a session, a connection.
pub trait Resource: Send + Sync + 'static {
    /// What work is done with. Cheap to clone.
    type Handle: Clone + Send + Sync + 'static;

    /// Opens it; as what it was before it was suspended, if `resume`.
    ///
    /// # Errors
    /// It can't be opened: whoever needs it is told, and the next one tries again.
    fn open(
        &self,
        room: ChatId,
        resume: bool,
    ) -> impl Future<Output = Result<Self::Handle, AdapterError>> + Send;

    /// Gives it up, in a way that [`open`](Self::open) can resume if the cause is idleness. May be dropped: what
    /// takes longer than 30 s counts as one that failed.
    ///
    /// # Errors
    /// It stays owned; the next disposal tries again.
    fn release(
        &self,
        room: ChatId,
        handle: Self::Handle,
        cause: ReleaseCause,
    ) -> impl Future<Output = AdapterResult> + Send;

    /// The room is over: forget what could be resumed.
    fn erase(&self, room: ChatId) {
        let _ = room;
    }
}

/// The resources of all rooms of an adapter, one a room. See [`band_core::residency`] for when what is done.
pub struct Residency<R: Resource> {
    inner: Arc<Inner<R>>,
}

struct Inner<R: Resource> {
    resource: Arc<R>,
    idle_after: Option<Duration>,
    origin: Instant,
    rooms: Mutex<BTreeMap<ChatId, Room<R::Handle>>>,
    tickets: AtomicU64,
    /// Openings, releases and clocks; they go on when nobody waits. None of them keeps this alive: they end with it.
    tasks: Mutex<JoinSet<()>>,
}

/// What whoever waits is told.
type Granted<H> = Result<(H, Generation, CancellationToken), AdapterError>;

struct Room<H> {
    decide: Decide,
    handle: Option<H>,
    cancel: CancellationToken,
    waiting: BTreeMap<Ticket, oneshot::Sender<Granted<H>>>,
    asking: BTreeMap<Ticket, oneshot::Sender<Disposal>>,
    /// What the clock task sleeps for.
    alarm: Option<Moment>,
    /// The opening that is under way.
    opening: Option<AbortHandle>,
    /// What gives it up.
    releasing: Option<AbortHandle>,
}

/// The right to work with a room's resource. Given back when it is dropped.
pub struct ResourceLease<R: Resource> {
    inner: Arc<Inner<R>>,
    room: ChatId,
    ticket: Ticket,
    generation: Generation,
    handle: R::Handle,
    cancel: CancellationToken,
}

impl<R: Resource> Residency<R> {
    /// Nothing is open. `idle_after`: how long a resource that rests is kept before it is suspended; for ever
    /// without.
    pub fn new(resource: R, idle_after: Option<Duration>) -> Self {
        Self {
            inner: Arc::new(Inner {
                resource: Arc::new(resource),
                idle_after,
                origin: Instant::now(),
                rooms: Mutex::default(),
                tickets: AtomicU64::new(0),
                tasks: Mutex::default(),
            }),
        }
    }

    /// What is kept.
    pub fn resource(&self) -> &R {
        &self.inner.resource
    }

    /// Gets the room's resource, opened or resumed first if it has to be.
    ///
    /// # Errors
    /// The room is over or the resource is not there within 10 s: the message is not accepted. Or what
    /// [`Resource::open`] says.
    pub async fn acquire(&self, room: ChatId) -> Result<ResourceLease<R>, AdapterError> {
        let ticket = self.inner.ticket();
        let (sender, answer) = oneshot::channel();
        let mut asking = Asking { inner: &self.inner, room, ticket, granted: false };
        self.inner.enter(room, |kept| drop(kept.waiting.insert(ticket, sender)));
        self.inner.tell(room, Input::Acquire(ticket));
        let (handle, generation, cancel) =
            answer.await.unwrap_or_else(|_| Err(AdapterError::not_accepted("Room is closing")))?;
        asking.granted = true;
        Ok(ResourceLease { inner: Arc::clone(&self.inner), room, ticket, generation, handle, cancel })
    }

    /// The resource is broken: work on it is cancelled, and the next one starts afresh.
    pub fn recover(&self, room: ChatId) {
        self.inner.tell(room, Input::Release(ReleaseCause::Recovery));
    }

    /// The room is over: nothing is opened any more, work gets 10 s to finish and is cancelled then, the
    /// resource is given up within 30 s and forgotten. Joins an attempt that is under way. For `on_cleanup`.
    ///
    /// # Errors
    /// It could not be given up; it stays owned, and the next disposal tries again.
    pub async fn dispose(&self, room: ChatId) -> AdapterResult {
        match self.inner.dispose(room, None).await {
            Disposal::Done | Disposal::Pending => {
                self.inner.rooms().remove(&room);
                Ok(())
            }
            Disposal::Failed => Err(format!("the resource of room {room} could not be released").into()),
        }
    }
}

impl<R: Resource> ResourceLease<R> {
    /// What to work with.
    pub const fn handle(&self) -> &R::Handle {
        &self.handle
    }

    /// Resolves when the work should end: the resource is broken, or the room is over.
    pub async fn cancelled(&self) {
        self.cancel.cancelled().await;
    }

    /// The provider says for sure whether it works on anything of its own: only what rests is suspended.
    pub fn quiescent(&self, rests: bool) {
        self.inner.tell(self.room, Input::Quiescent(self.generation, rests));
    }

    /// The work wants its own room to be over. It is not waited for: the resource goes when this lease does.
    pub async fn dispose_room(&self) {
        self.inner.dispose(self.room, Some(self.ticket)).await;
    }
}

impl<R: Resource> Drop for ResourceLease<R> {
    fn drop(&mut self) {
        self.inner.tell(self.room, Input::Done(self.ticket));
    }
}

impl<R: Resource> Inner<R> {
    fn rooms(&self) -> MutexGuard<'_, BTreeMap<ChatId, Room<R::Handle>>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ticket(&self) -> Ticket {
        Ticket(self.tickets.fetch_add(1, Ordering::Relaxed))
    }

    /// Keeps account of a room from now on.
    fn enter<T>(&self, room: ChatId, look: impl FnOnce(&mut Room<R::Handle>) -> T) -> T {
        look(self.rooms().entry(room).or_insert_with(|| Room::new(self.idle_after)))
    }

    /// Looks at a room; one that is over stays over, whatever comes late.
    fn with<T>(&self, room: ChatId, look: impl FnOnce(&mut Room<R::Handle>) -> T) -> Option<T> {
        self.rooms().get_mut(&room).map(look)
    }

    async fn dispose(self: &Arc<Self>, room: ChatId, by: Option<Ticket>) -> Disposal {
        let ticket = self.ticket();
        let (sender, answer) = oneshot::channel();
        self.enter(room, |kept| drop(kept.asking.insert(ticket, sender)));
        self.tell(room, Input::Dispose { ticket, by });
        answer.await.unwrap_or(Disposal::Failed)
    }

    fn now(&self) -> Moment {
        Moment::at(self.origin.elapsed())
    }

    fn tell(self: &Arc<Self>, room: ChatId, input: Input) {
        let now = self.now();
        self.with(room, |kept| kept.decide.handle(now, input));
        self.carry_out(room);
    }

    fn carry_out(self: &Arc<Self>, room: ChatId) {
        while let Some(output) = self.with(room, |kept| kept.decide.poll()).flatten() {
            self.do_it(room, output);
        }
        self.wind_the_clock(room);
    }

    fn do_it(self: &Arc<Self>, room: ChatId, output: Output) {
        match output {
            Output::Open { generation, resume } => self.open(room, generation, resume),
            Output::Release(generation, cause) => self.release(room, generation, cause),
            Output::Erase => self.resource.erase(room),
            Output::Abandon(_) => {
                if let Some(opening) = self.with(room, |kept| kept.opening.take()).flatten() {
                    tracing::warn!(target: "band.residency", %room, "a room's resource took too long to open: it was given up");
                    opening.abort();
                }
            }
            Output::AbandonRelease(_) => {
                if let Some(releasing) = self.with(room, |kept| kept.releasing.take()).flatten() {
                    tracing::warn!(target: "band.residency", %room,
                        "a room's resource took too long to release: it stays owned, and is tried again when it is needed");
                    releasing.abort();
                }
            }
            Output::Grant(..) | Output::Refuse(..) | Output::CancelWork(_) | Output::Answer(..) => {
                self.with(room, |kept| kept.say(output));
            }
        }
    }

    fn open(self: &Arc<Self>, room: ChatId, generation: Generation, resume: bool) {
        let (inner, resource) = (Arc::downgrade(self), Arc::clone(&self.resource));
        let opening = self.spawn(async move {
            let opening = AssertUnwindSafe(async { resource.open(room, resume).await }).catch_unwind().await;
            let Some(inner) = inner.upgrade() else { return };
            let answer = match opening {
                Ok(Ok(handle)) => {
                    inner.with(room, |kept| {
                        kept.handle = Some(handle);
                        kept.cancel = CancellationToken::new();
                    });
                    Input::Opened(generation)
                }
                Ok(Err(err)) => {
                    tracing::warn!(target: "band.residency", %room, %err, "a room's resource could not be opened");
                    Input::OpenFailed(generation)
                }
                Err(_) => {
                    tracing::error!(target: "band.residency", %room, "opening a room's resource panicked");
                    Input::OpenFailed(generation)
                }
            };
            inner.tell(room, answer);
        });
        self.with(room, |kept| kept.opening = opening);
    }

    fn release(self: &Arc<Self>, room: ChatId, generation: Generation, cause: ReleaseCause) {
        let (inner, resource) = (Arc::downgrade(self), Arc::clone(&self.resource));
        let handle = self.with(room, |kept| kept.handle.clone()).flatten();
        let task = self.spawn(async move {
            let releasing = async {
                match handle {
                    Some(handle) => resource.release(room, handle, cause).await,
                    None => Ok(()),
                }
            };
            let releasing = AssertUnwindSafe(releasing).catch_unwind().await;
            let Some(inner) = inner.upgrade() else { return };
            let answer = match releasing {
                Ok(Ok(())) => {
                    inner.with(room, |kept| kept.handle = None);
                    Input::Released(generation)
                }
                Ok(Err(err)) => {
                    tracing::warn!(target: "band.residency", %room, %err, "a room's resource could not be released");
                    Input::ReleaseFailed(generation)
                }
                Err(_) => {
                    tracing::error!(target: "band.residency", %room, "releasing a room's resource panicked");
                    Input::ReleaseFailed(generation)
                }
            };
            inner.tell(room, answer);
        });
        self.with(room, |kept| kept.releasing = task);
    }

    /// Has somebody wake the machine when it wants to.
    fn wind_the_clock(self: &Arc<Self>, room: ChatId) {
        let deadline = self.with(room, |kept| {
            let next = kept.decide.deadline()?;
            let is_sooner = kept.alarm.is_none_or(|alarm| next.at < alarm);
            is_sooner.then(|| {
                kept.alarm = Some(next.at);
                next
            })
        });
        let Some(deadline) = deadline.flatten() else { return };
        let (inner, origin) = (Arc::downgrade(self), self.origin);
        self.spawn(async move {
            alarm::due(origin, Some(deadline)).await;
            let Some(inner) = inner.upgrade() else { return };
            let now = inner.now();
            inner.with(room, |kept| {
                kept.alarm.take_if(|alarm| *alarm <= now);
                kept.decide.expire(now);
            });
            inner.carry_out(room);
        });
    }

    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> Option<AbortHandle> {
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        Some(tasks.spawn_on(work, &runtime))
    }
}

fn refused(why: Refusal) -> AdapterError {
    match why {
        Refusal::Closing => AdapterError::not_accepted("Room is closing"),
        Refusal::TooLong => AdapterError::not_accepted("the room's resource was not there in time"),
        Refusal::Failed => "the room's resource could not be opened; see agent logs".into(),
    }
}

impl<H: Clone> Room<H> {
    /// Tells whoever waits for it. An error means that they have left; a lease that is lost is given back.
    fn say(&mut self, output: Output) {
        match output {
            Output::Grant(ticket, generation) => {
                let Some(handle) = self.handle.clone() else { return };
                if let Some(waiting) = self.waiting.remove(&ticket) {
                    let _ = waiting.send(Ok((handle, generation, self.cancel.clone())));
                }
            }
            Output::Refuse(ticket, why) => {
                if let Some(waiting) = self.waiting.remove(&ticket) {
                    let _ = waiting.send(Err(refused(why)));
                }
            }
            Output::CancelWork(_) => self.cancel.cancel(),
            Output::Answer(ticket, how) => {
                if let Some(asking) = self.asking.remove(&ticket) {
                    let _ = asking.send(how);
                }
            }
            Output::Open { .. }
            | Output::Release(..)
            | Output::Erase
            | Output::Abandon(_)
            | Output::AbandonRelease(_) => {}
        }
    }
}

impl<H> Room<H> {
    fn new(idle_after: Option<Duration>) -> Self {
        Self {
            decide: Decide::new(idle_after),
            handle: None,
            cancel: CancellationToken::new(),
            waiting: BTreeMap::new(),
            asking: BTreeMap::new(),
            alarm: None,
            opening: None,
            releasing: None,
        }
    }
}

/// Whoever waits; does not any more when it is dropped.
struct Asking<'a, R: Resource> {
    inner: &'a Arc<Inner<R>>,
    room: ChatId,
    ticket: Ticket,
    granted: bool,
}

impl<R: Resource> Drop for Asking<'_, R> {
    fn drop(&mut self) {
        if self.granted {
            return;
        }
        self.inner.with(self.room, |kept| drop(kept.waiting.remove(&self.ticket)));
        self.inner.tell(self.room, Input::Done(self.ticket));
    }
}

impl<R: Resource> fmt::Debug for Residency<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Residency").field("idle_after", &self.inner.idle_after).finish_non_exhaustive()
    }
}

impl<R: Resource> fmt::Debug for ResourceLease<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceLease")
            .field("room", &self.room)
            .field("generation", &self.generation)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
