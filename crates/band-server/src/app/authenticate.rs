//! Who a key belongs to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use band_core::platform::Principal;
use band_wire::{AgentId, Stamp};

use super::{App, AppResult};
use crate::keys::{KeyHash, Purpose};

/// Keys at hand. When one more comes, all are let go.
const MAX_KEYS: usize = 65_536;

/// How often the use of a key is written down, in microseconds: every 10 minutes.
const TOUCH_EVERY: i64 = 10 * 60 * 1_000_000;

impl App {
    /// Whose key this is; none when it is unknown or revoked.
    ///
    /// # Errors
    /// The store can't be asked: that tells nothing about the key.
    pub async fn authenticate(&self, key: &str) -> AppResult<Option<Principal>> {
        let Some(hash) = self.keyring().hash(Purpose::UserKey, key) else { return Ok(None) };
        let keys = self.keys();
        let now = Stamp::from(jiff::Timestamp::now());
        let (found, generation) = keys.get(&hash);
        let known = match found {
            Some(known) => known,
            None => {
                let Some(key) = self.store().read(move |view| view.key(&hash)).await? else {
                    return Ok(None);
                };
                Known { principal: key.principal, touched: key.last_used_at }
            }
        };
        let due = known.touched.is_none_or(|at| now.as_micros() - at.as_micros() > TOUCH_EVERY);
        if found.is_none() || due {
            keys.put(
                hash,
                Known { touched: if due { Some(now) } else { known.touched }, ..known },
                generation,
            );
        }
        if due {
            self.store().write_behind(move |scope| scope.touch_key(&hash));
        }
        Ok(Some(known.principal))
    }
}

#[derive(Debug, Clone, Copy)]
struct Known {
    principal: Principal,
    touched: Option<Stamp>,
}

/// Keys that were asked for lately. A revocation drops its keys, and whatever was looked up before it but
/// not put in yet.
#[derive(Debug, Clone, Default)]
pub(super) struct KeyCache(Arc<Mutex<Cached>>);

#[derive(Debug, Default)]
struct Cached {
    keys: BTreeMap<KeyHash, Known>,
    generation: u64,
}

impl KeyCache {
    fn get(&self, hash: &KeyHash) -> (Option<Known>, u64) {
        let cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (cached.keys.get(hash).copied(), cached.generation)
    }

    fn put(&self, hash: KeyHash, known: Known, generation: u64) {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if cached.generation != generation {
            return;
        }
        if cached.keys.len() >= MAX_KEYS {
            cached.keys.clear();
        }
        cached.keys.insert(hash, known);
    }

    /// Drops the keys of an agent.
    pub(super) fn forget(&self, agent: AgentId) {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cached.generation = cached.generation.wrapping_add(1);
        cached.keys.retain(|_, known| known.principal.participant() != agent.into());
    }
}
