//! The use cases of the platform, one file a verb: load facts, let the rules decide, store, answer.

mod activity;
mod add_participant;
mod administer;
mod agent_chats;
mod agent_me;
mod agent_memories;
mod agent_messages;
mod announce_presence;
mod authenticate;
mod bulk_deletions;
mod change_chat;
mod contact_lists;
mod contacts;
mod context;
mod control;
mod create_chat;
mod create_event;
mod delegation;
mod delete_agent;
mod error;
mod files;
mod idempotency;
mod mark_message;
mod may_join;
mod my_agents;
mod my_chats;
mod my_memories;
mod my_messages;
mod next_message;
mod participants;
mod peers;
mod profile;
mod register_agent;
mod remove_participant;
mod send_message;
mod sessions;
mod shape;
mod tasks;
mod upkeep;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use band_core::platform::Push;
use band_core::platform::hub::Readers;
use band_wire::{AgentId, ChatId, ParticipantId};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

pub use administer::LINK_AGE;
pub use error::{AppError, AppResult};
pub use sessions::{SESSION_AGE, Session};

use crate::bus::Outlet;
use crate::keys::Keyring;
use crate::store::{DataDir, Files, Store, StoreError};
use activity::Desk;
use authenticate::KeyCache;

/// Everything the platform can do. Clones share one platform.
#[derive(Clone)]
pub struct App(Arc<Inner>);

struct Inner {
    store: Store,
    keyring: Keyring,
    keys: KeyCache,
    files: Files,
    desk: Desk,
    outlet: Arc<dyn Outlet>,
    stop: CancellationToken,
    upkeep: Mutex<JoinSet<()>>,
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("App")
    }
}

impl App {
    /// Opens the platform of a data folder. What it pushes goes to `outlet`.
    ///
    /// # Errors
    /// The folder can't be used; see [`StoreError`].
    pub async fn open(dir: &DataDir, outlet: Arc<dyn Outlet>) -> Result<Self, StoreError> {
        let keys = KeyCache::default();
        let watched = Arc::new(Watched { outlet: Arc::clone(&outlet), keys: keys.clone() });
        let dir = dir.clone();
        let open = move || {
            let (store, secret) = Store::open(&dir, watched)?;
            let files = Files::open(dir.files())?;
            let lying = files.all()?;
            Ok((store, secret, files, lying))
        };
        let opened = tokio::task::spawn_blocking(open).await;
        let (store, secret, files, lying) = opened.unwrap_or(Err(StoreError::Panicked))?;
        let (desk, stop) = (Desk::new(), CancellationToken::new());
        let mut upkeep = JoinSet::new();
        let kept = upkeep::Kept { files: files.clone(), lying };
        upkeep.spawn(upkeep::run(store.clone(), desk.clone(), kept, stop.clone()));
        let (keyring, upkeep) = (Keyring::new(secret), Mutex::new(upkeep));
        Ok(Self(Arc::new(Inner { store, keyring, keys, files, desk, outlet, stop, upkeep })))
    }

    /// Takes no more work, finishes what waits, and closes the database.
    pub async fn close(&self) {
        self.0.stop.cancel();
        let mut upkeep = std::mem::take(&mut *self.0.upkeep.lock().unwrap_or_else(PoisonError::into_inner));
        while upkeep.join_next().await.is_some() {}
        self.store().close().await;
    }

    fn files(&self) -> &Files {
        &self.0.files
    }

    fn desk(&self) -> &Desk {
        &self.0.desk
    }

    fn is_online(&self, who: ParticipantId) -> bool {
        self.0.outlet.is_online(who)
    }

    fn store(&self) -> &Store {
        &self.0.store
    }

    fn keyring(&self) -> &Keyring {
        &self.0.keyring
    }

    fn keys(&self) -> &KeyCache {
        &self.0.keys
    }
}

/// Sees revocations pass, so that the keys at hand go with them.
struct Watched {
    outlet: Arc<dyn Outlet>,
    keys: KeyCache,
}

impl Outlet for Watched {
    fn publish(&self, pushes: &[Push], readers: &dyn Readers) {
        self.outlet.publish(pushes, readers);
    }

    fn is_listening(&self, agent: AgentId, chat: ChatId) -> bool {
        self.outlet.is_listening(agent, chat)
    }

    fn is_online(&self, who: ParticipantId) -> bool {
        self.outlet.is_online(who)
    }

    fn revoke(&self, agent: AgentId) {
        self.keys.forget(agent);
        self.outlet.revoke(agent);
    }
}
