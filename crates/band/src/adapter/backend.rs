//! Turns that run at a provider, one a room.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use band_core::backend::{ADMISSION_LIMIT, BackendTurns as Decide, Input, Output, RemoteTurn, STOP_LIMIT};
use band_wire::ChatId;
use futures_util::FutureExt;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

use super::{AdapterError, AdapterErrorKind, AdapterResult};

type Stopping = Pin<Box<dyn Future<Output = AdapterResult> + Send>>;

/// The turns that an adapter runs at a remote provider, one a room. A turn whose owner is cancelled, that a
/// person interrupts, or whose room ends is stopped at the provider: once, in the background, within 5 s. The
/// room's next turn waits for that; for a second, then it is not accepted, and so comes again later.
///
/// A start whose handle does not come within 5 s of the room's end is given up. When this is dropped, whatever goes
/// on is cut off: [`settle`](StopsTurns::settle) the rooms before.
///
/// `H` is how the provider addresses a turn: an id, a handle.
pub struct BackendTurns<H> {
    inner: Arc<Inner<H>>,
}

struct Inner<H> {
    provider: Arc<str>,
    stop: Arc<dyn Fn(H) -> Stopping + Send + Sync>,
    rooms: Mutex<BTreeMap<ChatId, Room<H>>>,
    turns: AtomicU64,
    /// What goes on without its owner: starts whose handle is not there yet, and stops. None of them keeps this alive:
    /// they end with it.
    tasks: Mutex<JoinSet<()>>,
    changed: watch::Sender<u64>,
}

struct Room<H> {
    decide: Decide,
    admitted: Option<RemoteTurn>,
    handles: BTreeMap<RemoteTurn, H>,
    /// The start of the turn whose handle is not there yet.
    starting: Option<(RemoteTurn, AbortHandle)>,
}

impl<H: Clone + Send + Sync + 'static> BackendTurns<H> {
    /// For a provider, whose name is told to people, and the call that stops a turn there.
    pub fn new<F, Fut, E>(provider: impl Into<String>, stop: F) -> Self
    where
        F: Fn(H) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<AdapterError>,
    {
        let stop = Arc::new(stop);
        let stop = Arc::new(move |handle| -> Stopping {
            let stop = Arc::clone(&stop);
            // Called when it is polled, where a panic is caught.
            Box::pin(async move { stop(handle).await.map_err(Into::into) })
        });
        let inner = Inner {
            provider: provider.into().into(),
            stop,
            rooms: Mutex::default(),
            turns: AtomicU64::new(0),
            tasks: Mutex::default(),
            changed: watch::Sender::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Runs a turn: starts it at the provider, then does `work` with its handle. When the future is dropped,
    /// the turn is stopped; also when its handle comes only later.
    ///
    /// # Errors
    /// The turn before is not over: the message is not accepted. Or what `start` or `work` says.
    pub async fn run<T, S, W, E, Fut>(&self, room: ChatId, start: S, work: W) -> Result<T, AdapterError>
    where
        S: Future<Output = Result<H, E>> + Send + 'static,
        E: Into<AdapterError> + Send + 'static,
        W: FnOnce(H) -> Fut,
        Fut: Future<Output = Result<T, AdapterError>>,
    {
        let turn = self.admitted(room).await?;
        let mut owner = Owner { inner: &self.inner, room, turn, finished: false };
        let handle = self.started(room, turn, start).await?;
        let outcome = work(handle).await;
        owner.finished = outcome.as_ref().err().is_none_or(|err| {
            matches!(err.kind(), AdapterErrorKind::Failed | AdapterErrorKind::AlreadyReported)
        });
        drop(owner);
        outcome
    }

    async fn admitted(&self, room: ChatId) -> Result<RemoteTurn, AdapterError> {
        let turn = RemoteTurn(self.inner.turns.fetch_add(1, Ordering::Relaxed));
        let mut asking = Asking { inner: &self.inner, room, turn, answered: false };
        self.inner.tell(room, Input::Asked(turn));
        let mut changed = self.inner.changed.subscribe();
        let admitted = async {
            while !self.inner.take_admitted(room, turn) {
                let _ = changed.changed().await;
            }
        };
        if timeout(ADMISSION_LIMIT, admitted).await.is_err() {
            let text = format!("The room already has an active {} turn", self.inner.provider);
            return Err(AdapterError::not_accepted(text));
        }
        asking.answered = true;
        Ok(turn)
    }

    /// Starts the turn in a task of its own, so that its handle is seen even when nobody waits for it.
    async fn started<S, E>(&self, room: ChatId, turn: RemoteTurn, start: S) -> Result<H, AdapterError>
    where
        S: Future<Output = Result<H, E>> + Send + 'static,
        E: Into<AdapterError> + Send + 'static,
    {
        let inner = Arc::downgrade(&self.inner);
        let (sender, answer) = tokio::sync::oneshot::channel();
        let task = self.inner.spawn(async move {
            let started = AssertUnwindSafe(start).catch_unwind().await;
            let Some(inner) = inner.upgrade() else { return };
            let answer = match started {
                Ok(Ok(handle)) => {
                    inner.known(room, turn, handle.clone());
                    Ok(handle)
                }
                Ok(Err(err)) => {
                    inner.tell(room, Input::NotStarted(turn));
                    Err(err.into())
                }
                Err(_) => {
                    inner.tell(room, Input::NotStarted(turn));
                    Err("the start of the turn panicked".into())
                }
            };
            // Nobody waits any more: the machine knows.
            let _ = sender.send(answer);
        });
        if let Some(kept) = self.inner.rooms().get_mut(&room) {
            kept.starting = task.map(|task| (turn, task));
        }
        answer.await.unwrap_or_else(|_| Err(crate::Error::Cancelled.into()))
    }
}

/// Whatever runs in the rooms of an adapter and can be stopped there, whichever way its provider addresses it.
pub trait StopsTurns: Send + Sync {
    /// Stops whatever runs in a room, without waiting: for `on_interrupt`.
    fn begin_stop(&self, room: ChatId);

    /// Stops whatever runs in a room and waits until it is over: for `on_cleanup`.
    fn settle(&self, room: ChatId) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

impl<H: Clone + Send + Sync + 'static> StopsTurns for BackendTurns<H> {
    fn begin_stop(&self, room: ChatId) {
        self.inner.tell(room, Input::Stop);
    }

    fn settle(&self, room: ChatId) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            self.begin_stop(room);
            if timeout(STOP_LIMIT, self.inner.idle(room)).await.is_err() {
                self.inner.abandon_start(room);
            }
            self.inner.idle(room).await;
            self.inner.rooms().remove(&room);
        })
    }
}

impl<H: Clone + Send + Sync + 'static> Inner<H> {
    fn rooms(&self) -> MutexGuard<'_, BTreeMap<ChatId, Room<H>>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(self: &Arc<Self>, room: ChatId, turn: RemoteTurn, handle: H) {
        if let Some(kept) = self.rooms().get_mut(&room) {
            kept.handles.insert(turn, handle);
        }
        self.tell(room, Input::Known(turn));
    }

    /// Tells the machine, and does what it asks for.
    fn tell(self: &Arc<Self>, room: ChatId, input: Input) {
        let stops: Vec<(RemoteTurn, H)> = {
            let mut rooms = self.rooms();
            let kept = rooms.entry(room).or_insert_with(Room::new);
            kept.decide.handle(input);
            let mut stops = Vec::new();
            while let Some(output) = kept.decide.poll() {
                match output {
                    Output::Admit(turn) => kept.admitted = Some(turn),
                    Output::SendStop(turn) => {
                        stops.extend(kept.handles.get(&turn).cloned().map(|handle| (turn, handle)));
                    }
                }
            }
            if kept.decide.is_idle() {
                kept.handles.clear();
            }
            stops
        };
        for (turn, handle) in stops {
            let inner = Arc::downgrade(self);
            let (provider, stop) = (Arc::clone(&self.provider), Arc::clone(&self.stop));
            self.spawn(async move {
                send_stop(&provider, room, stop(handle)).await;
                if let Some(inner) = inner.upgrade() {
                    inner.tell(room, Input::StopOver(turn));
                }
            });
        }
        self.changed.send_modify(|count| *count = count.wrapping_add(1));
    }

    async fn idle(&self, room: ChatId) {
        let mut changed = self.changed.subscribe();
        while !self.is_idle(room) {
            // The sender is ours.
            let _ = changed.changed().await;
        }
    }

    /// Gives up a start that takes too long. If the provider still begins the turn, nobody can address it.
    fn abandon_start(self: &Arc<Self>, room: ChatId) {
        let starting = self.rooms().get_mut(&room).and_then(|kept| kept.starting.take());
        let Some((turn, task)) = starting.filter(|(_, task)| !task.is_finished()) else { return };
        tracing::warn!(target: "band.backend", %room, provider = &*self.provider, "the start of a turn took too long: it was given up");
        task.abort();
        self.tell(room, Input::NotStarted(turn));
    }

    fn take_admitted(&self, room: ChatId, turn: RemoteTurn) -> bool {
        self.rooms()
            .get_mut(&room)
            .is_some_and(|kept| kept.admitted.take_if(|admitted| *admitted == turn).is_some())
    }

    fn is_idle(&self, room: ChatId) -> bool {
        self.rooms().get(&room).is_none_or(|kept| kept.decide.is_idle())
    }

    /// Nothing is begun outside of a runtime: there is nobody to run it.
    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) -> Option<AbortHandle> {
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        Some(tasks.spawn_on(work, &runtime))
    }
}

async fn send_stop(provider: &str, room: ChatId, stopping: Stopping) {
    let stopping = AssertUnwindSafe(stopping).catch_unwind();
    match timeout(STOP_LIMIT, stopping).await {
        Ok(Ok(Ok(()))) => {}
        Ok(Ok(Err(err))) => {
            tracing::warn!(target: "band.backend", %room, provider, %err, "the provider did not stop a turn");
        }
        Ok(Err(_)) => {
            tracing::error!(target: "band.backend", %room, provider, "stopping a turn panicked");
        }
        Err(_) => {
            tracing::warn!(target: "band.backend", %room, provider, "the provider did not answer a stop in time");
        }
    }
}

impl<H> Room<H> {
    fn new() -> Self {
        Self { decide: Decide::default(), admitted: None, handles: BTreeMap::new(), starting: None }
    }
}

/// Whoever waits to be admitted; gives up when it is dropped.
struct Asking<'a, H: Clone + Send + Sync + 'static> {
    inner: &'a Arc<Inner<H>>,
    room: ChatId,
    turn: RemoteTurn,
    answered: bool,
}

impl<H: Clone + Send + Sync + 'static> Drop for Asking<'_, H> {
    fn drop(&mut self) {
        if self.answered {
            return;
        }
        if self.inner.take_admitted(self.room, self.turn) {
            self.inner.tell(self.room, Input::NotStarted(self.turn));
        }
        self.inner.tell(self.room, Input::GaveUp(self.turn));
    }
}

/// The owner of a turn that was admitted; abandons it when it is dropped before its end.
struct Owner<'a, H: Clone + Send + Sync + 'static> {
    inner: &'a Arc<Inner<H>>,
    room: ChatId,
    turn: RemoteTurn,
    finished: bool,
}

impl<H: Clone + Send + Sync + 'static> Drop for Owner<'_, H> {
    fn drop(&mut self) {
        let end = if self.finished { Input::Finished(self.turn) } else { Input::Abandoned(self.turn) };
        self.inner.tell(self.room, end);
    }
}

impl<H> fmt::Debug for BackendTurns<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BackendTurns").field("provider", &self.inner.provider).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use band_wire::Id;
    use tokio::sync::Notify;
    use tokio::time::Instant;
    use uuid::Uuid;

    use super::*;

    fn room() -> ChatId {
        Id::new(Uuid::nil())
    }

    /// Notes what was stopped; a stop of turn 9 hangs.
    fn backend() -> (BackendTurns<u32>, Arc<Mutex<Vec<u32>>>) {
        let stopped: Arc<Mutex<Vec<u32>>> = Arc::default();
        let noted = Arc::clone(&stopped);
        let stop = move |handle| {
            let noted = Arc::clone(&noted);
            async move {
                noted.lock().unwrap().push(handle);
                if handle == 9 { pending().await } else { Ok::<(), String>(()) }
            }
        };
        (BackendTurns::new("codex", stop), stopped)
    }

    fn at(handle: u32) -> std::future::Ready<Result<u32, String>> {
        std::future::ready(Ok(handle))
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_that_finishes_is_not_stopped_and_the_next_one_waits_for_it() {
        let (backend, stopped) = backend();
        let gate = Notify::new();
        let first = backend.run(room(), at(1), |handle| async move {
            gate.notified().await;
            Ok(handle)
        });
        let mut first = std::pin::pin!(first);
        assert!(futures_util::poll!(first.as_mut()).is_pending());
        let refused = backend.run(room(), at(2), |_| async { Ok(()) }).await.unwrap_err();
        assert_eq!(refused.kind(), AdapterErrorKind::NotAccepted);
        assert_eq!(refused.to_string(), "The room already has an active codex turn");
        let elsewhere =
            backend.run(Id::new(Uuid::from_u128(1)), at(3), |handle| async move { Ok(handle) }).await;
        assert_eq!(elsewhere.unwrap(), 3, "rooms do not wait for each other");
        assert!(stopped.lock().unwrap().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn an_interrupt_and_a_dropped_owner_stop_a_turn_once_and_the_next_waits_for_the_stop() {
        let (backend, stopped) = backend();
        {
            let mut first = std::pin::pin!(backend.run(room(), at(1), |_| pending::<AdapterResult>()));
            assert!(timeout(STOP_LIMIT, first.as_mut()).await.is_err());
            backend.begin_stop(room());
            backend.begin_stop(room());
        }
        assert_eq!(backend.run(room(), at(2), |handle| async move { Ok(handle) }).await.unwrap(), 2);
        assert_eq!(*stopped.lock().unwrap(), [1]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_that_hangs_is_given_up_after_five_seconds() {
        let (backend, _) = backend();
        {
            let mut first = std::pin::pin!(backend.run(room(), at(9), |_| pending::<AdapterResult>()));
            assert!(timeout(STOP_LIMIT, first.as_mut()).await.is_err());
        }
        let began = Instant::now();
        backend.settle(room()).await;
        assert_eq!(began.elapsed(), STOP_LIMIT);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_that_panics_before_it_waits_leaves_the_room_free() {
        let stop = |handle: u32| {
            assert_ne!(handle, 1, "on purpose");
            std::future::ready(Ok::<(), String>(()))
        };
        let backend = BackendTurns::new("codex", stop);
        {
            let mut first = std::pin::pin!(backend.run(room(), at(1), |_| pending::<AdapterResult>()));
            assert!(timeout(STOP_LIMIT, first.as_mut()).await.is_err());
        }
        timeout(STOP_LIMIT * 2, backend.settle(room())).await.unwrap();
        assert_eq!(backend.run(room(), at(2), |handle| async move { Ok(handle) }).await.unwrap(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_whose_owner_left_before_it_was_known_is_stopped_when_it_is() {
        let (backend, stopped) = backend();
        let gate = Arc::new(Notify::new());
        let known = Arc::clone(&gate);
        {
            let start = async move {
                known.notified().await;
                Ok::<u32, String>(7)
            };
            let mut first = std::pin::pin!(backend.run(room(), start, |_| pending::<AdapterResult>()));
            assert!(timeout(STOP_LIMIT, first.as_mut()).await.is_err());
        }
        assert!(stopped.lock().unwrap().is_empty());
        gate.notify_one();
        backend.settle(room()).await;
        assert_eq!(*stopped.lock().unwrap(), [7]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_start_that_hangs_ends_with_its_room_or_with_its_owner() {
        let (backend, stopped) = backend();
        let began = Instant::now();
        for n in [0, 1] {
            let (room, alive) = (Id::new(Uuid::from_u128(n)), Arc::clone(&stopped));
            let start = async move {
                pending::<()>().await;
                Ok::<u32, String>(u32::try_from(alive.lock().unwrap().len()).unwrap())
            };
            let mut first = std::pin::pin!(backend.run(room, start, |_| pending::<AdapterResult>()));
            assert!(futures_util::poll!(first.as_mut()).is_pending());
        }
        assert_eq!(Arc::strong_count(&stopped), 4, "two starts, the backend and this test");
        backend.settle(room()).await;
        assert_eq!(began.elapsed(), STOP_LIMIT);
        tokio::task::yield_now().await;
        assert_eq!(Arc::strong_count(&stopped), 3);
        drop(backend);
        tokio::task::yield_now().await;
        assert_eq!(Arc::strong_count(&stopped), 1);
    }

    #[tokio::test]
    async fn a_turn_that_does_not_start_leaves_the_room_free() {
        let (backend, stopped) = backend();
        let refused = async { Err::<u32, _>("no quota") };
        let err = backend.run(room(), refused, |_| async { Ok(()) }).await.unwrap_err();
        assert_eq!(err.to_string(), "no quota");
        assert_eq!(backend.run(room(), at(2), |handle| async move { Ok(handle) }).await.unwrap(), 2);
        assert!(stopped.lock().unwrap().is_empty());
    }
}
