//! Runs many seeds on all processors.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use band_core::trial::Fault;

use super::run::{Choice, Report, replay};

/// A seed that takes longer than this, by the real clock, spins at one instant of its own: some take a second.
const STUCK: Duration = Duration::from_secs(300);

/// A seed that failed.
#[derive(Debug, Clone)]
pub struct Finding {
    /// What was seen.
    pub report: Report,
}

/// What the threads of a sweep share.
#[derive(Debug, Default)]
struct Progress {
    found: Vec<Finding>,
    /// Seeds that run, and since when.
    running: BTreeMap<u64, Instant>,
    /// Threads that are done.
    done: usize,
}

/// Runs seeds, with a fault planted or not, and gives those that failed, by seed. Ends early after `most` findings.
/// A seed that does not end ends the process: nothing else stops its thread.
pub fn sweep(seeds: Range<u64>, planted: Option<Fault>, threads: usize, most: usize) -> Vec<Finding> {
    let (next, threads) = (AtomicU64::new(seeds.start), threads.max(1));
    let enough = AtomicBool::new(false);
    let (progress, news) = (Mutex::new(Progress::default()), Condvar::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while !enough.load(Ordering::Relaxed) {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        break;
                    }
                    lock(&progress).running.insert(seed, Instant::now());
                    let report = replay(&Choice { planted, ..Choice::all(seed) }, false);
                    let mut progress = lock(&progress);
                    progress.running.remove(&seed);
                    if !report.violations.is_empty() {
                        progress.found.push(Finding { report });
                        enough.store(progress.found.len() >= most, Ordering::Relaxed);
                    }
                }
                lock(&progress).done += 1;
                news.notify_all();
            });
        }
        watch(&progress, &news, threads);
    });
    let mut found = progress.into_inner().unwrap_or_else(PoisonError::into_inner).found;
    found.sort_by_key(|finding| finding.report.choice.seed);
    found
}

fn lock(progress: &Mutex<Progress>) -> MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until all threads are done.
#[expect(clippy::print_stderr, reason = "nobody else is left to say it")]
fn watch(progress: &Mutex<Progress>, news: &Condvar, threads: usize) {
    let mut guard = lock(progress);
    while guard.done < threads {
        guard = news.wait_timeout(guard, STUCK / 10).unwrap_or_else(PoisonError::into_inner).0;
        if let Some((seed, _)) = guard.running.iter().find(|(_, since)| since.elapsed() > STUCK) {
            let found: Vec<u64> = guard.found.iter().map(|finding| finding.report.choice.seed).collect();
            eprintln!(
                "livelock: seed {seed} has not ended after {STUCK:?}; seeds that failed before: {found:?}"
            );
            std::process::exit(3);
        }
    }
}
