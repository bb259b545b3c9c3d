//! Runs many seeds on all processors.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use band_core::trial::Fault;

use super::run::{Choice, Report, replay};

/// A seed that failed.
#[derive(Debug, Clone)]
pub struct Finding {
    /// What was seen.
    pub report: Report,
}

/// Runs seeds, with a fault planted or not, and gives those that failed, by seed. Ends early after `most` findings.
pub fn sweep(seeds: Range<u64>, planted: Option<Fault>, threads: usize, most: usize) -> Vec<Finding> {
    let next = AtomicU64::new(seeds.start);
    let enough = AtomicBool::new(false);
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while !enough.load(Ordering::Relaxed) {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let report = replay(&Choice { planted, ..Choice::all(seed) }, false);
                    if !report.violations.is_empty() {
                        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                        found.push(Finding { report });
                        enough.store(found.len() >= most, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_key(|finding| finding.report.choice.seed);
    found
}
