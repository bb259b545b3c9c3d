//! Brings a database to the newest schema, one numbered step after the other.

use rusqlite::{Connection, TransactionBehavior, params};

use super::StoreError;

struct Migration {
    version: u32,
    sql: &'static str,
}

/// All steps, in order. A released step never changes: its hash is kept in each database.
const MIGRATIONS: &[Migration] = &[
    Migration { version: 1, sql: include_str!("migrations/0001_start.sql") },
    Migration { version: 2, sql: include_str!("migrations/0002_contacts_and_stops.sql") },
    Migration { version: 3, sql: include_str!("migrations/0003_memories_files_tasks.sql") },
];

/// Runs the steps that the database does not have yet, all in one transaction.
///
/// # Errors
/// [`StoreError::Newer`] and [`StoreError::Foreign`] when the database does not fit this version; it is
/// left as it was.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    run(connection, MIGRATIONS)
}

fn run(connection: &mut Connection, migrations: &[Migration]) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(
        "CREATE TABLE IF NOT EXISTS migrations (
            version INTEGER PRIMARY KEY,
            hash BLOB NOT NULL,
            applied_at INTEGER NOT NULL
        ) STRICT",
    )?;
    let applied = applied(&transaction)?;
    check(&applied, migrations)?;
    for migration in migrations.iter().skip(applied.len()) {
        transaction.execute_batch(migration.sql)?;
        let now = jiff::Timestamp::now().as_microsecond();
        let hash = blake3::hash(migration.sql.as_bytes());
        transaction.execute(
            "INSERT INTO migrations (version, hash, applied_at) VALUES (?1, ?2, ?3)",
            params![migration.version, hash.as_bytes(), now],
        )?;
    }
    transaction.commit()?;
    Ok(())
}

struct Applied {
    version: u32,
    hash: Vec<u8>,
}

fn applied(connection: &Connection) -> Result<Vec<Applied>, StoreError> {
    let mut statement = connection.prepare("SELECT version, hash FROM migrations ORDER BY version")?;
    let rows = statement.query_map([], |row| Ok(Applied { version: row.get(0)?, hash: row.get(1)? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn check(applied: &[Applied], migrations: &[Migration]) -> Result<(), StoreError> {
    let known = migrations.last().map_or(0, |newest| newest.version);
    let found = applied.last().map_or(0, |newest| newest.version);
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    for (applied, ours) in applied.iter().zip(migrations) {
        let foreign = |reason| StoreError::Foreign { version: applied.version, reason };
        if applied.version != ours.version {
            return Err(foreign("the numbers have a gap"));
        }
        if blake3::hash(ours.sql.as_bytes()).as_bytes().as_slice() != applied.hash {
            return Err(foreign("its text differs"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Migration = Migration { version: 1, sql: "CREATE TABLE a (x)" };
    const SECOND: Migration = Migration { version: 2, sql: "CREATE TABLE b (x); INSERT INTO b VALUES (7)" };

    fn migrated(migrations: &[Migration]) -> Connection {
        let mut connection = Connection::open_in_memory().unwrap();
        run(&mut connection, migrations).unwrap();
        connection
    }

    #[test]
    fn an_empty_database_gets_every_step_once() {
        let mut connection = migrated(&[FIRST]);
        run(&mut connection, &[FIRST, SECOND]).unwrap();
        run(&mut connection, &[FIRST, SECOND]).unwrap();
        let count: u32 = connection.query_row("SELECT count(*) FROM b", [], |row| row.get(0)).unwrap();
        assert_eq!(count, 1);
    }

    #[test]
    fn a_newer_database_is_refused_with_both_numbers() {
        let mut connection = migrated(&[FIRST, SECOND]);
        let error = run(&mut connection, &[FIRST]).unwrap_err();
        assert!(matches!(error, StoreError::Newer { found: 2, known: 1 }), "{error}");
    }

    #[test]
    fn a_step_that_was_changed_is_refused() {
        let mut connection = migrated(&[FIRST]);
        let changed = Migration { version: 1, sql: "CREATE TABLE a (y)" };
        let error = run(&mut connection, &[changed]).unwrap_err();
        assert!(matches!(error, StoreError::Foreign { version: 1, .. }), "{error}");
    }

    #[test]
    fn a_step_that_fails_leaves_the_database_as_it_was() {
        let mut connection = migrated(&[FIRST]);
        let broken = Migration { version: 2, sql: "CREATE TABLE c (x); SELECT * FROM nowhere" };
        run(&mut connection, &[FIRST, broken]).unwrap_err();
        let count: u32 = connection
            .query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'c'", [], |row| row.get(0))
            .unwrap();
        assert_eq!(count, 0);
    }

    #[test]
    fn a_database_of_each_older_version_is_brought_forward_with_what_it_holds() {
        for known in 1..MIGRATIONS.len() {
            let mut connection = migrated(&MIGRATIONS[..known]);
            connection.pragma_update(None, "foreign_keys", "OFF").unwrap();
            connection
                .execute_batch(
                    "INSERT INTO executions (agent_id, chat_id, id, inserted_at)
                     VALUES (x'01', x'02', x'03', 4)",
                )
                .unwrap();
            migrate(&mut connection).unwrap();
            let sql = "SELECT hex(id), stopped_at IS NULL FROM executions";
            let row = connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)));
            assert_eq!(row.unwrap(), ("03".to_owned(), true), "from version {known}");
        }
    }

    #[test]
    fn the_steps_of_this_version_fit_an_empty_database() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection).unwrap();
        migrate(&mut connection).unwrap();
    }
}
