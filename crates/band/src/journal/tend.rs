//! What takes a disk its time, apart from those who write: every few seconds the file is synced, and written anew
//! when it has grown.
//!
//! An entry is appended by whoever has it, under a lock held for one `write`: a few microseconds, and no other
//! thread. Only this is done elsewhere, by a task of the journal's owner on a thread for blocking work:
//!
//! | step | holds the writers' lock |
//! |---|---|
//! | sync what was appended | no |
//! | read the file, add it up, write the sum beside it, sync that | no |
//! | add what was appended meanwhile, rename | yes: two calls |
//! | sync the folder | no |
//!
//! No room waits for a sync. It would add one to each turn, milliseconds of a disk, and save only what a power cut
//! takes from a platform without idempotency keys: with keys the answer is found again.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::disk::DiskTwin;
use super::writer::shortened;
use super::{Journal, lock};

/// What a power cut takes is this old at most, and as much as the disk takes to sync.
const REST: Duration = Duration::from_secs(5);

/// The task that tends a journal. Dropped, it leaves off after what it is at.
#[derive(Debug)]
pub(crate) struct Tending {
    stop: CancellationToken,
    task: JoinSet<()>,
}

impl Tending {
    /// Begins, on the current runtime. None for a journal that needs nobody.
    pub(crate) fn start(journal: &Journal) -> Option<Self> {
        if !lock(&journal.0.writer).as_mut()?.tend() {
            return None;
        }
        let (stop, mut task) = (CancellationToken::new(), JoinSet::new());
        task.spawn(tending(journal.clone(), stop.clone()));
        Some(Self { stop, task })
    }

    /// Waits for what it is at.
    pub(crate) async fn end(mut self) {
        self.stop.cancel();
        // It was dropped, or a disk panicked: either is the end.
        let _ = self.task.join_next().await;
    }
}

async fn tending(journal: Journal, stop: CancellationToken) {
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = journal.0.written.notified() => {}
        }
        let tended = journal.clone();
        let done = tokio::task::spawn_blocking(move || tended.tend()).await;
        if let Err(broken) = done {
            tracing::error!(target: "band.journal", %broken, "tending the journal broke; it is tried again");
        }
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = sleep(REST) => {}
        }
    }
}

/// What was found to do.
struct Work {
    twin: Box<dyn DiskTwin>,
    /// Its length, if it is to be written anew.
    long: Option<u64>,
    path: PathBuf,
}

impl Journal {
    /// Syncs the file, and writes it anew if it has grown. One at a time; whoever closes the journal waits for it.
    pub(super) fn tend(&self) {
        let mut unsynced = lock(&self.0.tending);
        let Some(work) = self.work() else { return };
        let Some(Work { mut twin, long, path }) = work.map_err(|err| failed(&mut unsynced, &err)).ok() else {
            return;
        };
        match twin.sync() {
            Ok(()) => *unsynced = false,
            Err(err) => failed(&mut unsynced, &err),
        }
        let Some(length) = long else { return };
        let drafted = twin.read(length).and_then(|bytes| {
            let bytes = shortened(&bytes, &path);
            twin.draft(&bytes)?;
            Ok(bytes.len() as u64)
        });
        match lock(&self.0.writer).as_mut() {
            Some(writer) => writer.take_place(&mut *twin, drafted),
            // It was closed meanwhile. The draft is removed by the next one to open it.
            None => return,
        }
        twin.settle();
    }

    fn work(&self) -> Option<io::Result<Work>> {
        let mut writer = lock(&self.0.writer);
        let writer = writer.as_mut()?;
        let path = writer.path().to_owned();
        match writer.twin() {
            Ok(twin) => Some(Ok(Work { twin: twin?, long: writer.begin_anew(), path })),
            Err(err) => Some(Err(err)),
        }
    }
}

/// Said once, until it works again.
fn failed(unsynced: &mut bool, err: &io::Error) {
    if !std::mem::replace(unsynced, true) {
        tracing::warn!(target: "band.journal", %err,
            "the journal can't be synced: a power cut may take what was written since");
    }
}
