//! A log file that only its owner reads, and that is set aside when it is full.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use tracing_subscriber::fmt::MakeWriter;

/// Appends lines to a file. When the next line would make it longer than allowed, `NAME` becomes `NAME.1`, `NAME.1`
/// becomes `NAME.2`, and so on; the last is dropped.
///
/// A disk that takes nothing costs lines and no agent: that is said once on standard error, and each line tries again.
#[derive(Debug)]
pub(super) struct Rolling {
    path: PathBuf,
    /// Zero: any length.
    max_bytes: u64,
    backups: u32,
    open: Mutex<Option<Open>>,
    is_failing: AtomicBool,
}

#[derive(Debug)]
struct Open {
    file: File,
    length: u64,
    /// The last line may be there in part.
    is_torn: bool,
}

impl Rolling {
    /// Opens the file. Folders that are missing are made, for the owner alone; what is there keeps its mode. A place
    /// that may not be written now is tried again with each line.
    ///
    /// # Errors
    /// What is there is no ordinary file, or there can be none.
    pub(super) fn open(path: PathBuf, max_bytes: u64, backups: u32) -> io::Result<Self> {
        let (open, trouble) = match begin(&path) {
            Ok(open) => (Some(open), None),
            Err(err) if is_passing(err.kind()) => (None, Some(err)),
            Err(err) => return Err(err),
        };
        let is_failing = AtomicBool::new(trouble.is_some());
        let rolling = Self { path, max_bytes, backups, open: Mutex::new(open), is_failing };
        if let Some(err) = trouble {
            tell(&rolling.told(&err));
        }
        Ok(rolling)
    }

    fn told(&self, err: &io::Error) -> String {
        let path = self.path.display();
        format!("band.logging: log_file {path}: {err}; its lines are lost until it can be written again")
    }

    /// Appends a line. Gives what is to be said where no line of the log says it: that lines are lost from now on.
    fn line(&self, line: &[u8]) -> Option<String> {
        let outcome = self.append(line);
        let was_failing = self.is_failing.swap(outcome.is_err(), Ordering::Relaxed);
        outcome.err().filter(|_| !was_failing).map(|err| self.told(&err))
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
        let mut place = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if place.is_none() {
            *place = Some(begin(&self.path)?);
        }
        let Some(open) = place.as_mut() else { return Ok(()) };
        let more = u64::try_from(line.len()).unwrap_or(u64::MAX);
        let is_full = self.max_bytes > 0 && open.length.saturating_add(more) > self.max_bytes;
        // A file that is too long is better than a line that is lost.
        if is_full
            && open.length > 0
            && let Ok(next) = self.roll()
        {
            *open = next;
        }
        if open.is_torn {
            open.file.write_all(b"\n")?;
            open.is_torn = false;
        }
        open.file.write_all(line).inspect_err(|_| {
            open.is_torn = open.file.metadata().is_ok_and(|now| now.len() > open.length);
        })?;
        open.length = open.length.saturating_add(more);
        Ok(())
    }
}

/// On standard error, past the log. Nobody is left to tell when that is closed.
fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Whether a disk may take tomorrow what it refuses today. Everything else is a name that can't be right.
const fn is_passing(kind: io::ErrorKind) -> bool {
    matches!(
        kind,
        io::ErrorKind::PermissionDenied
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::StaleNetworkFileHandle
    )
}

fn begin(path: &Path) -> io::Result<Open> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        make_folder(folder)?;
    }
    open(path)
}

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn open(path: &Path) -> io::Result<Open> {
    // Before it is opened: a pipe that nobody reads would hold up the start for good.
    if let Ok(there) = fs::metadata(path)
        && !there.is_file()
    {
        let what = what(there.file_type());
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("that is {what} and no ordinary file"),
        ));
    }
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    let length = file.metadata()?.len();
    Ok(Open { file, length, is_torn: false })
}

fn what(kind: fs::FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a named pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
    }
    if kind.is_dir() { "a folder" } else { "a device" }
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
        if let Some(text) = self.0.line(line) {
            tell(&text);
        }
        Ok(line.len())
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

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_told_once_and_each_line_tries_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("band.log");
        let full = |rolling: &Rolling| {
            let file = OpenOptions::new().append(true).open("/dev/full").unwrap();
            *rolling.open.lock().unwrap() = Some(Open { file, length: 0, is_torn: false });
        };
        let rolling = Rolling::open(path.clone(), 0, 1).unwrap();
        full(&rolling);
        let told = rolling.line(b"lost\n").unwrap();
        assert!(told.contains("band.log: No space left on device"), "{told}");
        assert_eq!(rolling.line(b"lost too\n"), None);
        // There is room again.
        *rolling.open.lock().unwrap() = None;
        assert_eq!(rolling.line(b"kept\n"), None);
        assert_eq!(fs::read_to_string(&path).unwrap(), "kept\n");
        full(&rolling);
        assert!(rolling.line(b"lost again\n").is_some(), "that is another time");
    }

    #[test]
    fn half_a_line_does_not_spoil_the_next() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("band.log");
        let rolling = Rolling::open(path.clone(), 0, 1).unwrap();
        rolling.append(b"hal").unwrap();
        rolling.open.lock().unwrap().as_mut().unwrap().is_torn = true;
        rolling.append(b"whole\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "hal\nwhole\n");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_ordinary_file_is_refused_by_what_it_is_and_holds_up_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for (path, what) in [
            (pipe, "a named pipe"),
            (folder.path().to_owned(), "a folder"),
            (socket, "a socket"),
            ("/dev/null".into(), "a device"),
        ] {
            let refused = Rolling::open(path, 0, 1).unwrap_err();
            assert_eq!(refused.to_string(), format!("that is {what} and no ordinary file"));
        }
    }

    #[test]
    fn a_place_that_may_not_be_written_now_costs_lines_and_not_the_start() {
        for (kind, passes) in [
            (io::ErrorKind::PermissionDenied, true),
            (io::ErrorKind::ReadOnlyFilesystem, true),
            (io::ErrorKind::StorageFull, true),
            (io::ErrorKind::NotADirectory, false),
            (io::ErrorKind::InvalidInput, false),
        ] {
            assert_eq!(is_passing(kind), passes, "{kind}");
        }
        // No file can be made there, whoever asks.
        #[cfg(target_os = "linux")]
        {
            let rolling = Rolling::open("/sys/band.log".into(), 0, 1).unwrap();
            assert_eq!(rolling.line(b"lost\n"), None, "it was said at the start");
        }
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
