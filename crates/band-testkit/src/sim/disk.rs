//! The disk of one agent: it outlives its processes, and what was not synced may not outlive a power cut.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use band::journal::{Disk, DiskFile};

use super::chance::Chance;

#[derive(Debug, Default)]
struct Stored {
    bytes: Vec<u8>,
    /// So many of them are safe.
    synced: usize,
    is_held: bool,
}

type Files = Arc<Mutex<BTreeMap<PathBuf, Stored>>>;

/// The disk. Clones are the same one.
#[derive(Debug, Clone, Default)]
pub(crate) struct SimDisk(Files);

#[derive(Debug)]
struct SimFile {
    files: Files,
    path: PathBuf,
}

fn lock(files: &Files) -> MutexGuard<'_, BTreeMap<PathBuf, Stored>> {
    files.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SimDisk {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// The owner is gone. After a power cut a part of what was not synced is gone too, and the last byte that
    /// is left may be a wrong one.
    pub(crate) fn crash(&self, is_power_cut: bool, chance: &mut Chance) {
        for file in lock(&self.0).values_mut() {
            file.is_held = false;
            if !is_power_cut || file.synced >= file.bytes.len() {
                continue;
            }
            let kept = file.synced + chance.index(file.bytes.len() - file.synced + 1);
            file.bytes.truncate(kept);
            if kept > file.synced
                && chance.permille(500)
                && let Some(last) = file.bytes.last_mut()
            {
                *last ^= 0x55;
            }
        }
    }
}

impl Disk for SimDisk {
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let mut files = lock(&self.0);
        let file = files.entry(path.to_owned()).or_default();
        if std::mem::replace(&mut file.is_held, true) {
            return Err(ErrorKind::WouldBlock.into());
        }
        Ok(Box::new(SimFile { files: Arc::clone(&self.0), path: path.to_owned() }))
    }
}

impl SimFile {
    fn with<T>(&self, act: impl FnOnce(&mut Stored) -> T) -> T {
        act(lock(&self.files).entry(self.path.clone()).or_default())
    }
}

impl Drop for SimFile {
    fn drop(&mut self) {
        self.with(|file| file.is_held = false);
    }
}

impl DiskFile for SimFile {
    fn read(&mut self, most: u64) -> io::Result<Vec<u8>> {
        self.with(|file| {
            if file.bytes.len() as u64 > most {
                return Err(ErrorKind::FileTooLarge.into());
            }
            Ok(file.bytes.clone())
        })
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.with(|file| file.bytes.extend_from_slice(bytes));
        Ok(())
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.with(|file| {
            file.bytes.truncate(usize::try_from(length).unwrap_or(usize::MAX));
            file.synced = file.synced.min(file.bytes.len());
        });
        Ok(())
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.with(|file| {
            file.bytes = bytes.to_vec();
            file.synced = file.bytes.len();
        });
        Ok(())
    }

    fn set_aside(&mut self) -> io::Result<PathBuf> {
        let aside = self.path.with_extension("damaged");
        let bytes = self.with(|file| file.bytes.clone());
        lock(&self.files).insert(aside.clone(), Stored { bytes, synced: 0, is_held: false });
        Ok(aside)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.with(|file| file.synced = file.bytes.len());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_synced_outlives_a_power_cut_and_a_killed_process_loses_nothing() {
        for seed in 0..50 {
            let disk = SimDisk::new();
            let mut file = disk.open(Path::new("journal")).unwrap();
            file.append(b"safe").unwrap();
            file.sync().unwrap();
            file.append(b"not yet").unwrap();
            drop(file);
            disk.crash(false, &mut Chance::new(seed));
            let mut file = disk.open(Path::new("journal")).unwrap();
            assert_eq!(file.read(100).unwrap(), b"safenot yet");
            disk.crash(true, &mut Chance::new(seed));
            assert_eq!(&file.read(100).unwrap()[..4], b"safe");
        }
    }

    #[test]
    fn a_file_has_one_owner() {
        let disk = SimDisk::new();
        let file = disk.open(Path::new("journal")).unwrap();
        assert_eq!(disk.open(Path::new("journal")).unwrap_err().kind(), ErrorKind::WouldBlock);
        drop(file);
        assert!(disk.open(Path::new("journal")).is_ok());
    }
}
