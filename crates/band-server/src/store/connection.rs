//! Connections to the database: one that writes, a few that read.

use std::path::Path;
use std::time::Duration;

use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, OpenFlags};

use super::{DataDir, StoreError};

/// Prepared statements that a connection keeps.
const STATEMENTS: usize = 128;

/// How long a connection waits for a lock of another process before it gives up.
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens the connection that writes. Every commit is on the disk before it returns.
pub(super) fn writer(path: &Path) -> Result<Connection, StoreError> {
    DataDir::touch_private(path)?;
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
    connection.pragma_update(None, "cache_size", -32 * 1024)?;
    Ok(connection)
}

/// Opens a connection that reads.
pub(super) fn reader(path: &Path) -> Result<Connection, StoreError> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.pragma_update(None, "query_only", "ON")?;
    connection.pragma_update(None, "cache_size", -8 * 1024)?;
    Ok(connection)
}

fn open(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("fold", 1, flags, |args| Ok(args.get::<String>(0)?.to_lowercase()))?;
    Ok(connection)
}
