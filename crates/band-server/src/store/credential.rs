//! Writes that no plan makes: keys, sign-in links, sessions, and answers kept for repeated requests.

use band_core::platform::Principal;
use band_wire::{AgentId, FileId, ParticipantId, Stamp, UserId};
use rusqlite::{OptionalExtension, ToSql, params};
use uuid::Uuid;

use super::scope::Effect;
use super::{Scope, StoreError, column};

/// An answer to keep for a caller who may repeat the request.
#[derive(Debug)]
pub struct Answered<'a> {
    /// Who asked.
    pub caller: ParticipantId,
    /// What for.
    pub route: &'a str,
    /// Under which key.
    pub key: &'a str,
    /// The hash of the request.
    pub request_hash: [u8; 32],
    /// What was created.
    pub resource: Uuid,
    /// The answer, as JSON.
    pub answer: &'a str,
}

impl Scope<'_> {
    /// Keeps the hash of a new key.
    ///
    /// # Errors
    /// The write failed.
    pub fn add_key(&mut self, hash: &[u8; 32], prefix: &str, whose: Principal) -> Result<(), StoreError> {
        let (user, agent) = match whose {
            Principal::User(user) => (Some(user.uuid()), None),
            Principal::Agent { id, .. } => (None, Some(id.uuid())),
        };
        let sql =
            "INSERT INTO api_keys (hash, prefix, user_id, agent_id, inserted_at) VALUES (?1, ?2, ?3, ?4, ?5)";
        self.execute(sql, params![hash, prefix, user, agent, self.now().as_micros()]).map(drop)
    }

    /// Notes that a key was used.
    ///
    /// # Errors
    /// The write failed.
    pub fn touch_key(&mut self, hash: &[u8; 32]) -> Result<(), StoreError> {
        let sql = "UPDATE api_keys SET last_used_at = ?2 WHERE hash = ?1";
        self.execute(sql, params![hash, self.now().as_micros()]).map(drop)
    }

    /// Revokes the keys of an agent, so that another one takes their place; false, and nothing is done, when
    /// one of them was ever used, or the agent is gone.
    ///
    /// # Errors
    /// The write failed.
    pub fn replace_unused_key(&mut self, agent: AgentId) -> Result<bool, StoreError> {
        let sql = "UPDATE api_keys SET revoked_at = ?2 WHERE agent_id = ?1 AND revoked_at IS NULL
            AND NOT EXISTS (SELECT 1 FROM api_keys WHERE agent_id = ?1 AND last_used_at IS NOT NULL)";
        let revoked = self.execute(sql, params![agent.uuid(), self.now().as_micros()])?;
        if revoked > 0 {
            self.effects.push(Effect::Revoke(agent));
        }
        Ok(revoked > 0)
    }

    /// Keeps a one-time link.
    ///
    /// # Errors
    /// The write failed.
    pub fn add_sign_in_link(
        &mut self,
        hash: &[u8; 32],
        user: UserId,
        until: Stamp,
    ) -> Result<(), StoreError> {
        let sql =
            "INSERT INTO sign_in_links (hash, user_id, inserted_at, expires_at) VALUES (?1, ?2, ?3, ?4)";
        self.execute(sql, params![hash, user.uuid(), self.now().as_micros(), until.as_micros()]).map(drop)
    }

    /// Uses a one-time link up, and says whose it was if it was still good.
    ///
    /// # Errors
    /// The write failed.
    pub fn take_sign_in_link(&mut self, hash: &[u8; 32]) -> Result<Option<UserId>, StoreError> {
        let sql = "DELETE FROM sign_in_links WHERE hash = ?1 RETURNING user_id, expires_at";
        let mut statement = self.writable()?.prepare_cached(sql)?;
        let found = statement.query_row([hash], |row| Ok((column::id(row, 0)?, column::stamp(row, 1)?)));
        let found: Option<(UserId, Stamp)> = found.optional()?;
        Ok(found.filter(|(_, until)| *until > self.now()).map(|(user, _)| user))
    }

    /// Keeps a session.
    ///
    /// # Errors
    /// The write failed.
    pub fn add_session(&mut self, hash: &[u8; 32], user: UserId, until: Stamp) -> Result<(), StoreError> {
        let sql = "INSERT INTO sessions (hash, user_id, inserted_at, expires_at) VALUES (?1, ?2, ?3, ?4)";
        self.execute(sql, params![hash, user.uuid(), self.now().as_micros(), until.as_micros()]).map(drop)
    }

    /// Ends a session.
    ///
    /// # Errors
    /// The write failed.
    pub fn end_session(&mut self, hash: &[u8; 32]) -> Result<(), StoreError> {
        self.execute("DELETE FROM sessions WHERE hash = ?1", params![hash]).map(drop)
    }

    /// Keeps an answer; an older one under the same key is replaced.
    ///
    /// # Errors
    /// The write failed.
    pub fn keep_answer(&mut self, answered: &Answered<'_>) -> Result<(), StoreError> {
        let Answered { caller, route, key, request_hash, resource, answer } = answered;
        let sql = "INSERT OR REPLACE INTO idempotency_keys
                (caller_id, route, key, request_hash, resource_id, answer, inserted_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let at = self.now().as_micros();
        self.execute(sql, params![caller.uuid(), route, key, request_hash, resource, answer, at]).map(drop)
    }

    /// Lets go of what has expired: links, sessions, and answers and bulk deletions from before a time.
    ///
    /// # Errors
    /// The write failed.
    pub fn sweep(&mut self, answers_before: Stamp) -> Result<(), StoreError> {
        let now = self.now().as_micros();
        self.execute("DELETE FROM sign_in_links WHERE expires_at <= ?1", params![now])?;
        self.execute("DELETE FROM sessions WHERE expires_at <= ?1", params![now])?;
        self.execute("DELETE FROM deletions WHERE inserted_at < ?1", params![answers_before.as_micros()])?;
        let sql = "DELETE FROM idempotency_keys WHERE inserted_at < ?1";
        self.execute(sql, params![answers_before.as_micros()]).map(drop)
    }

    /// What these files held is gone.
    ///
    /// # Errors
    /// The write failed.
    pub fn forget_files(&mut self, files: &[FileId]) -> Result<(), StoreError> {
        for file in files {
            self.execute("DELETE FROM lost_files WHERE id = ?1", params![file.uuid()])?;
        }
        Ok(())
    }

    fn execute(&mut self, sql: &str, params: &[&dyn ToSql]) -> Result<usize, StoreError> {
        Ok(self.writable()?.prepare_cached(sql)?.execute(params)?)
    }
}
