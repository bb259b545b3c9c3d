//! What an agent has done, written down so that the next process knows it: which turns began, which replies are
//! on the platform, which marks are owed, which messages were handled.
//!
//! One file for each agent and deployment, in the agent's state folder. Entries are appended as they happen, each
//! with its length and a checksum; when the file has grown it is written anew, shorter. It never holds contents of
//! messages, only ids, and the reason of a failed turn until the platform has it.
//!
//! | what happens | what is lost |
//! |---|---|
//! | the process is killed, at any instruction | nothing that was recorded |
//! | power is cut | what was written in the last five seconds |
//! | the disk is full or fails | what could not be written; said once, counted, and the agent goes on |
//! | the file is damaged | the damaged entries; a copy of the file is kept beside it |
//! | another process has the file | this one runs without, and says so |
//!
//! A journal that can't be used never keeps an agent from starting.

#[cfg(test)]
mod crashes;
mod disk;
mod frame;
#[cfg(test)]
#[cfg(feature = "shuttle")]
mod interleavings;
mod room;
mod sum;
mod tend;
#[cfg(test)]
mod tests;
mod writer;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::{Arc, PoisonError};

use band_core::room::{Record, Recovered};
use band_wire::ChatId;

pub use disk::{Disk, DiskFile, DiskTwin, RealDisk};
pub use room::RoomJournal;
pub(crate) use tend::Tending;

use self::writer::Writer;
use crate::sync::{Mutex, MutexGuard, Notify};

/// The name of the file in the agent's state folder.
const FILE: &str = "journal";

/// The journal of one agent. Clones write to the same file.
#[derive(Debug, Clone, Default)]
pub struct Journal(Arc<Shared>);

/// Locks are held for one entry, never across an await; of two, that of the rooms is taken first, then that of one
/// room, then the writer's. That of whoever tends the file is taken first of all, by threads that may wait.
#[derive(Debug, Default)]
struct Shared {
    /// None when nothing is written.
    writer: Mutex<Option<Writer>>,
    /// What is known of each room.
    rooms: Mutex<BTreeMap<ChatId, Arc<Mutex<Recovered>>>>,
    /// Something was written since somebody tended the file.
    written: Notify,
    /// Held by whoever tends the file; whether the last sync failed.
    tending: Mutex<bool>,
}

impl Journal {
    /// A journal that writes nothing: what happened in a room is known until the process ends, or the room is
    /// [forgotten](Self::forget).
    pub fn none() -> Self {
        Self::default()
    }

    /// Opens the journal in a folder. If it can't be opened, that is logged, and nothing is written.
    pub fn open(folder: &Path, disk: &dyn Disk) -> Self {
        let path = folder.join(FILE);
        let (writer, sum) = match disk.open(&path).and_then(|file| Writer::resume(file, &path)) {
            Ok(opened) => opened,
            Err(err) if err.kind() == ErrorKind::WouldBlock => {
                tracing::warn!(target: "band.journal", path = %path.display(),
                    "another process has the journal: this one runs without, and may repeat an answer after a crash");
                return Self::none();
            }
            Err(err) => {
                tracing::warn!(target: "band.journal", path = %path.display(), %err,
                    "the journal can't be used: the agent runs without, and may repeat an answer after a crash");
                return Self::none();
            }
        };
        let rooms = sum.into_rooms().map(|(room, left)| (room, Arc::new(Mutex::new(left)))).collect();
        Self(Arc::new(Shared {
            writer: Mutex::new(Some(writer)),
            rooms: Mutex::new(rooms),
            written: Notify::default(),
            tending: Mutex::default(),
        }))
    }

    /// The part of one room.
    pub fn room(&self, room: ChatId) -> RoomJournal {
        let sum = Arc::clone(lock(&self.0.rooms).entry(room).or_default());
        RoomJournal::new(self.clone(), room, sum)
    }

    /// The rooms of which anything is known, in order of their ids.
    pub fn rooms(&self) -> Vec<ChatId> {
        lock(&self.0.rooms).keys().copied().collect()
    }

    /// The agent has left a room: of what it did there only the marks that are owed are kept.
    pub fn forget(&self, room: ChatId) {
        let mut rooms = lock(&self.0.rooms);
        let Some(sum) = rooms.remove(&room) else { return };
        let debts = std::mem::take(&mut *lock(&sum)).debts;
        if !debts.is_empty() {
            rooms.insert(room, Arc::new(Mutex::new(Recovered { debts, ..Recovered::default() })));
        }
        drop(rooms);
        self.write(|out| frame::put_forget(out, room));
    }

    /// Whether anything is written.
    pub fn is_on(&self) -> bool {
        lock(&self.0.writer).is_some()
    }

    /// Entries that could not be written.
    pub fn lost(&self) -> u64 {
        lock(&self.0.writer).as_ref().map_or(0, Writer::lost)
    }

    /// Syncs and gives the file back; what comes later is not written. Waits for the disk.
    pub fn close(&self) {
        // Taken out first: the lock is not held while the disk works.
        let writer = lock(&self.0.writer).take();
        // Whoever tends the file has it too.
        let tending = lock(&self.0.tending);
        if let Some(writer) = writer {
            writer.close();
        }
        drop(tending);
    }

    fn record(&self, room: ChatId, record: &Record) {
        self.write(|out| frame::put_record(out, room, record));
    }

    fn write(&self, put: impl FnOnce(&mut Vec<u8>)) {
        if let Some(writer) = lock(&self.0.writer).as_mut() {
            writer.write(put);
        }
        self.0.written.notify_one();
    }
}

/// Nothing can panic under these locks, so what they guard is never half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
