//! What the log says of calls that wait for a platform which does not take them.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::error::Error;

/// Calls of one client that are tried for longer than ordinary ones: one line tells of the first of them, until none
/// is left.
#[derive(Debug, Default)]
pub(super) struct Waiting(AtomicU32);

/// A call that waits, until this is dropped.
#[derive(Debug)]
pub(super) struct Place<'a>(&'a Waiting);

impl Waiting {
    /// One more call waits.
    pub(super) fn begin(&self, patience: Duration, error: &Error) -> Place<'_> {
        if self.0.fetch_add(1, Ordering::Relaxed) == 0 {
            tracing::warn!(
                target: "band.rest", %error,
                "the platform takes no message at the moment: what is to be sent is kept and tried again for {patience:?}"
            );
        }
        Place(self)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}
