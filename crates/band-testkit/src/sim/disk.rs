//! The disk of one agent: it outlives its processes, what was not synced may not outlive a power cut, and it can
//! fail or be full.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use band::journal::{Disk, DiskFile};

use super::chance::Chance;
use super::scenario::DiskTrouble;

/// Appends that fail while the disk fails, out of a thousand.
const FAILING: u64 = 400;

#[derive(Debug, Default)]
struct Stored {
    bytes: Vec<u8>,
    /// So many of them are safe.
    synced: usize,
    /// The handle of the process that has it open.
    owner: Option<u64>,
    /// Its end was changed by a power cut, and nothing was written since.
    is_cut: bool,
}

#[derive(Debug)]
struct State {
    files: BTreeMap<PathBuf, Stored>,
    handles: u64,
    chance: Chance,
    trouble: Option<DiskTrouble>,
    /// Something that a process wanted to have written down is not there.
    has_lost: bool,
    /// A process could not see what is there.
    is_hidden: bool,
    /// Damage that nobody but the process can have done.
    found: Vec<String>,
}

/// The disk. Clones are the same one.
#[derive(Debug, Clone)]
pub(crate) struct SimDisk(Arc<Mutex<State>>);

#[derive(Debug)]
struct SimFile {
    disk: SimDisk,
    path: PathBuf,
    handle: u64,
    /// A read of it has failed, so nobody knows what is in it.
    is_unread: bool,
}

impl SimDisk {
    pub(crate) fn new(chance: Chance) -> Self {
        Self(Arc::new(Mutex::new(State {
            files: BTreeMap::new(),
            handles: 0,
            chance,
            trouble: None,
            has_lost: false,
            is_hidden: false,
            found: Vec::new(),
        })))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something begins to go wrong, or all is well again.
    pub(crate) fn trouble(&self, trouble: Option<DiskTrouble>) {
        self.lock().trouble = trouble;
    }

    /// The owner is gone: what it still tries has no effect.
    pub(crate) fn die(&self) {
        self.lock().files.values_mut().for_each(|file| file.owner = None);
    }

    /// Power was cut: a part of what was not synced is gone, and the last byte that is left may be a wrong one.
    pub(crate) fn cut_power(&self) {
        let mut guard = self.lock();
        let state = &mut *guard;
        for file in state.files.values_mut() {
            if file.synced >= file.bytes.len() {
                continue;
            }
            let kept = file.synced + state.chance.index(file.bytes.len() - file.synced + 1);
            file.bytes.truncate(kept);
            file.is_cut = true;
            state.has_lost = true;
            if kept > file.synced
                && state.chance.permille(500)
                && let Some(last) = file.bytes.last_mut()
            {
                *last ^= 0x55;
            }
        }
    }

    /// Whether something was lost since this was last asked.
    pub(crate) fn take_lost(&self) -> bool {
        std::mem::take(&mut self.lock().has_lost)
    }

    /// Whether a process could not see what is there, since this was last asked.
    pub(crate) fn take_hidden(&self) -> bool {
        std::mem::take(&mut self.lock().is_hidden)
    }

    /// Damage that was found where nothing but the process can have done it.
    pub(crate) fn take_found(&self) -> Vec<String> {
        std::mem::take(&mut self.lock().found)
    }
}

impl State {
    fn fail(&mut self, kind: ErrorKind) -> io::Error {
        self.has_lost = true;
        kind.into()
    }
}

impl Disk for SimDisk {
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut guard = self.lock();
        let state = &mut *guard;
        if state.trouble == Some(DiskTrouble::Shut) {
            state.is_hidden = true;
            return Err(state.fail(ErrorKind::PermissionDenied));
        }
        state.handles += 1;
        let handle = state.handles;
        let file = state.files.entry(path.to_owned()).or_default();
        if file.owner.is_some() {
            return Err(ErrorKind::WouldBlock.into());
        }
        file.owner = Some(handle);
        Ok(Box::new(SimFile { disk: self.clone(), path: path.to_owned(), handle, is_unread: false }))
    }
}

impl SimFile {
    /// Does something to the file; an error for a process that is dead.
    fn with<T>(&self, act: impl FnOnce(&mut Stored) -> T) -> io::Result<T> {
        let mut state = self.disk.lock();
        let file = state.files.get_mut(&self.path).filter(|file| file.owner == Some(self.handle));
        file.map(act).ok_or_else(|| ErrorKind::BrokenPipe.into())
    }

    /// What keeps something from being written now, if anything does.
    fn refusal(&self) -> Option<io::Error> {
        let mut state = self.disk.lock();
        match state.trouble? {
            DiskTrouble::Full => Some(state.fail(ErrorKind::StorageFull)),
            DiskTrouble::Failing if state.chance.permille(FAILING) => Some(state.fail(ErrorKind::Other)),
            DiskTrouble::Failing | DiskTrouble::Unreadable | DiskTrouble::Shut => None,
        }
    }
}

impl Drop for SimFile {
    fn drop(&mut self) {
        // One whose process is dead has no owner any more.
        let _ = self.with(|file| file.owner = None);
    }
}

impl DiskFile for SimFile {
    fn read(&mut self, most: u64) -> io::Result<Vec<u8>> {
        {
            let mut state = self.disk.lock();
            if state.trouble == Some(DiskTrouble::Unreadable) {
                self.is_unread = true;
                state.is_hidden = true;
                return Err(state.fail(ErrorKind::Other));
            }
        }
        self.with(|file| {
            if file.bytes.len() as u64 > most {
                return Err(ErrorKind::FileTooLarge.into());
            }
            Ok(file.bytes.clone())
        })?
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let refusal = self.refusal();
        let fits = match &refusal {
            Some(_) => self.disk.lock().chance.index(bytes.len()),
            None => bytes.len(),
        };
        self.with(|file| {
            file.bytes.extend(bytes.iter().take(fits));
            file.is_cut &= refusal.is_some();
        })?;
        refusal.map_or(Ok(()), Err)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        // A full disk has place for less.
        if let Some(refusal) = self.refusal().filter(|refusal| refusal.kind() != ErrorKind::StorageFull) {
            return Err(refusal);
        }
        self.with(|file| {
            file.bytes.truncate(usize::try_from(length).unwrap_or(usize::MAX));
            file.synced = file.synced.min(file.bytes.len());
        })
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(refusal) = self.refusal() {
            return Err(refusal);
        }
        self.with(|file| {
            file.bytes = bytes.to_vec();
            file.synced = file.bytes.len();
            file.is_cut = false;
        })
    }

    fn set_aside(&mut self) -> io::Result<PathBuf> {
        let aside = self.path.with_extension("damaged");
        let (bytes, is_cut) = self.with(|file| (file.bytes.clone(), file.is_cut))?;
        let mut state = self.disk.lock();
        if !is_cut && !self.is_unread {
            let length = bytes.len();
            state.found.push(format!("{length} bytes are damaged, and neither power nor disk has failed"));
        }
        state.files.insert(aside.clone(), Stored { bytes, ..Stored::default() });
        Ok(aside)
    }

    fn sync(&mut self) -> io::Result<()> {
        if let Some(refusal) = self.refusal() {
            return Err(refusal);
        }
        self.with(|file| file.synced = file.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_synced_outlives_a_power_cut_and_a_killed_process_loses_nothing() {
        for seed in 0..50 {
            let disk = SimDisk::new(Chance::new(seed));
            let mut file = disk.open(Path::new("journal")).unwrap();
            file.append(b"safe").unwrap();
            file.sync().unwrap();
            file.append(b"not yet").unwrap();
            disk.die();
            file.append(b"by a dead process").unwrap_err();
            let mut file = disk.open(Path::new("journal")).unwrap();
            assert_eq!(file.read(100).unwrap(), b"safenot yet");
            assert!(!disk.take_lost());
            disk.cut_power();
            assert_eq!(&file.read(100).unwrap()[..4], b"safe");
            assert!(disk.take_lost() && !disk.take_lost());
        }
    }

    #[test]
    fn a_file_has_one_owner() {
        let disk = SimDisk::new(Chance::new(1));
        let file = disk.open(Path::new("journal")).unwrap();
        assert_eq!(disk.open(Path::new("journal")).unwrap_err().kind(), ErrorKind::WouldBlock);
        drop(file);
        assert!(disk.open(Path::new("journal")).is_ok());
    }

    #[test]
    fn a_full_disk_takes_a_part_of_what_is_written_and_says_so() {
        let disk = SimDisk::new(Chance::new(1));
        let mut file = disk.open(Path::new("journal")).unwrap();
        disk.trouble(Some(DiskTrouble::Full));
        assert_eq!(file.append(&[7; 100]).unwrap_err().kind(), ErrorKind::StorageFull);
        assert!(file.read(100).unwrap().len() < 100);
        file.cut(0).unwrap();
        disk.trouble(None);
        file.append(b"again").unwrap();
        assert_eq!(file.read(100).unwrap(), b"again");
    }

    #[test]
    fn damage_is_told_when_neither_power_nor_disk_has_failed() {
        let disk = SimDisk::new(Chance::new(1));
        let mut file = disk.open(Path::new("journal")).unwrap();
        file.append(b"fine").unwrap();
        disk.cut_power();
        file.set_aside().unwrap();
        assert!(disk.take_found().is_empty());
        file.append(b"more").unwrap();
        file.set_aside().unwrap();
        assert_eq!(disk.take_found().len(), 1);
    }
}
