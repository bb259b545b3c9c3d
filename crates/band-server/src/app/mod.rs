//! The use cases of the platform, one file a verb: load facts, let the rules decide, store, answer.

mod authenticate;
mod create_event;
mod error;
mod idempotency;
mod mark_message;
mod next_message;
mod send_message;

use std::fmt;
use std::sync::Arc;

use band_core::platform::Push;
use band_core::platform::hub::Readers;
use band_wire::{AgentId, ChatId, ParticipantId};

pub use error::{AppError, AppResult};

use crate::bus::Outlet;
use crate::keys::Keyring;
use crate::store::{DataDir, Store, StoreError};
use authenticate::KeyCache;

/// Everything the platform can do. Clones share one platform.
#[derive(Clone)]
pub struct App(Arc<Inner>);

struct Inner {
    store: Store,
    keyring: Keyring,
    keys: KeyCache,
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
    pub fn open(dir: &DataDir, outlet: Arc<dyn Outlet>) -> Result<Self, StoreError> {
        let keys = KeyCache::default();
        let outlet = Arc::new(Watched { outlet, keys: keys.clone() });
        let (store, secret) = Store::open(dir, outlet)?;
        Ok(Self(Arc::new(Inner { store, keyring: Keyring::new(secret), keys })))
    }

    /// Takes no more work, finishes what waits, and closes the database.
    pub async fn close(&self) {
        self.store().close().await;
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
