//! The file that a journal is written to: the real one here, a simulated one elsewhere.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[cfg(test)]
use super::crashes::reached;

/// Opens files. A simulator brings its own.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Opens a file for one owner alone, and makes it when it is not there. It stays with this owner until it is
    /// dropped, or the process ends.
    ///
    /// # Errors
    /// [`WouldBlock`](ErrorKind::WouldBlock) when another owner has it; whatever else keeps it from being opened.
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>>;
}

/// An open file. What was appended outlives the process at once, and a power cut once it is synced.
pub trait DiskFile: fmt::Debug + Send {
    /// All that is in it; an error for more than `most` bytes.
    ///
    /// # Errors
    /// It can't be read, or is larger.
    fn read(&mut self, most: u64) -> io::Result<Vec<u8>>;

    /// Adds to its end.
    ///
    /// # Errors
    /// It was not written, or only a part of it: [`cut`](Self::cut) that off before the next one.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Leaves only the first bytes.
    ///
    /// # Errors
    /// The file is as it was.
    fn cut(&mut self, length: u64) -> io::Result<()>;

    /// Puts this in the place of everything that is in it, and syncs. Whatever happens meanwhile, one or the
    /// other is there in whole.
    ///
    /// # Errors
    /// The file is as it was.
    fn replace(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Keeps what is in it beside it, in the place of what was kept earlier, and says where. Until it is
    /// [replaced](Self::replace) the two may be one.
    ///
    /// # Errors
    /// It could not be kept.
    fn set_aside(&mut self) -> io::Result<PathBuf>;

    /// Waits until a power cut can't take away what was written.
    ///
    /// # Errors
    /// Nobody knows what of it is there.
    fn sync(&mut self) -> io::Result<()>;

    /// The same file for another thread, which takes upon itself what the disk is slow with. None where the disk
    /// is slow with nothing, as a simulated one: there all of it is done by whoever appends.
    ///
    /// # Errors
    /// There is none for now.
    fn twin(&self) -> io::Result<Option<Box<dyn DiskTwin>>> {
        Ok(None)
    }
}

/// A file in use, seen by the thread that tends it while others append.
pub trait DiskTwin: fmt::Debug + Send {
    /// Waits until a power cut can't take away what was appended before.
    ///
    /// # Errors
    /// Nobody knows what of it is there.
    fn sync(&mut self) -> io::Result<()>;

    /// The first bytes of the file in use, so many.
    ///
    /// # Errors
    /// They can't be read.
    fn read(&mut self, length: u64) -> io::Result<Vec<u8>>;

    /// Writes a file that is to take the place of the one in use, and syncs it.
    ///
    /// # Errors
    /// There is none.
    fn draft(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Adds the rest to the draft and puts it in the place of the file in use. Quick: whoever appends waits.
    ///
    /// # Errors
    /// The file in use is as it was.
    fn take_place(&mut self, rest: &[u8]) -> io::Result<Box<dyn DiskFile>>;

    /// Waits until a power cut can't bring the earlier file back; that would be no worse than to have kept it.
    fn settle(&mut self);
}

/// The disk of this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealDisk;

#[derive(Debug)]
struct RealFile {
    path: PathBuf,
    file: File,
    /// Held for the lock on it. It is a file of its own, since the other one is replaced.
    lock: Arc<File>,
}

#[derive(Debug)]
struct RealTwin {
    path: PathBuf,
    file: File,
    lock: Arc<File>,
    draft: Option<File>,
}

impl Disk for RealDisk {
    fn open(&self, path: &Path) -> io::Result<Box<dyn DiskFile>> {
        let lock =
            options().read(true).write(true).create(true).truncate(false).open(beside(path, "lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(ErrorKind::WouldBlock.into()),
            Err(TryLockError::Error(err)) => return Err(err),
        }
        // Left behind by a process that ended in the middle of a replacement. An error shows when it is made anew.
        let _ = std::fs::remove_file(beside(path, "new"));
        let file = appending(path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(ErrorKind::InvalidInput, "not an ordinary file"));
        }
        Ok(Box::new(RealFile { path: path.to_owned(), file, lock: Arc::new(lock) }))
    }
}

impl DiskFile for RealFile {
    fn read(&mut self, most: u64) -> io::Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(0))?;
        let mut bytes = Vec::new();
        (&self.file).take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most {
            return Err(io::Error::new(ErrorKind::FileTooLarge, format!("larger than {most} bytes")));
        }
        Ok(bytes)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = draft(&self.path, bytes)?;
        std::fs::rename(beside(&self.path, "new"), &self.path)?;
        self.file = file;
        reached("renamed");
        // Without it a power cut may bring the old file back, which is no worse than to have kept it.
        let _ = sync_folder(&self.path);
        Ok(())
    }

    fn set_aside(&mut self) -> io::Result<PathBuf> {
        let aside = beside(&self.path, "damaged");
        self.file.seek(SeekFrom::Start(0))?;
        match std::fs::remove_file(&aside) {
            Err(err) if err.kind() != ErrorKind::NotFound => return Err(err),
            Ok(()) | Err(_) => {}
        }
        // A second name takes no room on the disk, however long the file has become.
        if std::fs::hard_link(&self.path, &aside).is_err() {
            let mut copy = options().write(true).create_new(true).open(&aside)?;
            io::copy(&mut self.file, &mut copy)?;
        }
        Ok(aside)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn twin(&self) -> io::Result<Option<Box<dyn DiskTwin>>> {
        let (path, lock) = (self.path.clone(), Arc::clone(&self.lock));
        Ok(Some(Box::new(RealTwin { path, file: self.file.try_clone()?, lock, draft: None })))
    }
}

impl DiskTwin for RealTwin {
    fn sync(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn read(&mut self, length: u64) -> io::Result<Vec<u8>> {
        // Opened for itself: a clone would share its place in the file with whoever appends.
        let mut bytes = Vec::new();
        File::open(&self.path)?.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn draft(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.draft = Some(draft(&self.path, bytes)?);
        Ok(())
    }

    fn take_place(&mut self, rest: &[u8]) -> io::Result<Box<dyn DiskFile>> {
        let Some(mut file) = self.draft.take() else {
            return Err(io::Error::new(ErrorKind::NotFound, "no draft was written"));
        };
        file.write_all(rest)?;
        std::fs::rename(beside(&self.path, "new"), &self.path)?;
        Ok(Box::new(RealFile { path: self.path.clone(), file, lock: Arc::clone(&self.lock) }))
    }

    fn settle(&mut self) {
        let _ = sync_folder(&self.path);
    }
}

/// A file beside this one, with these bytes and synced.
fn draft(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let new = beside(path, "new");
    match std::fs::remove_file(&new) {
        Err(err) if err.kind() != ErrorKind::NotFound => return Err(err),
        Ok(()) | Err(_) => {}
    }
    let mut file = options().read(true).append(true).create_new(true).open(&new)?;
    reached("made");
    if let Err(err) = file.write_all(bytes).and_then(|()| synced(&file)) {
        // A part of it would take the room that entries may still find on a full disk.
        let _ = std::fs::remove_file(&new);
        return Err(err);
    }
    Ok(file)
}

fn synced(file: &File) -> io::Result<()> {
    reached("written");
    file.sync_data()?;
    reached("synced");
    Ok(())
}

/// Where a test ends the process.
#[cfg(not(test))]
const fn reached(_: &str) {}

/// Nobody else may read what the agent has done.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

fn appending(path: &Path) -> io::Result<File> {
    options().read(true).append(true).create(true).open(path)
}

/// `journal` and `new` give `journal.new`.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "the other platform can fail")]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
