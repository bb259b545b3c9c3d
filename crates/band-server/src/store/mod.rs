//! The database: SQLite, one thread that writes in groups, a few that read.
//!
//! A command is a closure that runs alone in the writer: it reads its facts, lets the rules of
//! [`band_core::platform`] decide, and carries out the plan. All commands that wait are committed together,
//! durable on the disk before any of them is answered; what a command pushes leaves after that commit, in
//! commit order. A query is a closure that runs on a snapshot beside the writer. Both queues are bounded:
//! what does not fit is refused at once as [`StoreError::Overloaded`].

mod apply;
mod board;
mod column;
mod connection;
mod credential;
mod data_dir;
mod error;
mod files;
mod keep;
mod migrate;
mod readers;
mod rosters;
mod scope;
mod view;
mod writer;

use std::fmt;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use band_wire::Stamp;
use rusqlite::Connection;
use tokio::sync::oneshot;

pub use credential::Answered;
pub use data_dir::DataDir;
pub use error::StoreError;
pub use files::{Draft, Files};
pub use scope::Scope;
pub use view::{
    AgentFilter, ChatFilter, ChatRow, Direction, FoundKey, MemoryQuery, MyMemoryRow, PeerRow, Slice,
    StoredAnswer, StoredMessage, TypesWanted, View, WhoseFiles, WhoseMemories,
};

use crate::bus::Outlet;
use readers::Query;
use writer::{Command, Job, Writer};

/// Commands that may wait for the writer.
const WRITE_QUEUE: usize = 4_096;

/// Queries that may wait for the readers.
const READ_QUEUE: usize = 1_024;

/// Threads that read.
const READERS: usize = 3;

/// A handle to the database. Clones share it; the last one closes it.
#[derive(Clone)]
pub struct Store(Arc<Threads>);

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Store")
    }
}

impl Store {
    /// Opens the database of a folder, brings its schema up to date and starts the threads. Also gives the
    /// secret of the folder.
    ///
    /// # Errors
    /// The folder, the secret or the database can't be used; see [`StoreError`].
    pub fn open(dir: &DataDir, outlet: Arc<dyn Outlet>) -> Result<(Self, [u8; 32]), StoreError> {
        let secret = dir.secret_key()?;
        let path = dir.database();
        let mut connection = connection::writer(&path)?;
        migrate::migrate(&mut connection)?;
        bind_secret(&connection, dir, &secret)?;
        let last = View::new(&connection).newest_stamp()?;
        let readers = (0..READERS).map(|_| connection::reader(&path)).collect::<Result<Vec<_>, _>>()?;
        let writer = Writer { connection, outlet, rosters: rosters::Rosters::default(), last };
        Ok((Self(Arc::new(Threads::start(writer, readers)?)), secret))
    }

    /// Runs a command and waits until what it did is durable. When it fails, nothing of it stays.
    ///
    /// # Errors
    /// What the command gives, or why the store could not run or commit it.
    pub async fn write<T, E>(
        &self,
        command: impl FnOnce(&mut Scope<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (reply, result) = oneshot::channel();
        self.post(Box::new(Command { run: Some(command), result: None, reply }))?;
        result.await.unwrap_or_else(|_| Err(StoreError::Closed.into()))
    }

    /// Hands the writer a command that nobody waits for. Left out when the store is busy.
    pub fn write_behind(
        &self,
        command: impl FnOnce(&mut Scope<'_>) -> Result<(), StoreError> + Send + 'static,
    ) {
        let (reply, _) = oneshot::channel();
        let posted = self.post(Box::new(Command { run: Some(command), result: None, reply }));
        if let Err(error) = posted {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "a write in the background was left out"
            );
        }
    }

    /// Runs a query on a snapshot that holds every write answered before.
    ///
    /// # Errors
    /// What the query gives, or why the store could not run it.
    pub async fn read<T, E>(
        &self,
        query: impl FnOnce(View<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (reply, result) = oneshot::channel();
        let job: Query = Box::new(move |view| {
            let answer = view.map_err(E::from).and_then(query);
            // The caller may have gone away.
            drop(reply.send(answer));
        });
        let sent = self.0.queues().as_ref().map_or(Err(StoreError::Closed), |queues| {
            queues.reads.try_send(job).map_err(|error| refused(&error, READ_QUEUE))
        });
        sent?;
        result.await.unwrap_or_else(|_| Err(StoreError::Panicked.into()))
    }

    /// Takes no more work, finishes what waits, and closes the database. Later calls find it closed.
    pub async fn close(&self) {
        let threads = Arc::clone(&self.0);
        let joined = tokio::task::spawn_blocking(move || threads.join()).await;
        if let Err(error) = joined {
            tracing::error!(error = &error as &dyn std::error::Error, "the store did not close");
        }
    }

    fn post(&self, job: Box<dyn Job>) -> Result<(), StoreError> {
        self.0.queues().as_ref().map_or(Err(StoreError::Closed), |queues| {
            queues.writes.try_send(job).map_err(|error| refused(&error, WRITE_QUEUE))
        })
    }
}

const fn refused<T>(error: &TrySendError<T>, waiting: usize) -> StoreError {
    match error {
        TrySendError::Full(_) => StoreError::Overloaded { waiting },
        TrySendError::Disconnected(_) => StoreError::Closed,
    }
}

/// A database and a secret belong together: the database keeps the secret's fingerprint.
fn bind_secret(connection: &Connection, dir: &DataDir, secret: &[u8; 32]) -> Result<(), StoreError> {
    let fingerprint = blake3::derive_key("band 2026-11 fingerprint of secret.key", secret);
    let fingerprint = blake3::Hash::from_bytes(fingerprint).to_hex().to_string();
    let sql = "INSERT INTO settings (name, value) VALUES ('secret_fingerprint', ?1)
               ON CONFLICT (name) DO UPDATE SET value = value RETURNING value";
    let stored: String = connection.query_row(sql, [&fingerprint], |row| row.get(0))?;
    if stored == fingerprint {
        Ok(())
    } else {
        Err(StoreError::SecretWrong { secret: dir.secret(), reason: "it belongs to another database" })
    }
}

struct Queues {
    writes: SyncSender<Box<dyn Job>>,
    reads: SyncSender<Query>,
}

#[derive(Default)]
struct Handles {
    readers: Vec<JoinHandle<()>>,
    writer: Vec<JoinHandle<()>>,
}

/// The threads of a store. They end when their queues are closed and empty.
struct Threads {
    queues: Mutex<Option<Queues>>,
    handles: Mutex<Handles>,
}

impl Threads {
    fn start(writer: Writer, readers: Vec<Connection>) -> Result<Self, StoreError> {
        let (writes, write_queue) = sync_channel(WRITE_QUEUE);
        let (reads, read_queue) = sync_channel(READ_QUEUE);
        let read_queue = Arc::new(Mutex::new(read_queue));
        let queues = Mutex::new(Some(Queues { writes, reads }));
        let mut threads = Self { queues, handles: Mutex::default() };
        let handles = threads.handles.get_mut().unwrap_or_else(PoisonError::into_inner);
        handles.writer.push(spawn("band-store-writer", move || writer.run(&write_queue))?);
        for (number, connection) in readers.into_iter().enumerate() {
            let queue = Arc::clone(&read_queue);
            let body = move || readers::run(&connection, &queue);
            handles.readers.push(spawn(&format!("band-store-reader-{number}"), body)?);
        }
        Ok(threads)
    }

    fn queues(&self) -> MutexGuard<'_, Option<Queues>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The writer goes last: the last connection folds the log into the database.
    fn join(&self) {
        let Some(Queues { writes, reads }) = self.queues().take() else { return };
        let handles = std::mem::take(&mut *self.handles.lock().unwrap_or_else(PoisonError::into_inner));
        drop(reads);
        join(handles.readers);
        drop(writes);
        join(handles.writer);
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, StoreError> {
    Builder::new().name(name.to_owned()).spawn(body).map_err(StoreError::file("can't start the thread", name))
}

fn join(handles: Vec<JoinHandle<()>>) {
    for handle in handles {
        let name = handle.thread().name().unwrap_or_default().to_owned();
        if handle.thread().id() != std::thread::current().id() && handle.join().is_err() {
            tracing::error!(thread = name, "a thread of the store failed in an unforeseen way");
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.join();
    }
}

/// The time that a fresh database starts from.
const EPOCH: i64 = 0;

impl View<'_> {
    /// The newest time of a message, so that time does not go back over a restart.
    fn newest_stamp(&self) -> Result<Stamp, StoreError> {
        let sql = "SELECT inserted_at FROM messages ORDER BY seq DESC LIMIT 1";
        let newest = self.connection().query_row(sql, [], |row| row.get(0));
        Ok(Stamp::from_micros(rusqlite::OptionalExtension::optional(newest)?.unwrap_or(EPOCH)))
    }
}
