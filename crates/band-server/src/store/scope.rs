//! What a command sees and does, within its own savepoint.

use std::sync::Arc;

use band_core::platform::{Plan, Push, Room};
use band_wire::{AgentId, ChatId, Stamp};
use rusqlite::Connection;

use super::rosters::Rosters;
use super::{StoreError, View, apply};
use crate::bus::Outlet;

/// What follows a commit, in order.
pub(super) enum Effect {
    /// Sockets are told.
    Publish(Vec<Push>),
    /// An agent's connections are closed.
    Revoke(AgentId),
    /// What is kept in memory follows, and sockets are told what comes of it.
    Run(Box<dyn FnOnce() -> Vec<Push> + Send>),
}

impl Effect {
    /// What it is, for the log.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Publish(_) => "publish",
            Self::Revoke(_) => "revoke",
            Self::Run(_) => "run",
        }
    }
}

/// A command's hold on the store: it reads its facts and carries out its plan, alone. When the command
/// fails, nothing of it stays.
pub struct Scope<'w> {
    pub(super) view: View<'w>,
    pub(super) rosters: &'w Rosters,
    pub(super) outlet: &'w dyn Outlet,
    pub(super) now: Stamp,
    pub(super) effects: Vec<Effect>,
    pub(super) wrote: bool,
}

impl std::fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scope").field("now", &self.now).field("wrote", &self.wrote).finish_non_exhaustive()
    }
}

impl<'w> Scope<'w> {
    /// Everything that can be read.
    pub const fn view(&self) -> View<'w> {
        self.view
    }

    /// The time of the command. It never goes back from one command to the next.
    pub const fn now(&self) -> Stamp {
        self.now
    }

    /// A room with everyone in it.
    ///
    /// # Errors
    /// The database can't be read.
    pub fn room(&self, chat: ChatId) -> Result<Option<Arc<Room>>, StoreError> {
        self.rosters.room(self.view, chat)
    }

    /// Whether an agent has a live subscription to the messages of a room.
    pub fn is_listening(&self, agent: AgentId, chat: ChatId) -> bool {
        self.outlet.is_listening(agent, chat)
    }

    /// Runs the writes of a plan, keeps its pushes for the time after the commit, and gives its answer.
    ///
    /// # Errors
    /// A write failed. The command should fail with it.
    pub fn carry_out<A>(&mut self, plan: Plan<A>) -> Result<A, StoreError> {
        for write in &plan.writes {
            self.writable()?;
            apply::run(self, write)?;
        }
        self.publish(plan.pushes);
        Ok(plan.answer)
    }

    /// The connection, for a write. None is made outside the transaction: when the database has undone it by
    /// itself, a write would be stored at once, and alone.
    pub(super) fn writable(&mut self) -> Result<&'w Connection, StoreError> {
        self.wrote = true;
        let connection = self.view.connection();
        if connection.is_autocommit() { Err(StoreError::Undone) } else { Ok(connection) }
    }

    /// Keeps a change of what is held in memory for the time after the commit; what it gives is pushed. When
    /// the commit fails, it never happens. It should neither block nor wait.
    pub fn after_commit(&mut self, change: impl FnOnce() -> Vec<Push> + Send + 'static) {
        self.effects.push(Effect::Run(Box::new(change)));
    }

    /// Keeps pushes for the time after the commit.
    pub fn publish(&mut self, pushes: Vec<Push>) {
        if !pushes.is_empty() {
            self.effects.push(Effect::Publish(pushes));
        }
    }
}
