//! Questions put to people in a room, whose answers come as ordinary messages.
//!
//! An adapter asks, shows the token, and goes on waiting in its turn or in a task of its own. When a message
//! answers, [`FrameworkAdapter::try_handle_control`](crate::FrameworkAdapter::try_handle_control) claims the ask by
//! its token and settles it.
//!
//! ```
//! use std::time::Duration;
//! use band::decisions::{Decision, Decisions, Senders};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let decisions = Decisions::<bool>::new(None);
//! let ask = decisions.ask(None, Senders::Anyone);
//! let token = ask.token().to_owned(); // "Answer `yes 3f2a…` or `no 3f2a…`."
//! decisions.claim(&token, band_wire::Id::new(uuid::Uuid::nil())).unwrap().settle(true);
//! assert_eq!(ask.wait(Duration::from_secs(60)).await, Decision::Answer(true));
//! # }
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub use band_core::decisions::{Cancelled, Senders};
use band_core::decisions::{Claim, Registered, Registry};
use band_wire::{ChatId, ParticipantId};
use tokio::sync::oneshot;
use tokio::time::sleep;

/// The asks that are open. Cheap to clone; clones are the same ones.
pub struct Decisions<A> {
    inner: Arc<Mutex<Inner<A>>>,
}

struct Inner<A> {
    registry: Registry,
    /// Those that nobody has claimed, by ticket.
    waiting: BTreeMap<u64, Waiting<A>>,
}

struct Waiting<A> {
    senders: Senders,
    to: oneshot::Sender<Decision<A>>,
}

/// What an ask came to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision<A> {
    /// Somebody answered.
    Answer(A),
    /// Nobody did in time.
    TimedOut,
    /// The room, or everything, was cancelled.
    Cancelled,
    /// Too many were open, and it was the oldest.
    Evicted,
    /// Another ask took its key.
    Replaced,
    /// It was claimed, and its claimant did not settle it.
    Abandoned,
}

/// Why an ask can't be claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotClaimed {
    /// No open ask has this token.
    #[error("no open question has this token")]
    Unknown,
    /// Somebody else is settling it.
    #[error("the question is being answered already")]
    AlreadyClaimed,
    /// The sender is not one of those who may answer.
    #[error("the sender may not answer this question")]
    NotAuthorised,
}

impl<A> Decisions<A> {
    /// Without open asks. With `most`, the oldest that nobody has claimed goes when there is one too many.
    pub fn new(most: Option<NonZeroU32>) -> Self {
        Self::seeded(most, crate::seed())
    }

    /// The same, with tokens from a seed.
    pub fn seeded(most: Option<NonZeroU32>, seed: u64) -> Self {
        let inner = Inner { registry: Registry::new(most, seed), waiting: BTreeMap::new() };
        Self { inner: Arc::new(Mutex::new(inner)) }
    }

    /// Asks, under a token of its own.
    pub fn ask(&self, room: Option<ChatId>, senders: Senders) -> Ask<A> {
        let mut inner = self.lock();
        inner.make_place();
        let registered = inner.registry.register_minted(room);
        self.waiting(&mut inner, registered, senders)
    }

    /// Asks under a key of the caller's. An open ask of that key is replaced; none while one is being answered.
    pub fn ask_keyed(&self, key: &str, senders: Senders) -> Option<Ask<A>> {
        let mut inner = self.lock();
        let earlier = inner.registry.ticket(key);
        if earlier.is_none() {
            inner.make_place();
        }
        let registered = inner.registry.register_keyed(key)?;
        if let Some(earlier) = earlier {
            inner.drop_ask(earlier, Decision::Replaced);
        }
        Some(self.waiting(&mut inner, registered, senders))
    }

    fn waiting(&self, inner: &mut Inner<A>, registered: Registered, senders: Senders) -> Ask<A> {
        let (to, answer) = oneshot::channel();
        inner.waiting.insert(registered.ticket, Waiting { senders, to });
        Ask { registered, decisions: self.clone(), answer }
    }

    /// Takes an ask, to settle it. From here on neither its timeout nor a cancellation gets in between.
    ///
    /// # Errors
    /// There is none, somebody else has it, or the sender may not answer.
    pub fn claim(&self, token: &str, sender: ParticipantId) -> Result<Claimed<A>, NotClaimed> {
        let mut inner = self.lock();
        let ticket = inner.registry.ticket(token).ok_or(NotClaimed::Unknown)?;
        if inner.waiting.get(&ticket).is_some_and(|waiting| !waiting.senders.admits(sender)) {
            return Err(NotClaimed::NotAuthorised);
        }
        match inner.registry.try_claim(token, ticket) {
            Claim::Claimed => {
                let waiting = inner.waiting.remove(&ticket).ok_or(NotClaimed::Unknown)?;
                let registered = Registered { token: token.to_owned(), ticket };
                Ok(Claimed { registered, decisions: self.clone(), to: Some(waiting.to) })
            }
            Claim::AlreadyClaimed => Err(NotClaimed::AlreadyClaimed),
            Claim::Stale => Err(NotClaimed::Unknown),
        }
    }

    /// The tokens that nobody has claimed, oldest first.
    pub fn unclaimed(&self) -> Vec<String> {
        self.lock().registry.unclaimed().map(str::to_owned).collect()
    }

    /// Those of one room.
    pub fn unclaimed_in_room(&self, room: ChatId) -> Vec<String> {
        self.lock().registry.unclaimed_in_room(room).map(str::to_owned).collect()
    }

    /// Ends every ask of a room. Those that are claimed are still settled by whoever claimed them.
    pub fn cancel_room(&self, room: ChatId) -> Cancelled {
        self.cancel(|registry| registry.cancel_room(room))
    }

    /// Ends every ask. Those that are claimed are still settled by whoever claimed them.
    pub fn cancel_all(&self) -> Cancelled {
        self.cancel(Registry::cancel_all)
    }

    fn cancel(&self, which: impl FnOnce(&mut Registry) -> Cancelled) -> Cancelled {
        let mut inner = self.lock();
        let cancelled = which(&mut inner.registry);
        inner.drop_gone(|| Decision::Cancelled);
        cancelled
    }

    fn lock(&self) -> MutexGuard<'_, Inner<A>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<A> Inner<A> {
    fn make_place(&mut self) {
        if self.registry.evict_oldest().is_some() {
            self.drop_gone(|| Decision::Evicted);
        }
    }

    /// Ends those that the registry does not know any more.
    fn drop_gone(&mut self, decision: impl Fn() -> Decision<A>) {
        let gone: Vec<u64> =
            self.waiting.keys().copied().filter(|ticket| !self.registry.is_open(*ticket)).collect();
        for ticket in gone {
            self.drop_ask(ticket, decision());
        }
    }

    fn drop_ask(&mut self, ticket: u64, decision: Decision<A>) {
        if let Some(waiting) = self.waiting.remove(&ticket) {
            // Whoever asked may be gone.
            let _ = waiting.to.send(decision);
        }
    }
}

impl<A> Clone for Decisions<A> {
    fn clone(&self) -> Self {
        Self { inner: Arc::clone(&self.inner) }
    }
}

impl<A> fmt::Debug for Decisions<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decisions").field("open", &self.lock().waiting.len()).finish_non_exhaustive()
    }
}

/// An ask that waits for its answer. Dropped, it is withdrawn, unless somebody is answering it.
#[must_use = "an ask that is dropped is withdrawn"]
pub struct Ask<A> {
    registered: Registered,
    decisions: Decisions<A>,
    answer: oneshot::Receiver<Decision<A>>,
}

impl<A> Ask<A> {
    /// What names it in the room.
    pub fn token(&self) -> &str {
        &self.registered.token
    }

    /// Waits until it is settled or gone. An answer that was claimed in time is waited for, however long it takes
    /// to settle it.
    pub async fn wait(mut self, most: Duration) -> Decision<A> {
        tokio::select! {
            biased;
            decision = &mut self.answer => return decision.unwrap_or(Decision::Abandoned),
            () = sleep(most) => {}
        }
        let Registered { token, ticket } = &self.registered;
        let timed_out = {
            let mut inner = self.decisions.lock();
            let claimed = inner.registry.try_claim(token, *ticket) == Claim::Claimed;
            if claimed {
                inner.registry.forget(token, *ticket);
                inner.waiting.remove(ticket);
            }
            claimed
        };
        if timed_out {
            return Decision::TimedOut;
        }
        (&mut self.answer).await.unwrap_or(Decision::Abandoned)
    }
}

impl<A> Drop for Ask<A> {
    fn drop(&mut self) {
        let mut inner = self.decisions.lock();
        if inner.registry.withdraw(&self.registered.token, self.registered.ticket) {
            inner.waiting.remove(&self.registered.ticket);
        }
    }
}

impl<A> fmt::Debug for Ask<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask").field("token", &self.registered.token).finish_non_exhaustive()
    }
}

/// An ask that the holder alone settles. Dropped, it is abandoned.
#[must_use = "a claimed ask waits to be settled"]
pub struct Claimed<A> {
    registered: Registered,
    decisions: Decisions<A>,
    to: Option<oneshot::Sender<Decision<A>>>,
}

impl<A> Claimed<A> {
    /// Settles it. Says whether anybody still waited.
    pub fn settle(mut self, answer: A) -> bool {
        self.to.take().is_some_and(|to| to.send(Decision::Answer(answer)).is_ok())
    }
}

impl<A> Drop for Claimed<A> {
    fn drop(&mut self) {
        self.decisions.lock().registry.forget(&self.registered.token, self.registered.ticket);
    }
}

impl<A> fmt::Debug for Claimed<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Claimed").field("token", &self.registered.token).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use band_wire::Id;
    use futures_util::FutureExt;
    use uuid::Uuid;

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn id<M>(number: u128) -> Id<M> {
        Id::new(Uuid::from_u128(number))
    }

    fn decisions(most: u32) -> Decisions<&'static str> {
        Decisions::seeded(NonZeroU32::new(most), 1)
    }

    #[tokio::test(start_paused = true)]
    async fn an_ask_is_answered_once_by_whoever_may() {
        let decisions = decisions(0);
        let ask = decisions.ask(None, Senders::Only(BTreeSet::from([id(1)])));
        let token = ask.token().to_owned();
        assert_eq!(decisions.claim(&token, id(2)).unwrap_err(), NotClaimed::NotAuthorised);
        assert_eq!(decisions.claim("nothing", id(1)).unwrap_err(), NotClaimed::Unknown);
        let claimed = decisions.claim(&token, id(1)).unwrap();
        assert_eq!(decisions.claim(&token, id(1)).unwrap_err(), NotClaimed::AlreadyClaimed);
        assert!(claimed.settle("yes"));
        assert_eq!(ask.wait(MINUTE).await, Decision::Answer("yes"));
        assert_eq!(decisions.claim(&token, id(1)).unwrap_err(), NotClaimed::Unknown);
    }

    #[tokio::test(start_paused = true)]
    async fn an_ask_times_out_and_an_answer_that_was_claimed_before_is_waited_for() {
        let decisions = decisions(0);
        let ask = decisions.ask(None, Senders::Anyone);
        assert_eq!(ask.wait(MINUTE).await, Decision::TimedOut);
        assert!(decisions.unclaimed().is_empty());

        let ask = decisions.ask(None, Senders::Anyone);
        let claimed = decisions.claim(ask.token(), id(1)).unwrap();
        let late = async {
            sleep(MINUTE * 10).await;
            // A cancellation does not get in between.
            assert_eq!(decisions.cancel_all().claimed.len(), 1);
            claimed.settle("at last")
        };
        let (decision, waited_for) = tokio::join!(ask.wait(MINUTE), late);
        assert_eq!((decision, waited_for), (Decision::Answer("at last"), true));
    }

    #[tokio::test(start_paused = true)]
    async fn a_timeout_that_has_claimed_is_not_undone_by_a_cancellation_at_the_same_moment() {
        let decisions = decisions(0);
        let ask = decisions.ask(Some(id(9)), Senders::Anyone);
        let cancel = async {
            sleep(MINUTE).await;
            decisions.cancel_room(id(9))
        };
        let (decision, cancelled) = tokio::join!(biased; ask.wait(MINUTE), cancel);
        assert_eq!((decision, cancelled), (Decision::TimedOut, Cancelled::default()));
    }

    #[tokio::test]
    async fn what_is_cancelled_evicted_replaced_or_abandoned_says_so() {
        let decisions = decisions(2);
        let gone = |ask: Ask<&'static str>| ask.wait(MINUTE).now_or_never();
        let first = decisions.ask(Some(id(9)), Senders::Anyone);
        let second = decisions.ask_keyed("key", Senders::Anyone).unwrap();
        let third = decisions.ask(Some(id(9)), Senders::Anyone);
        assert_eq!(gone(first), Some(Decision::Evicted));
        let again = decisions.ask_keyed("key", Senders::Anyone).unwrap();
        assert_eq!(gone(second), Some(Decision::Replaced));
        drop(decisions.claim("key", id(1)).unwrap());
        assert_eq!(gone(again), Some(Decision::Abandoned));
        assert_eq!(decisions.cancel_room(id(9)).unclaimed, [third.token()]);
        assert_eq!(gone(third), Some(Decision::Cancelled));
    }

    #[tokio::test]
    async fn whoever_stops_waiting_withdraws_and_a_claim_then_finds_nobody() {
        let decisions = decisions(0);
        drop(decisions.ask(None, Senders::Anyone));
        assert!(decisions.unclaimed().is_empty());
        let ask = decisions.ask_keyed("key", Senders::Anyone).unwrap();
        let claimed = decisions.claim("key", id(1)).unwrap();
        assert!(decisions.ask_keyed("key", Senders::Anyone).is_none(), "it is being answered");
        drop(ask);
        assert!(!claimed.settle("too late"));
        assert!(decisions.ask_keyed("key", Senders::Anyone).is_some());
    }
}
