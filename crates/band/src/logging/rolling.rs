//! A log file that only its owner reads, and that is set aside when it is full.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tracing_subscriber::fmt::MakeWriter;

/// Appends lines to a file. When the next line would make it longer than allowed, `NAME` becomes `NAME.1`, `NAME.1`
/// becomes `NAME.2`, and so on; the last is dropped.
#[derive(Debug)]
pub(super) struct Rolling {
    path: PathBuf,
    /// Zero: any length.
    max_bytes: u64,
    backups: u32,
    open: Mutex<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    length: u64,
}

impl Rolling {
    /// Opens the file. Folders that are missing are made, for the owner alone; what is there keeps its mode.
    pub(super) fn open(path: PathBuf, max_bytes: u64, backups: u32) -> io::Result<Self> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            make_folder(folder)?;
        }
        let open = Mutex::new(open(&path)?);
        Ok(Self { path, max_bytes, backups, open })
    }

    fn numbered(&self, n: u32) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{n}"));
        name.into()
    }

    fn roll(&self) -> io::Result<Open> {
        for n in (1..self.backups).rev() {
            if self.numbered(n).exists() {
                fs::rename(self.numbered(n), self.numbered(n + 1))?;
            }
        }
        match fs::rename(&self.path, self.numbered(1)) {
            // Somebody took it away, or an earlier attempt got only so far.
            Err(err) if err.kind() != io::ErrorKind::NotFound => Err(err),
            Ok(()) | Err(_) => open(&self.path),
        }
    }

    fn append(&self, line: &[u8]) -> io::Result<()> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let more = u64::try_from(line.len()).unwrap_or(u64::MAX);
        let is_full = self.max_bytes > 0 && open.length.saturating_add(more) > self.max_bytes;
        // A file that is too long is better than a line that is lost.
        if is_full
            && open.length > 0
            && let Ok(next) = self.roll()
        {
            *open = next;
        }
        open.file.write_all(line)?;
        open.length = open.length.saturating_add(more);
        Ok(())
    }
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn open(path: &Path) -> io::Result<Open> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    let length = file.metadata()?.len();
    Ok(Open { file, length })
}

impl<'a> MakeWriter<'a> for Rolling {
    type Writer = Lines<'a>;

    fn make_writer(&'a self) -> Lines<'a> {
        Lines(self)
    }
}

/// Writes a whole line at a time, as the formatter gives it.
#[derive(Debug)]
pub(super) struct Lines<'a>(&'a Rolling);

impl Write for Lines<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.append(line).map(|()| line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_full_file_is_set_aside_and_the_oldest_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("band.log");
        let rolling = Rolling::open(path.clone(), 10, 2).unwrap();
        for line in
            ["one 56789\n", "two\n", "three\n", "four\n", "a line that is longer than a file may be\n"]
        {
            rolling.append(line.as_bytes()).unwrap();
        }
        assert_eq!(names(folder.path()), ["band.log", "band.log.1", "band.log.2"]);
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read("band.log.2"), "two\nthree\n");
        assert_eq!(read("band.log.1"), "four\n");
        assert!(read("band.log").starts_with("a line"));
        drop(rolling);
        let again = Rolling::open(path, 10, 2).unwrap();
        again.append(b"next\n").unwrap();
        assert_eq!(read("band.log"), "next\n", "what was there counts");
    }

    #[test]
    fn a_line_is_written_even_when_the_file_can_not_be_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("band.log");
        let rolling = Rolling::open(path.clone(), 5, 1).unwrap();
        let in_the_way = rolling.numbered(1);
        fs::create_dir_all(in_the_way.join("full")).unwrap();
        rolling.append(b"12345").unwrap();
        rolling.append(b"67890").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "1234567890");
        fs::remove_dir_all(&in_the_way).unwrap();
        rolling.append(b"next").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "next");
        // Somebody takes it away.
        fs::remove_file(&path).unwrap();
        rolling.append(b"more").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "more");
    }

    #[cfg(unix)]
    #[test]
    fn new_files_and_folders_are_the_owners_alone_and_what_is_there_keeps_its_mode() {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let folder = tempfile::tempdir().unwrap();
        let there = folder.path().join("there");
        fs::create_dir(&there).unwrap();
        fs::set_permissions(&there, fs::Permissions::from_mode(0o755)).unwrap();
        let path = there.join("new/deep/band.log");
        let rolling = Rolling::open(path.clone(), 5, 1).unwrap();
        for _ in 0..3 {
            rolling.append(b"12345").unwrap();
        }
        assert_eq!(
            (mode(&there), mode(&there.join("new")), mode(&there.join("new/deep"))),
            (0o755, 0o700, 0o700)
        );
        assert_eq!((mode(&path), mode(&rolling.numbered(1))), (0o600, 0o600));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        Rolling::open(path.clone(), 5, 1).unwrap();
        assert_eq!(mode(&path), 0o644);
    }
}
