//! When a provider is asked again.

use std::time::Duration;

use super::failure::ProviderFailure;

/// Attempts at one answer.
const ATTEMPTS: u32 = 5;
/// The first pause, when the provider names none.
const FIRST: Duration = Duration::from_secs(1);
/// The longest of those.
const LONGEST: Duration = Duration::from_secs(30);

/// Decides whether a failed request is made again, and when. All pauses together stay within a bound: a provider
/// that wants to be left alone for longer ends the turn instead.
#[derive(Debug)]
pub(crate) struct Again {
    attempts: u32,
    left: Duration,
    seed: u64,
}

impl Again {
    /// With so much time for pauses.
    pub(crate) const fn within(limit: Duration, seed: u64) -> Self {
        Self { attempts: 1, left: limit, seed }
    }

    /// The pause before the next attempt; none when there is no further one.
    pub(crate) fn after(&mut self, failure: &ProviderFailure) -> Option<Duration> {
        if !failure.may_pass() || self.attempts >= ATTEMPTS {
            return None;
        }
        let grown = FIRST.saturating_mul(1 << (self.attempts - 1)).min(LONGEST);
        // At least half of it, so that many agents do not come back at once.
        let pause = failure.retry_after.unwrap_or_else(|| grown.mul_f64(self.fraction().mul_add(0.5, 0.5)));
        self.attempts += 1;
        self.left = self.left.checked_sub(pause)?;
        Some(pause)
    }

    /// Between 0 and 1, from the seed.
    fn fraction(&mut self) -> f64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let top = u32::try_from(self.seed >> 32).unwrap_or_default();
        f64::from(top) / f64::from(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::super::failure::FailureKind;
    use super::*;

    fn busy(retry_after: Option<u64>) -> ProviderFailure {
        let mut failure = ProviderFailure::new(FailureKind::Passing, "429", "");
        failure.retry_after = retry_after.map(Duration::from_secs);
        failure
    }

    #[test]
    fn pauses_grow_and_end() {
        let mut again = Again::within(Duration::from_secs(120), 7);
        let pauses: Vec<Duration> = std::iter::from_fn(|| again.after(&busy(None))).collect();
        assert_eq!(pauses.len(), 4);
        for (pause, most) in pauses.iter().zip([1, 2, 4, 8]) {
            let most = Duration::from_secs(most);
            assert!(*pause >= most / 2 && *pause <= most, "{pause:?} of {most:?}");
        }
    }

    #[test]
    fn the_provider_names_the_pause_unless_that_is_too_long() {
        let mut again = Again::within(Duration::from_secs(60), 7);
        assert_eq!(again.after(&busy(Some(50))), Some(Duration::from_secs(50)));
        assert_eq!(again.after(&busy(Some(11))), None, "10 s are left");
        let refused = ProviderFailure::new(FailureKind::Refused, "400", "");
        assert_eq!(Again::within(Duration::MAX, 0).after(&refused), None);
    }
}
