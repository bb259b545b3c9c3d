//! Full jitter, seeded: the same seed gives the same delays.

use std::time::Duration;

use crate::trial::{self, Fault};

/// A small deterministic generator (SplitMix64) for jitter. Not for secrets.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Starts from a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub const fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A duration from zero up to and with `most`.
    pub fn up_to(&mut self, most: Duration) -> Duration {
        let nanos = u64::try_from(most.as_nanos()).unwrap_or(u64::MAX);
        let roll = self.roll();
        if trial::has(Fault::JitterZero) {
            return most;
        }
        Duration::from_nanos(nanos.checked_add(1).map_or(roll, |bound| roll % bound))
    }
}

/// Delays that grow: uniform in `[0, min(max, base · 2^attempt)]`, the first one zero when `at_once`.
#[derive(Debug, Clone)]
pub struct Backoff {
    base: Duration,
    max: Duration,
    at_once: bool,
    attempt: u32,
}

impl Backoff {
    /// Grows from `base` to `max`.
    pub const fn new(base: Duration, max: Duration) -> Self {
        Self { base, max, at_once: false, attempt: 0 }
    }

    /// The first delay is zero.
    #[must_use]
    pub const fn at_once(mut self) -> Self {
        self.at_once = true;
        self
    }

    /// The next delay.
    pub fn next(&mut self, dice: &mut Dice) -> Duration {
        if trial::has(Fault::BackoffOff) {
            return Duration::ZERO;
        }
        let attempt = self.attempt;
        self.attempt = attempt.saturating_add(1);
        if self.at_once && attempt == 0 {
            return Duration::ZERO;
        }
        let doublings = if self.at_once { attempt - 1 } else { attempt };
        dice.up_to(self.base.saturating_mul(1_u32.checked_shl(doublings).unwrap_or(u32::MAX)).min(self.max))
    }

    /// How many delays were taken since the last reset.
    pub const fn attempts(&self) -> u32 {
        self.attempt
    }

    /// Starts over.
    pub const fn reset(&mut self) {
        self.attempt = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_to_the_maximum_and_never_pass_it() {
        let mut dice = Dice::new(1);
        let mut backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(5)).at_once();
        assert_eq!(backoff.next(&mut dice), Duration::ZERO);
        for doublings in 0..80_u32 {
            let most = Duration::from_millis(100).saturating_mul(2_u32.saturating_pow(doublings));
            assert!(backoff.next(&mut dice) <= most.min(Duration::from_secs(5)));
        }
        backoff.reset();
        assert_eq!(backoff.next(&mut dice), Duration::ZERO);
    }
}
