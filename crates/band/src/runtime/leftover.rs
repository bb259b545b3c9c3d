//! Tasks of turns that were dropped and did not end: they block their thread, and nothing can stop them.

use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::adapter::dispatch::Dispatched;

/// How long a task may take to notice that it was dropped.
const GRACE: Duration = Duration::from_secs(1);

/// The tasks of one room's turns.
#[derive(Debug)]
pub(crate) struct Leftover(JoinSet<Dispatched>);

impl Leftover {
    /// All of them are dropped.
    pub(super) fn new(mut tasks: JoinSet<Dispatched>) -> Self {
        tasks.abort_all();
        Self(tasks)
    }

    /// Waits a second for them; gives how many still run.
    pub(crate) async fn settle(&mut self) -> usize {
        // That the time is over shows in what is left.
        let _ = timeout(GRACE, self.over()).await;
        self.0.len()
    }

    /// Waits until all have ended. May be dropped and called again.
    pub(super) async fn over(&mut self) {
        while let Some(outcome) = self.0.join_next().await {
            log_late(&outcome.map_err(|err| err.to_string()));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A turn that had been dropped is over after all.
pub(super) fn log_late(outcome: &Result<Dispatched, String>) {
    match outcome {
        Ok(Dispatched::Turn(Err(err))) => {
            tracing::warn!(target: "band.room", %err, "a turn that had been dropped failed late");
        }
        Err(err) => tracing::debug!(target: "band.room", err, "a turn that had been dropped is over"),
        Ok(_) => tracing::debug!(target: "band.room", "a turn that had been dropped is over"),
    }
}
