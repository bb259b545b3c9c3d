//! The past of a room as it was read last: for the turn it was read for, and for a second attempt at it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use band_wire::MessageId;
use band_wire::rest::DeliveryStatus;
use tokio::time::Instant;

use super::context::Past;
use crate::config::SessionConfig;

/// Keeps one past. It is for one message alone: what was said since would be missing for another.
#[derive(Debug)]
pub(super) struct KeptPast {
    /// How long it may be used again; none for once.
    keep: Option<Duration>,
    read: Mutex<Option<Read>>,
}

#[derive(Debug)]
struct Read {
    trigger: MessageId,
    at: Instant,
    past: Past,
}

/// Where the newest messages stood when that was asked last.
#[derive(Debug)]
pub(super) struct KeptGlance {
    keep: Option<Duration>,
    told: Mutex<Option<(Instant, Told)>>,
}

type Told = BTreeMap<MessageId, DeliveryStatus>;

impl KeptGlance {
    pub(super) fn new(session: &SessionConfig) -> Self {
        Self { keep: keep(session), told: Mutex::default() }
    }

    pub(super) fn put(&self, told: Told) {
        if self.keep.is_some() {
            *self.told.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), told));
        }
    }

    /// Where this message stood, if that need not be asked again.
    pub(super) fn peek(&self, message: MessageId) -> Option<Option<DeliveryStatus>> {
        let (told, keep) = (self.told.lock().unwrap_or_else(PoisonError::into_inner), self.keep?);
        let (at, told) = told.as_ref()?;
        (at.elapsed() < keep).then(|| told.get(&message).copied())
    }
}

fn keep(session: &SessionConfig) -> Option<Duration> {
    let seconds = u64::try_from(session.context_cache_ttl_seconds).unwrap_or_default();
    (session.enable_context_cache && seconds > 0).then(|| Duration::from_secs(seconds))
}

impl KeptPast {
    pub(super) fn new(session: &SessionConfig) -> Self {
        Self { keep: keep(session), read: Mutex::default() }
    }

    pub(super) fn put(&self, trigger: MessageId, past: Past) {
        *self.lock() = Some(Read { trigger, at: Instant::now(), past });
    }

    /// What `look` finds in the past of this message, if that need not be read again.
    pub(super) fn peek<T>(&self, trigger: MessageId, look: impl FnOnce(&Past) -> T) -> Option<T> {
        let read = self.lock();
        let read = read.as_ref().filter(|read| read.trigger == trigger)?;
        self.keep.filter(|keep| read.at.elapsed() < *keep).map(|_| look(&read.past))
    }

    /// What `look` finds in the past that was read last, for whichever message, if it is not old.
    pub(super) fn recent<T>(&self, look: impl FnOnce(&Past) -> T) -> Option<T> {
        let read = self.lock();
        let (read, keep) = (read.as_ref()?, self.keep?);
        (read.at.elapsed() < keep).then(|| look(&read.past))
    }

    /// The past for a turn on this message; empty when none was read for it.
    pub(super) fn take(&self, trigger: MessageId) -> Past {
        let mut read = self.lock();
        let kept = match self.keep {
            Some(_) => read.as_ref().filter(|read| read.trigger == trigger).map(|read| read.past.clone()),
            None => read.take_if(|read| read.trigger == trigger).map(|read| read.past),
        };
        kept.unwrap_or_default()
    }

    /// A turn got it: nobody asks again.
    pub(super) fn forget(&self) {
        *self.lock() = None;
    }

    fn lock(&self) -> MutexGuard<'_, Option<Read>> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use band_wire::Id;
    use uuid::Uuid;

    use super::*;

    fn kept(on: bool, seconds: i64) -> KeptPast {
        let session = SessionConfig {
            enable_context_cache: on,
            context_cache_ttl_seconds: seconds,
            ..SessionConfig::default()
        };
        let kept = KeptPast::new(&session);
        kept.put(id(1), Past { truncated: true, ..Past::default() });
        kept
    }

    fn id(n: u128) -> MessageId {
        Id::new(Uuid::from_u128(n))
    }

    #[tokio::test(start_paused = true)]
    async fn a_past_is_used_again_for_its_message_until_it_is_old_or_delivered() {
        let past = kept(true, 5);
        assert!(past.take(id(1)).truncated && past.take(id(1)).truncated);
        assert!(!past.take(id(2)).truncated);
        assert_eq!(past.peek(id(1), |past| past.truncated), Some(true));
        assert_eq!(past.peek(id(2), |_| ()), None);
        tokio::time::advance(Duration::from_secs(5)).await;
        assert_eq!(past.peek(id(1), |_| ()), None, "it is old");
        assert!(past.take(id(1)).truncated, "the turn it was read for may start late");
        past.forget();
        assert!(!past.take(id(1)).truncated);
    }

    #[tokio::test]
    async fn without_the_cache_it_is_used_once() {
        for past in [kept(false, 5), kept(true, 0), kept(true, -1)] {
            assert_eq!(past.peek(id(1), |_| ()), None);
            assert!(past.take(id(1)).truncated);
            assert!(!past.take(id(1)).truncated);
        }
    }
}
