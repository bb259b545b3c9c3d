//! Which agents run in this process, for harnesses that look after tests.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::Running;
use super::running::Lease;

/// Holds none of them: an agent whose last handle is dropped is gone from here.
static RUNNING: Mutex<Vec<Weak<Lease>>> = Mutex::new(Vec::new());

/// An agent has started.
pub(super) fn note(lease: &Arc<Lease>) {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    running.retain(|known| known.strong_count() > 0);
    running.push(Arc::downgrade(lease));
}

/// The agents of this process that have started and not stopped, oldest first: for a harness that ends what a test
/// left behind. A handle from here keeps its agent running like any other.
pub fn running_agents() -> Vec<Running> {
    let leases: Vec<Arc<Lease>> = {
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        running.iter().filter_map(Weak::upgrade).collect()
    };
    leases.into_iter().map(Running).filter(Running::is_running).collect()
}
