//! Waiting for the deadline of a machine.

use band_core::Deadline;
use tokio::time::{Instant, sleep_until};

/// Waits for a deadline that counts from `origin`; for ever when there is none, or none that a clock can show.
pub(crate) async fn due<W>(origin: Instant, deadline: Option<Deadline<W>>) {
    match deadline.and_then(|next| origin.checked_add(next.at.since_origin())) {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}
