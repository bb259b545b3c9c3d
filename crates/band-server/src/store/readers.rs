//! A few threads that read, each with a connection of its own and one snapshot a query.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Receiver;
use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;

use super::{StoreError, View};

/// A query with a caller who waits for its result.
pub(super) type Query = Box<dyn FnOnce(Result<View<'_>, StoreError>) + Send>;

/// Works until the queue is closed and empty. The threads take turns at the queue.
pub(super) fn run(connection: &Connection, queue: &Mutex<Receiver<Query>>) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(query) = next else { return };
        answer(connection, query);
    }
}

fn answer(connection: &Connection, query: Query) {
    match connection.unchecked_transaction() {
        Ok(snapshot) => {
            // The caller of a query that panicked finds its reply gone; the thread goes on.
            let done = catch_unwind(AssertUnwindSafe(|| query(Ok(View::new(&snapshot)))));
            if done.is_err() {
                tracing::error!("a query of the store failed in an unforeseen way");
            }
        }
        Err(error) => query(Err(error.into())),
    }
}
