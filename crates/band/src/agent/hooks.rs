//! What a host hangs onto an agent besides the adapter.

use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use band_core::room::{Member, QUEUE_MAX};
use band_wire::ChatId;
use futures_util::FutureExt;

use crate::adapter::{AdapterError, AdapterResult};
use crate::preprocess::{BoxedPreprocessor, DefaultPreprocessor, Preprocessor};

type Called = Pin<Box<dyn Future<Output = AdapterResult> + Send>>;

/// A callback about who comes and goes.
type OnParticipant = Box<dyn Fn(ChatId, Member) -> Called + Send + Sync>;

/// The host's own say in an agent's life.
pub(crate) struct Hooks {
    pub(crate) preprocessor: BoxedPreprocessor,
    pub(super) participant_added: Option<OnParticipant>,
    pub(super) participant_removed: Option<OnParticipant>,
}

/// Who came to a room or went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Presence {
    Arrived(Member),
    Left(Member),
}

impl Hooks {
    pub(super) fn set_preprocessor(&mut self, preprocessor: impl Preprocessor) {
        self.preprocessor = BoxedPreprocessor::new(preprocessor);
    }

    pub(super) fn boxed<F, Fut, E>(callback: F) -> OnParticipant
    where
        F: Fn(ChatId, Member) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<AdapterError>,
    {
        let callback = Arc::new(callback);
        Box::new(move |room, member| {
            let callback = Arc::clone(&callback);
            // Called when it is polled, where a panic is caught.
            Box::pin(async move { callback(room, member).await.map_err(Into::into) })
        })
    }

    fn of(&self, presence: Presence) -> (Option<&OnParticipant>, Member) {
        match presence {
            Presence::Arrived(member) => (self.participant_added.as_ref(), member),
            Presence::Left(member) => (self.participant_removed.as_ref(), member),
        }
    }
}

impl Default for Hooks {
    fn default() -> Self {
        Self {
            preprocessor: BoxedPreprocessor::new(DefaultPreprocessor),
            participant_added: None,
            participant_removed: None,
        }
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").field("preprocessor", &self.preprocessor).finish_non_exhaustive()
    }
}

/// The callbacks of one room, one after another in the order of what happened. The room's own task runs
/// them, so they end with it.
pub(crate) struct RoomCallbacks {
    hooks: Arc<Hooks>,
    room: ChatId,
    waiting: VecDeque<Presence>,
    running: Option<Called>,
}

impl RoomCallbacks {
    pub(crate) const fn new(hooks: Arc<Hooks>, room: ChatId) -> Self {
        Self { hooks, room, waiting: VecDeque::new(), running: None }
    }

    /// Takes up what happened. Of more than a queue can hold, the oldest is dropped.
    pub(crate) fn tell(&mut self, presence: Presence) {
        let is_wanted = match presence {
            Presence::Arrived(_) => self.hooks.participant_added.is_some(),
            Presence::Left(_) => self.hooks.participant_removed.is_some(),
        };
        if !is_wanted {
            return;
        }
        if self.waiting.len() >= QUEUE_MAX {
            self.waiting.pop_front();
            tracing::warn!(target: "band.room", room = %self.room, "a callback about participants is too slow: one was dropped");
        }
        self.waiting.push_back(presence);
    }

    /// Runs one callback; never returns when there is none. May be dropped and called again.
    pub(crate) async fn next(&mut self) {
        if self.running.is_none() {
            let Some(presence) = self.waiting.pop_front() else { return std::future::pending().await };
            let (Some(callback), member) = self.hooks.of(presence) else { return };
            self.running = Some(callback(self.room, member));
        }
        let Some(running) = &mut self.running else { return };
        let told = AssertUnwindSafe(running.as_mut()).catch_unwind().await;
        self.running = None;
        match told {
            Ok(Ok(())) => {}
            Ok(Err(err)) => {
                tracing::warn!(target: "band.room", room = %self.room, %err, "a callback about participants failed");
            }
            Err(_) => {
                tracing::error!(target: "band.room", room = %self.room, "a callback about participants panicked");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use band_wire::Id;
    use band_wire::rest::SenderType;
    use uuid::Uuid;

    use super::*;

    fn member(n: u128) -> Member {
        let id = Id::new(Uuid::from_u128(n));
        Member { id, kind: SenderType::User.into(), name: None, handle: None, description: None }
    }

    #[tokio::test]
    async fn callbacks_run_in_order_and_one_that_fails_or_panics_stops_no_other() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&told);
        let hooks = Hooks {
            participant_added: Some(Hooks::boxed(move |_, who: Member| {
                let n = who.id.uuid().as_u128();
                noted.lock().unwrap().push(n);
                assert_ne!(n, 2, "on purpose, at once");
                async move {
                    assert_ne!(n, 3, "on purpose, later");
                    if n == 1 { Err("no") } else { Ok(()) }
                }
            })),
            ..Hooks::default()
        };
        let mut callbacks = RoomCallbacks::new(Arc::new(hooks), Id::new(Uuid::nil()));
        for n in 1..=4 {
            callbacks.tell(Presence::Arrived(member(n)));
        }
        callbacks.tell(Presence::Left(member(9)));
        for _ in 1..=4 {
            callbacks.next().await;
        }
        assert_eq!(*told.lock().unwrap(), [1, 2, 3, 4]);
        assert!(callbacks.waiting.is_empty(), "nobody asked to hear of those who left");
    }
}
