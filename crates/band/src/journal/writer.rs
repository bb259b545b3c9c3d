//! Appends to the file, and bears with a disk that fails. What takes a disk its time is the [tending](super::tend)'s;
//! where nobody tends, the file is written anew here when it has grown.

use std::io;
use std::path::{Path, PathBuf};

use band_core::trial::{self, Fault};

use super::disk::{DiskFile, DiskTwin};
use super::frame::{End, HEADER};
use super::sum::Sum;

/// A file shorter than this is not written anew: 4 MiB, some 100 000 entries. Tests have less patience.
pub(super) const ANEW_FROM: u64 = match (cfg!(test), cfg!(feature = "shuttle")) {
    (true, true) => 256,
    (true, false) => 64 * 1024,
    (false, _) => 4 * 1024 * 1024,
};
/// No file grows beyond this, even if it can't be written anew. A larger one is none of ours.
pub(super) const FILE_MAX: u64 = 256 * 1024 * 1024;

/// The writer of a file.
#[derive(Debug)]
pub(super) struct Writer {
    file: Box<dyn DiskFile>,
    path: PathBuf,
    /// Bytes that are good.
    length: u64,
    /// Beyond that length there may be a part of an entry.
    torn: bool,
    /// At this length it is written anew.
    anew_at: u64,
    /// Somebody tends the file: whoever appends need not write it anew.
    tended: bool,
    /// What was appended since it began to be written anew beside it.
    since: Option<Vec<u8>>,
    lost: u64,
    failing: bool,
    buffer: Vec<u8>,
}

impl Writer {
    /// Goes on with a file. What is damaged is set aside and the rest written anew.
    pub(super) fn resume(mut file: Box<dyn DiskFile>, path: &Path) -> io::Result<(Self, Sum)> {
        let (sum, end) = match file.read(FILE_MAX) {
            Ok(bytes) => {
                let (sum, end) = Sum::read(&bytes);
                let length = bytes.len() as u64;
                match end {
                    End::Whole => return Ok((Self::new(file, path, length), sum)),
                    End::Torn(good) if good > 0 => {
                        tracing::info!(target: "band.journal", path = %path.display(), cut = length - good as u64,
                            "the journal's last entry is not whole: the process before ended in the middle of it");
                        if !trial::has(Fault::TailNotCut) {
                            file.cut(good as u64)?;
                        }
                        return Ok((Self::new(file, path, good as u64), sum));
                    }
                    end => (sum, end),
                }
            }
            Err(err) => {
                tracing::warn!(target: "band.journal", path = %path.display(), %err, "the journal can't be read");
                (Sum::default(), End::Damaged)
            }
        };
        if end == End::Damaged {
            let aside = file.set_aside()?;
            tracing::warn!(target: "band.journal", path = %path.display(), aside = %aside.display(),
                "the journal is damaged: a copy was set aside, and what could be read of it is used");
        }
        let bytes = sum.write();
        file.replace(&bytes)?;
        Ok((Self::new(file, path, bytes.len() as u64), sum))
    }

    fn new(file: Box<dyn DiskFile>, path: &Path, length: u64) -> Self {
        Self {
            file,
            path: path.to_owned(),
            length,
            torn: false,
            anew_at: length.saturating_mul(2).max(ANEW_FROM),
            tended: false,
            since: None,
            lost: 0,
            failing: false,
            buffer: Vec::new(),
        }
    }

    pub(super) const fn lost(&self) -> u64 {
        self.lost
    }

    /// Appends what is put into the buffer.
    pub(super) fn write(&mut self, put: impl FnOnce(&mut Vec<u8>)) {
        self.buffer.clear();
        put(&mut self.buffer);
        match self.append() {
            Ok(()) if self.failing => {
                self.failing = false;
                tracing::info!(target: "band.journal", path = %self.path.display(), lost = self.lost,
                    "the journal can be written again");
            }
            Ok(()) => {}
            Err(err) => {
                self.lost += 1;
                if !std::mem::replace(&mut self.failing, true) {
                    tracing::error!(target: "band.journal", path = %self.path.display(), %err,
                        "the journal can't be written: the agent goes on, and may repeat an answer after a crash");
                }
            }
        }
    }

    fn append(&mut self) -> io::Result<()> {
        if !self.tended && self.length >= self.anew_at {
            self.write_anew();
        }
        let added = self.buffer.len() as u64;
        if self.length + added > FILE_MAX {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if self.torn && !trial::has(Fault::PartNotCut) {
            self.file.cut(self.length)?;
        }
        self.torn = true;
        self.file.append(&self.buffer)?;
        self.torn = false;
        self.length += added;
        if let Some(since) = &mut self.since {
            since.extend_from_slice(&self.buffer);
        }
        Ok(())
    }

    /// From now on somebody else tends the file, if the disk lets them.
    pub(super) fn tend(&mut self) -> bool {
        self.tended = matches!(self.file.twin(), Ok(Some(_)));
        self.tended
    }

    /// The file for whoever tends it.
    pub(super) fn twin(&self) -> io::Result<Option<Box<dyn DiskTwin>>> {
        self.file.twin()
    }

    /// Its length, if it is time to write it anew: what is appended from now on is kept for
    /// [`take_place`](Self::take_place).
    pub(super) fn begin_anew(&mut self) -> Option<u64> {
        let is_long = self.length >= self.anew_at;
        self.since = is_long.then(Vec::new);
        is_long.then_some(self.length)
    }

    /// Ends what [`begin_anew`](Self::begin_anew) began: with what was written anew, or why it could not be.
    pub(super) fn take_place(&mut self, twin: &mut dyn DiskTwin, drafted: io::Result<u64>) {
        let since = self.since.take().unwrap_or_default();
        let placed = drafted.and_then(|length| {
            self.file = twin.take_place(&since)?;
            Ok(length + since.len() as u64)
        });
        self.written_anew(placed);
    }

    /// Puts the sum of the file in its place. If that fails the file grows on for a while.
    fn write_anew(&mut self) {
        let shortened = self.shorten();
        self.written_anew(shortened);
    }

    fn written_anew(&mut self, length: io::Result<u64>) {
        match length {
            Ok(length) => {
                self.length = length;
                self.torn = false;
                self.anew_at = length.saturating_mul(2).max(ANEW_FROM);
                tracing::debug!(target: "band.journal", length, "the journal was written anew");
            }
            Err(err) => {
                self.anew_at = self.length.saturating_mul(2);
                tracing::warn!(target: "band.journal", path = %self.path.display(), %err,
                    "the journal could not be shortened");
            }
        }
    }

    fn shorten(&mut self) -> io::Result<u64> {
        let mut bytes = self.file.read(FILE_MAX)?;
        bytes.truncate(usize::try_from(self.length).unwrap_or(usize::MAX));
        let bytes = shortened(&bytes, &self.path);
        self.file.replace(&bytes)?;
        Ok(bytes.len() as u64)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn close(mut self) {
        if let Err(err) = self.file.sync() {
            tracing::warn!(target: "band.journal", path = %self.path.display(), %err, "the journal could not be synced");
        }
    }
}

/// A shorter file that adds up to the same.
pub(super) fn shortened(bytes: &[u8], path: &Path) -> Vec<u8> {
    let (sum, end) = Sum::read(bytes);
    if end != End::Whole || !bytes.starts_with(&HEADER) {
        tracing::warn!(target: "band.journal", path = %path.display(), "the journal was damaged while in use");
    }
    sum.write()
}
