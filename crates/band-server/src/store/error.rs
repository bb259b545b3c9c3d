//! What can go wrong with the store.

use std::path::PathBuf;
use std::sync::Arc;

use rusqlite::ErrorCode;

/// Why the store could not do what was asked. Nothing of it was stored.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// More work waits than the store's queue holds.
    #[error("the store is overloaded: {waiting} commands wait already")]
    Overloaded {
        /// The bound of the queue.
        waiting: usize,
    },
    /// Another process holds the database.
    #[error("the database is locked by another process")]
    Busy,
    /// No room is left on the device.
    #[error("the disk is full: free some space, the store works again at once")]
    Full,
    /// The file is no database, or damaged.
    #[error("the database is damaged: {reason}; restore it from a backup")]
    Corrupt {
        /// What SQLite says.
        reason: String,
    },
    /// Reading or writing failed below the database.
    #[error("the database can't be read or written: {reason}")]
    Device {
        /// What SQLite says.
        reason: String,
    },
    /// The database undid the whole transaction by itself, after a failure below it.
    #[error("the database undid the commands that were stored together, after one of them failed below it")]
    Undone,
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
    /// A command panicked. It was rolled back.
    #[error("a command of the store failed in an unforeseen way; nothing of it was stored")]
    Panicked,
    /// The database was written by a newer version.
    #[error("the database has schema {found}, this version knows {known}: use a newer version of band")]
    Newer {
        /// The newest migration in the database.
        found: u32,
        /// The newest migration this version has.
        known: u32,
    },
    /// The database has a migration that is not the one this version has.
    #[error("migration {version} of the database is not the one of this version of band: {reason}")]
    Foreign {
        /// Which migration.
        version: u32,
        /// What differs.
        reason: &'static str,
    },
    /// The database is there, its secret is not.
    #[error("{} is missing, so no key of {} can be checked: restore it beside the database", .secret.display(), .database.display())]
    SecretMissing {
        /// Where the secret should be.
        secret: PathBuf,
        /// The database it belongs to.
        database: PathBuf,
    },
    /// The secret belongs to another database, or is none.
    #[error("{} is not the secret of this database: {reason}", .secret.display())]
    SecretWrong {
        /// Where the secret is.
        secret: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A file or folder could not be made, read or written.
    #[error("{action} {}: {source}", .path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why not.
        source: Arc<std::io::Error>,
    },
    /// Others may write to the folder of the data.
    #[error(
        "others may write to the folder {} (mode {mode:04o}) and so replace what is in it: name a folder of your own, \
         or close this one with chmod go-w",
        .path.display()
    )]
    FolderOpen {
        /// Which folder.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// Random bytes could not be had.
    #[error("the system gives no random bytes: {0}")]
    Random(getrandom::Error),
    /// A statement failed.
    #[error("a statement of the store failed")]
    Sql {
        /// Why.
        #[source]
        source: Arc<rusqlite::Error>,
    },
}

impl StoreError {
    /// Whether the same request may succeed a little later.
    pub const fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Overloaded { .. }
                | Self::Busy
                | Self::Full
                | Self::Device { .. }
                | Self::Undone
                | Self::Closed
        )
    }

    /// A failure of the file system.
    pub(crate) fn file(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source: Arc::new(source) }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let reason = || error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DiskFull) => Self::Full,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Corrupt { reason: reason() },
            Some(ErrorCode::SystemIoFailure | ErrorCode::ReadOnly | ErrorCode::CannotOpen) => {
                Self::Device { reason: reason() }
            }
            _ => Self::Sql { source: Arc::new(error) },
        }
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    fn of(code: i32) -> StoreError {
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), None).into()
    }

    #[test]
    fn failures_of_the_database_have_kinds() {
        assert!(matches!(of(ffi::SQLITE_BUSY), StoreError::Busy));
        assert!(matches!(of(ffi::SQLITE_LOCKED), StoreError::Busy));
        assert!(matches!(of(ffi::SQLITE_FULL), StoreError::Full));
        assert!(matches!(of(ffi::SQLITE_CORRUPT), StoreError::Corrupt { .. }));
        assert!(matches!(of(ffi::SQLITE_NOTADB), StoreError::Corrupt { .. }));
        assert!(matches!(of(ffi::SQLITE_IOERR), StoreError::Device { .. }));
        assert!(matches!(of(ffi::SQLITE_CONSTRAINT), StoreError::Sql { .. }));
    }

    #[test]
    fn what_may_work_a_little_later_is_told_apart() {
        assert!(of(ffi::SQLITE_FULL).is_transient() && of(ffi::SQLITE_BUSY).is_transient());
        assert!(StoreError::Undone.is_transient());
        assert!(!of(ffi::SQLITE_CORRUPT).is_transient() && !of(ffi::SQLITE_CONSTRAINT).is_transient());
    }
}
