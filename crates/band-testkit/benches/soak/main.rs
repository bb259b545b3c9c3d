//! The long run: `cargo xtask soak` builds and runs it. Words: `MINUTES RATE CYCLES SEED`.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "it is run by hand and ends with the first surprise"
)]

use std::time::Duration;

use band_testkit::soak::{Churn, Soak};

#[tokio::main]
async fn main() {
    let words: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let word = |place: usize, default| words.get(place).copied().unwrap_or(default);
    let lasting = Duration::from_secs(word(0, 60) * 60);
    let (rate, cycles, seed) = (word(1, 50), word(2, 10_000), word(3, 1));
    if !lasting.is_zero() {
        let rate = u32::try_from(rate).unwrap_or(u32::MAX);
        println!("{lasting:?} at {rate} messages a second, seed {seed}");
        let report = Soak { lasting, rate, seed }.run().await.expect("the run ends");
        println!("{report}");
        assert!(report.account.is_clean(), "something went wrong");
    }
    if cycles > 0 {
        let cycles = usize::try_from(cycles).unwrap_or(usize::MAX);
        println!("{}", Churn { cycles }.run().await.expect("the run ends"));
    }
}
