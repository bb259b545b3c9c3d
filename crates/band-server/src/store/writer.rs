//! The one thread that writes: it takes every command that waits, runs each in a savepoint of one
//! transaction, makes the transaction durable, hands the pushes on, and only then answers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use band_wire::Stamp;
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::rosters::{AfterCommit, Rosters};
use super::scope::{Effect, Scope};
use super::{StoreError, View};
use crate::bus::Outlet;

/// Commands of one transaction at most, so that the first one's answer isn't held up for long.
const MAX_GROUP: usize = 256;

/// A command on its way through the writer.
pub(super) trait Job: Send {
    /// Runs it; false undoes what it did.
    fn run(&mut self, scope: &mut Scope<'_>) -> bool;

    /// Answers its caller, after the commit or its failure.
    fn settle(self: Box<Self>, committed: Result<(), StoreError>);
}

/// A closure with a caller who waits for its result.
pub(super) struct Command<F, T, E> {
    pub(super) run: Option<F>,
    pub(super) result: Option<Result<T, E>>,
    pub(super) reply: oneshot::Sender<Result<T, E>>,
}

impl<F, T, E> Job for Command<F, T, E>
where
    F: FnOnce(&mut Scope<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn run(&mut self, scope: &mut Scope<'_>) -> bool {
        let Some(run) = self.run.take() else { return false };
        let result = catch_unwind(AssertUnwindSafe(|| run(scope)));
        let result = result.unwrap_or_else(|_| Err(StoreError::Panicked.into()));
        let keep = result.is_ok();
        self.result = Some(result);
        keep
    }

    fn settle(self: Box<Self>, committed: Result<(), StoreError>) {
        let result = match (self.result, committed) {
            (Some(Err(refused)), _) => Err(refused),
            (Some(Ok(value)), Ok(())) => Ok(value),
            (_, Err(failed)) => Err(failed.into()),
            (None, Ok(())) => Err(StoreError::Panicked.into()),
        };
        // The caller may have gone away: what was committed stays.
        drop(self.reply.send(result));
    }
}

/// The state of the writing thread.
pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) outlet: Arc<dyn Outlet>,
    pub(super) rosters: Rosters,
    pub(super) last: Stamp,
}

impl Writer {
    /// Works until the queue is closed and empty.
    pub(super) fn run(mut self, queue: &Receiver<Box<dyn Job>>) {
        while let Ok(first) = queue.recv() {
            let mut group = vec![first];
            group.extend(queue.try_iter().take(MAX_GROUP - 1));
            self.group(group);
        }
        if let Err((_, error)) = self.connection.close() {
            tracing::warn!(error = &error as &dyn std::error::Error, "the database did not close cleanly");
        }
    }

    fn group(&mut self, mut group: Vec<Box<dyn Job>>) {
        let done = self.transact(&mut group);
        match done {
            Ok(effects) => {
                self.hand_on(effects);
                settle(group, || Ok(()));
            }
            Err(error) => {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    commands = group.len(),
                    "a group of commands was not stored"
                );
                self.undo();
                settle(group, || Err(error.clone()));
            }
        }
    }

    fn transact(&mut self, group: &mut [Box<dyn Job>]) -> Result<Vec<Effect>, StoreError> {
        self.statement("BEGIN IMMEDIATE")?;
        let mut effects = Vec::new();
        for job in group {
            effects.extend(self.command(job.as_mut())?);
        }
        self.statement("COMMIT")?;
        Ok(effects)
    }

    /// Runs one command; what fails is undone alone, unless the transaction itself is broken.
    fn command(&mut self, job: &mut dyn Job) -> Result<Vec<Effect>, StoreError> {
        self.statement("SAVEPOINT command")?;
        self.last = self.last.max(Stamp::from(jiff::Timestamp::now()));
        let mut scope = Scope {
            view: View::new(&self.connection),
            rosters: &self.rosters,
            outlet: self.outlet.as_ref(),
            now: self.last,
            effects: Vec::new(),
            wrote: false,
        };
        if job.run(&mut scope) {
            let effects = scope.effects;
            self.statement("RELEASE command")?;
            return Ok(effects);
        }
        if scope.wrote {
            self.rosters.forget_all();
        }
        self.statement("ROLLBACK TO command")?;
        self.statement("RELEASE command")?;
        Ok(Vec::new())
    }

    fn hand_on(&self, effects: Vec<Effect>) {
        let readers = AfterCommit { rosters: &self.rosters, view: View::new(&self.connection) };
        for effect in effects {
            match effect {
                Effect::Publish(pushes) => self.outlet.publish(&pushes, &readers),
                Effect::Revoke(agent) => self.outlet.revoke(agent),
            }
        }
    }

    fn undo(&self) {
        self.rosters.forget_all();
        if !self.connection.is_autocommit()
            && let Err(error) = self.statement("ROLLBACK")
        {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "a group of commands could not be undone"
            );
        }
    }

    fn statement(&self, sql: &str) -> Result<(), StoreError> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }
}

fn settle(group: Vec<Box<dyn Job>>, committed: impl Fn() -> Result<(), StoreError>) {
    for job in group {
        job.settle(committed());
    }
}
