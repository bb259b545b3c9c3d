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
        let keep = job.run(&mut scope);
        // On a full disk, a failed read or the want of memory the database may undo everything by itself. Then
        // the neighbours' work is gone as well, and there is no savepoint left to go back to.
        if self.connection.is_autocommit() {
            return Err(StoreError::Undone);
        }
        if keep {
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

    /// Lets happen what follows the commit. One effect that panics takes neither the others nor the answers
    /// with it: what they tell of is stored.
    fn hand_on(&self, effects: Vec<Effect>) {
        let readers = AfterCommit { rosters: &self.rosters, view: View::new(&self.connection) };
        for effect in effects {
            let name = effect.name();
            let happen = || match effect {
                Effect::Publish(pushes) => self.outlet.publish(&pushes, &readers),
                Effect::Revoke(agent) => self.outlet.revoke(agent),
                Effect::Run(change) => {
                    let pushes = change();
                    if !pushes.is_empty() {
                        self.outlet.publish(&pushes, &readers);
                    }
                }
            };
            if catch_unwind(AssertUnwindSafe(happen)).is_err() {
                tracing::error!(
                    effect = name,
                    "what follows a commit failed in an unforeseen way; the commit stands"
                );
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use band_core::platform::hub::Readers;
    use band_core::platform::{Audience, Push};
    use band_wire::phx::Topic;
    use band_wire::{AgentId, ChatId, ParticipantId, UserId};
    use uuid::Uuid;

    use super::*;
    use crate::store::{DataDir, connection, migrate};

    /// Panics at the first push and the first revocation, and keeps the others.
    #[derive(Default)]
    struct Fragile {
        calls: Mutex<Vec<&'static str>>,
    }

    impl Fragile {
        fn call(&self, name: &'static str) {
            let mut calls = self.calls.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            calls.push(name);
            assert!(calls.iter().filter(|call| **call == name).count() > 1, "on purpose");
        }

        fn calls(&self) -> Vec<&'static str> {
            self.calls.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
        }
    }

    impl Outlet for Fragile {
        fn publish(&self, _: &[Push], _: &dyn Readers) {
            self.call("publish");
        }

        fn is_listening(&self, _: AgentId, _: ChatId) -> bool {
            false
        }

        fn is_online(&self, _: ParticipantId) -> bool {
            false
        }

        fn revoke(&self, _: AgentId) {
            self.call("revoke");
        }
    }

    fn writer() -> (Writer, Arc<Fragile>, tempfile::TempDir) {
        let temp = tempfile::tempdir().unwrap();
        let dir = DataDir::open(temp.path()).unwrap();
        let mut connection = connection::writer(&dir.database()).unwrap();
        migrate::migrate(&mut connection).unwrap();
        connection.pragma_update(None, "foreign_keys", "OFF").unwrap();
        let outlet = Arc::new(Fragile::default());
        let last = Stamp::from_micros(0);
        (Writer { connection, outlet: outlet.clone(), rosters: Rosters::default(), last }, outlet, temp)
    }

    type Reply = oneshot::Receiver<Result<(), StoreError>>;

    fn command(
        run: impl FnOnce(&mut Scope<'_>) -> Result<(), StoreError> + Send + 'static,
    ) -> (Box<dyn Job>, Reply) {
        let (reply, answer) = oneshot::channel();
        (Box::new(Command { run: Some(run), result: None, reply }), answer)
    }

    /// Keeps a session, whose user need not be there: references are switched off.
    fn write(scope: &mut Scope<'_>, number: u8) -> Result<(), StoreError> {
        scope.add_session(&[number; 32], UserId::new(Uuid::from_u128(1)), Stamp::from_micros(i64::MAX))
    }

    fn stored(writer: &Writer) -> Vec<u8> {
        let sql = "SELECT hash FROM sessions ORDER BY hash";
        let mut statement = writer.connection.prepare(sql).unwrap();
        let hashes = statement.query_map([], |row| row.get::<_, [u8; 32]>(0)).unwrap();
        hashes.map(|hash| hash.unwrap()[0]).collect()
    }

    fn push() -> Vec<Push> {
        let topic = Topic::ChatRoom(ChatId::new(Uuid::from_u128(2)));
        vec![Push { topic, audience: Audience::Everyone, event: "test", payload: "{}".into() }]
    }

    #[test]
    fn a_push_that_panics_takes_neither_the_answers_nor_the_other_pushes_with_it() {
        let (mut writer, outlet, _temp) = writer();
        let told = |number| {
            command(move |scope| {
                scope.publish(push());
                scope.effects.push(Effect::Revoke(AgentId::new(Uuid::from_u128(3))));
                write(scope, number)
            })
        };
        let ((one, mut first), (two, mut second)) = (told(1), told(2));
        writer.group(vec![one, two]);
        assert!(first.try_recv().unwrap().is_ok() && second.try_recv().unwrap().is_ok());
        assert_eq!(outlet.calls(), ["publish", "revoke", "publish", "revoke"]);
        assert_eq!(stored(&writer), [1, 2]);
        let (three, mut third) = told(3);
        writer.group(vec![three]);
        assert!(third.try_recv().unwrap().is_ok(), "the writer goes on");
    }

    #[test]
    fn a_transaction_that_the_database_undid_is_undone_for_all_its_commands() {
        let (mut writer, outlet, _temp) = writer();
        let (before, mut earlier) = command(|scope| {
            scope.publish(push());
            scope.after_commit(push);
            write(scope, 1)
        });
        let (broken, mut failed) = command(|scope| {
            scope.view.connection().execute_batch("ROLLBACK")?;
            Err(StoreError::Full)
        });
        let (after, mut later) = command(|scope| write(scope, 2));
        writer.group(vec![before, broken, after]);
        assert!(matches!(earlier.try_recv().unwrap(), Err(StoreError::Undone)));
        assert!(matches!(failed.try_recv().unwrap(), Err(StoreError::Full)), "its own failure is told");
        assert!(matches!(later.try_recv().unwrap(), Err(StoreError::Undone)));
        assert_eq!((stored(&writer), outlet.calls()), (Vec::new(), Vec::new()));
        let (again, mut answer) = command(|scope| write(scope, 3));
        writer.group(vec![again]);
        assert!(answer.try_recv().unwrap().is_ok());
        assert_eq!(stored(&writer), [3]);
    }

    #[test]
    fn a_command_that_overlooks_the_end_of_its_transaction_writes_nothing() {
        let (mut writer, _, _temp) = writer();
        let (careless, mut answer) = command(|scope| {
            scope.view.connection().execute_batch("ROLLBACK")?;
            drop(write(scope, 1));
            Ok(())
        });
        writer.group(vec![careless]);
        assert!(matches!(answer.try_recv().unwrap(), Err(StoreError::Undone)));
        assert!(stored(&writer).is_empty());
    }
}
