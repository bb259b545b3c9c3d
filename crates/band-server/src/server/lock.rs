//! The lock that keeps a second server out of a data directory.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::discovery::ServerFile;

const NAME: &str = "server.lock";

/// Holds a data directory until it is dropped: for a server, or for a command that opens the store itself.
/// The lock is the system's own, so a killed process leaves none behind.
#[derive(Debug)]
pub struct DirLock {
    _file: File,
}

/// Why a data directory can't be locked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Someone holds it.
    #[error("a server already uses the data directory {}{}", .dir.display(), at(.server.as_ref()))]
    Held {
        /// The directory.
        dir: PathBuf,
        /// The server, where it has said where it listens.
        server: Option<ServerFile>,
    },
    /// The lock file can't be opened or locked.
    #[error("can't lock {}: {source}", .path.display())]
    File {
        /// The lock file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

fn at(server: Option<&ServerFile>) -> String {
    server.map(|server| format!("; it listens on {}", server.url())).unwrap_or_default()
}

impl DirLock {
    /// Takes the directory, without waiting.
    ///
    /// # Errors
    /// Someone holds it, or the lock file can't be opened.
    pub fn take(dir: &Path) -> Result<Self, LockError> {
        let path = dir.join(NAME);
        let file = match private(OpenOptions::new().create(true).truncate(false).write(true)).open(&path) {
            Ok(file) => file,
            Err(source) => return Err(LockError::File { path, source }),
        };
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => {
                let server = ServerFile::read(dir).ok().flatten();
                Err(LockError::Held { dir: dir.to_owned(), server })
            }
            Err(TryLockError::Error(source)) => Err(LockError::File { path, source }),
        }
    }
}

/// Files of the directory are for their owner alone.
#[cfg(unix)]
pub(super) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600)
}

/// Files of the directory are for their owner alone, by the rules of their folder.
#[cfg(not(unix))]
pub(super) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_lock_is_refused_until_the_first_is_gone() {
        let temp = tempfile::tempdir().unwrap();
        let first = DirLock::take(temp.path()).unwrap();
        let err = DirLock::take(temp.path()).unwrap_err();
        assert!(matches!(err, LockError::Held { server: None, .. }), "{err}");
        drop(first);
        DirLock::take(temp.path()).unwrap();
    }

    #[test]
    fn a_directory_that_is_missing_is_named() {
        let err = DirLock::take(Path::new("/no/such/directory")).unwrap_err().to_string();
        assert!(err.starts_with("can't lock /no/such/directory/server.lock"), "{err}");
    }
}
