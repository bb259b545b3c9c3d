//! Checked whenever an agent dials.

use std::time::Duration;

use tokio::time::Instant;

use super::super::watch::Watch;
use super::super::world::Process;

/// Dials within [`WINDOW`] that are a storm.
const STORM: usize = 60;
const WINDOW: Duration = Duration::from_secs(10);
/// Waits in a row that are never the same by chance.
const SAME: usize = 3;

/// An agent dials.
pub(crate) fn made(watch: &mut Watch, process: Process, now: Instant) {
    let (made, gaps) = watch.dials_of(process);
    let recent = made.iter().rev().take_while(|at| now - **at <= WINDOW).count();
    let last: Vec<Duration> = gaps.iter().rev().take(SAME).copied().collect();
    let is_same = last.len() == SAME
        && last.first().is_some_and(|first| !first.is_zero() && last.iter().all(|gap| gap == first));
    if recent > STORM {
        watch.violated("storm", format!("{process:?} dialled {recent} times in {WINDOW:?}"));
    }
    if is_same {
        watch.violated("jitter", format!("{process:?} waits the same each time: {last:?}"));
    }
}
