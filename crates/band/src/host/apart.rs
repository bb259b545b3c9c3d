//! Work that may block its thread, on a runtime that must not notice.
//!
//! What is polled apart has a thread of its own for as long as that poll takes, and hands its other tasks to another
//! one. The runtime has so many of those (512, unless its builder says otherwise), and stands when they are used up.
//! So there are two bounds: [`OWN_MAX`] for each agent, [`ALL_MAX`] for all agents of the process. A turn that finds
//! no place waits for one without holding a thread, and a line of the log names the agent. An agent that blocks all
//! of its own places so holds up its own turns alone; it takes sixteen such agents to hold up the others.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, ready};

use band_wire::AgentId;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::block_in_place;
use tokio_util::sync::PollSemaphore;

/// Turns of one agent that are in its adapter's code at once.
const OWN_MAX: usize = 16;
/// Turns of all agents of this process: half of the threads that a runtime has for blocking work.
const ALL_MAX: usize = 256;

static ALL: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(ALL_MAX)));

/// The places of one agent's turns that may block. Clones are the same ones.
#[derive(Debug, Clone)]
pub(crate) struct Places(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    agent: AgentId,
    own: Arc<Semaphore>,
    all: Arc<Semaphore>,
    /// It was said that this agent's turns wait.
    told: AtomicBool,
}

impl Places {
    /// Those of an agent on this process's host.
    pub(crate) fn of(agent: AgentId) -> Self {
        Self::new(agent, OWN_MAX, Arc::clone(&ALL))
    }

    fn new(agent: AgentId, own: usize, all: Arc<Semaphore>) -> Self {
        let own = Arc::new(Semaphore::new(own));
        Self(Arc::new(Shared { agent, own, all, told: AtomicBool::new(false) }))
    }

    /// Said once for each agent.
    fn tell(&self) {
        if self.0.told.swap(true, Ordering::Relaxed) {
            return;
        }
        let (agent, all) = (self.0.agent, self.0.all.available_permits() == 0);
        let limit = if all { ALL_MAX } else { OWN_MAX };
        let whose = if all { "of all agents" } else { "of this agent" };
        tracing::warn!(target: "band.host", %agent, limit,
            "so many turns {whose} are in their adapters' code at once that the next one waits: do they block \
             their threads? Use async calls, or tokio::task::spawn_blocking");
    }
}

/// A future that is polled apart from the runtime's other tasks.
struct Apart<T> {
    work: Pin<Box<dyn Future<Output = T> + Send>>,
    places: Places,
    own: PollSemaphore,
    all: PollSemaphore,
    /// Of its agent's, while it waits for one of all.
    held: Option<OwnedSemaphorePermit>,
}

impl<T> Apart<T> {
    fn new(places: Places, work: impl Future<Output = T> + Send + 'static) -> Self {
        let (own, all) = (Arc::clone(&places.0.own), Arc::clone(&places.0.all));
        Self {
            work: Box::pin(work),
            places,
            own: PollSemaphore::new(own),
            all: PollSemaphore::new(all),
            held: None,
        }
    }

    /// A place of the agent's and one of all; none only when they are closed, which they never are.
    fn place(&mut self, cx: &mut Context<'_>) -> Poll<[Option<OwnedSemaphorePermit>; 2]> {
        if self.held.is_none() {
            self.held = ready!(self.own.poll_acquire(cx));
        }
        let all = ready!(self.all.poll_acquire(cx));
        Poll::Ready([self.held.take(), all])
    }
}

impl<T> Future for Apart<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let Poll::Ready(_place) = self.place(cx) else {
            self.places.tell();
            return Poll::Pending;
        };
        // The thread's other tasks move on to another thread first.
        block_in_place(|| self.work.as_mut().poll(cx))
    }
}

/// Runs work so that it may block its thread, where there are places for that and the runtime has more than one
/// thread; there is nowhere to move to otherwise.
pub(crate) async fn apart<T: Send>(
    places: Option<Places>,
    work: impl Future<Output = T> + Send + 'static,
) -> T {
    let threads = Handle::try_current().is_ok_and(|it| it.runtime_flavor() == RuntimeFlavor::MultiThread);
    match places.filter(|_| threads) {
        Some(places) => Apart::new(places, work).await,
        None => work.await,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

    use band_wire::Id;
    use tokio::runtime::{Builder, Runtime};
    use tokio::task::JoinSet;
    use uuid::Uuid;

    use super::*;

    fn agent(n: u128) -> AgentId {
        Id::new(Uuid::from_u128(n))
    }

    /// One thread, and three for what blocks: a fourth that blocks stops everything.
    fn small() -> Runtime {
        Builder::new_multi_thread().worker_threads(1).max_blocking_threads(3).build().unwrap()
    }

    fn gate() -> (SyncSender<()>, Receiver<()>) {
        sync_channel(1)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn work_that_blocks_its_thread_leaves_the_others_running() {
        let (release, blocked) = gate();
        let mut tasks = JoinSet::new();
        tasks.spawn(apart(Some(Places::of(agent(1))), async move { blocked.recv() }));
        // There is one thread: this is polled only if the other one has left it.
        for _ in 0..10 {
            tasks.spawn(async { Ok(()) });
        }
        for _ in 0..10 {
            assert_eq!(tasks.join_next().await.unwrap().unwrap(), Ok(()));
        }
        release.send(()).unwrap();
        assert_eq!(tasks.join_next().await.unwrap().unwrap(), Ok(()));
    }

    #[test]
    fn an_agent_that_blocks_all_of_its_turns_holds_up_neither_the_runtime_nor_another_agent() {
        small().block_on(async {
            let all = Arc::new(Semaphore::new(3));
            let (bad, good) = (Places::new(agent(1), 2, Arc::clone(&all)), Places::new(agent(2), 2, all));
            let (mut blocking, mut releases) = (JoinSet::new(), Vec::new());
            for _ in 0..10 {
                let (release, blocked) = gate();
                releases.push(release);
                blocking.spawn(apart(Some(bad.clone()), async move { blocked.recv() }));
            }
            let mut others = JoinSet::new();
            for n in 0..100 {
                others.spawn(apart(Some(good.clone()), async move {
                    tokio::task::yield_now().await;
                    n
                }));
            }
            assert_eq!(others.join_all().await.into_iter().sum::<i32>(), 4_950);
            // Its third turn is looked at sooner or later, and finds no place.
            while !bad.0.told.load(Ordering::Relaxed) {
                tokio::task::yield_now().await;
            }
            releases.iter().for_each(|release| release.send(()).unwrap());
            assert!(blocking.join_all().await.into_iter().all(|done| done == Ok(())));
        });
    }

    #[test]
    fn many_agents_that_block_leave_the_runtime_running() {
        small().block_on(async {
            let all = Arc::new(Semaphore::new(2));
            let (mut blocking, mut releases) = (JoinSet::new(), Vec::new());
            for n in 0..10 {
                let (release, blocked) = gate();
                releases.push(release);
                let places = Places::new(agent(n), 1, Arc::clone(&all));
                blocking.spawn(apart(Some(places), async move { blocked.recv() }));
            }
            let mut others = JoinSet::new();
            (0..100).for_each(|_| drop(others.spawn(tokio::task::yield_now())));
            others.join_all().await;
            releases.iter().for_each(|release| release.send(()).unwrap());
            assert!(blocking.join_all().await.into_iter().all(|done| done == Ok(())));
        });
    }

    #[tokio::test]
    async fn with_one_thread_it_is_polled_like_anything_else() {
        assert_eq!(apart(Some(Places::of(agent(1))), async { 7 }).await, 7);
    }
}
