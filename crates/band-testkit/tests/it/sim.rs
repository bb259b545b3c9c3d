//! The simulator itself, and what it has found.

use band_testkit::sim::{Choice, replay, sweep};

/// Runs that failed once, each because of a fault that is mended: the seed, its steps, and what it was.
const MENDED: &[(u64, &[usize], &str)] =
    &[(66, &[1, 4, 5, 6], "a claim that found the agent out of its room made the message count as handled")];

#[test]
fn the_same_seed_gives_the_same_run_to_the_last_line() {
    for seed in 0..12 {
        let run = || replay(&Choice::all(seed), true);
        assert_eq!(run(), run(), "seed {seed}");
    }
}

#[test]
fn a_hundred_seeds_find_nothing() {
    let found = sweep(0..100, 2, usize::MAX);
    let shown: Vec<_> =
        found.iter().map(|finding| (&finding.report.choice, &finding.report.violations)).collect();
    assert!(shown.is_empty(), "{shown:#?}");
}

#[test]
fn what_was_mended_stays_mended() {
    for (seed, only, what) in MENDED {
        for calm in [true, false] {
            let report = replay(&Choice { seed: *seed, only: Some(only.to_vec()), calm }, false);
            assert!(report.violations.is_empty(), "{what}: {:?}", report.violations);
        }
    }
}
