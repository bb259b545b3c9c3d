//! Keys, sessions and answers that are kept for repeated requests.

use band_core::platform::Principal;
use band_wire::{AgentId, ParticipantId, Stamp, UserId};
use rusqlite::params;
use uuid::Uuid;

use super::View;
use crate::store::{StoreError, column};

/// A key that is valid.
#[derive(Debug, Clone, Copy)]
pub struct FoundKey {
    /// Whose it is.
    pub principal: Principal,
    /// When it was last seen, as far as it was written down.
    pub last_used_at: Option<Stamp>,
}

/// An answer that was given before.
#[derive(Debug, Clone)]
pub struct StoredAnswer {
    /// The hash of the request it was given to.
    pub request_hash: [u8; 32],
    /// What was created.
    pub resource: Uuid,
    /// The answer, as JSON.
    pub answer: String,
    /// When.
    pub inserted_at: Stamp,
}

impl View<'_> {
    /// The valid key of a hash. Keys of deleted agents are none.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn key(self, hash: &[u8; 32]) -> Result<Option<FoundKey>, StoreError> {
        let sql = "SELECT k.user_id, k.agent_id, a.owner_id, k.last_used_at FROM api_keys k
            LEFT JOIN agents a ON a.id = k.agent_id AND a.deleted_at IS NULL
            WHERE k.hash = ?1 AND k.revoked_at IS NULL";
        let found = self.first(sql, params![hash], |row| {
            let user: Option<UserId> = column::opt_id(row, 0)?;
            let agent: Option<AgentId> = column::opt_id(row, 1)?;
            let owner: Option<UserId> = column::opt_id(row, 2)?;
            let principal = match (user, agent, owner) {
                (Some(user), _, _) => Some(Principal::User(user)),
                (None, Some(id), Some(owner)) => Some(Principal::Agent { id, owner }),
                _ => None,
            };
            let last_used_at = column::opt_stamp(row, 3)?;
            Ok(principal.map(|principal| FoundKey { principal, last_used_at }))
        })?;
        Ok(found.flatten())
    }

    /// Whose session a hash is, if it has not ended.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn session(self, hash: &[u8; 32], now: Stamp) -> Result<Option<UserId>, StoreError> {
        let sql = "SELECT user_id FROM sessions WHERE hash = ?1 AND expires_at > ?2";
        self.first(sql, params![hash, now.as_micros()], |row| column::id(row, 0))
    }

    /// The answer that a caller got before to a request with a key.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn stored_answer(
        self,
        caller: ParticipantId,
        route: &str,
        key: &str,
    ) -> Result<Option<StoredAnswer>, StoreError> {
        let sql = "SELECT request_hash, resource_id, answer, inserted_at FROM idempotency_keys
            WHERE caller_id = ?1 AND route = ?2 AND key = ?3";
        self.first(sql, params![caller.uuid(), route, key], |row| {
            Ok(StoredAnswer {
                request_hash: row.get(0)?,
                resource: row.get(1)?,
                answer: row.get(2)?,
                inserted_at: column::stamp(row, 3)?,
            })
        })
    }
}
