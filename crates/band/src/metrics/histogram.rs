//! How long things took, in buckets.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use super::{add, get};

/// Upper bounds in milliseconds: from a call on this machine to a turn of ten minutes.
const BOUNDS: [u64; 14] = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000, 30_000, 120_000, 600_000];

/// Counts by duration.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    /// Each counts what is not above its bound and above the one before; the last has no bound.
    buckets: [AtomicU64; BOUNDS.len() + 1],
    micros: AtomicU64,
}

impl Histogram {
    pub(super) fn observe(&self, took: Duration) {
        let millis = BOUNDS.iter().position(|bound| took <= Duration::from_millis(*bound));
        if let Some(bucket) = self.buckets.get(millis.unwrap_or(BOUNDS.len())) {
            add(bucket, 1);
        }
        add(&self.micros, u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }

    /// Upper bound in seconds and how many were not above it, smallest first; the last bound is infinite.
    pub(super) fn cumulative(&self) -> Vec<(f64, u64)> {
        let bounds = BOUNDS.iter().map(|millis| Duration::from_millis(*millis).as_secs_f64());
        let mut sum = 0;
        bounds
            .chain([f64::INFINITY])
            .zip(&self.buckets)
            .map(|(bound, bucket)| {
                sum += get(bucket);
                (bound, sum)
            })
            .collect()
    }

    /// The sum of all durations, in seconds.
    pub(super) fn seconds(&self) -> f64 {
        Duration::from_micros(get(&self.micros)).as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_duration_counts_in_its_bucket_and_all_larger_ones() {
        let histogram = Histogram::default();
        for millis in [0, 1, 7, 999_999] {
            histogram.observe(Duration::from_millis(millis));
        }
        let seen = histogram.cumulative();
        assert_eq!(seen.first(), Some(&(0.001, 2)));
        assert_eq!(seen.get(2), Some(&(0.01, 3)));
        assert_eq!(seen.last(), Some(&(f64::INFINITY, 4)));
        assert!((histogram.seconds() - 1_000.007).abs() < 1e-9);
    }
}
