//! How long a start keeps asking who the agent is.

use std::time::Duration;

use crate::Moment;
use crate::backoff::{Backoff, Dice};

/// Waits after an answer of 429; a longer `Retry-After` wins. After the last one the error counts.
const RATE_LIMITED: [Duration; 5] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
    Duration::from_secs(16),
];
/// How long a platform that can't be reached, or is down, is asked again.
const UNREACHABLE_FOR: Duration = Duration::from_secs(60);
const RETRY_BASE: Duration = Duration::from_millis(500);
const RETRY_MAX: Duration = Duration::from_secs(5);

/// Why the platform did not say who the agent is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setback {
    /// 429.
    RateLimited(Option<Duration>),
    /// No connection, or an answer of 5xx; with how long the platform wants to be left alone.
    Unreachable(Option<Duration>),
    /// Any other refusal.
    Refused,
}

/// The patience of one start.
#[derive(Debug)]
pub struct StartPatience {
    dice: Dice,
    backoff: Backoff,
    limited: usize,
    unreachable_since: Option<Moment>,
}

impl StartPatience {
    /// With a seed for the jitter.
    pub const fn new(seed: u64) -> Self {
        Self {
            dice: Dice::new(seed),
            backoff: Backoff::new(RETRY_BASE, RETRY_MAX),
            limited: 0,
            unreachable_since: None,
        }
    }

    /// How long to wait before the next attempt; none when the setback is final.
    pub fn after(&mut self, now: Moment, setback: Setback) -> Option<Duration> {
        match setback {
            Setback::Refused => None,
            Setback::RateLimited(asked) => {
                let wait = RATE_LIMITED.get(self.limited)?;
                self.limited += 1;
                Some(asked.unwrap_or_default().max(*wait))
            }
            Setback::Unreachable(asked) => {
                let since = *self.unreachable_since.get_or_insert(now);
                let wait = self.backoff.next(&mut self.dice).max(asked.unwrap_or_default());
                (now.since(since) + wait <= UNREACHABLE_FOR).then_some(wait)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_limit_is_waited_for_five_times_and_a_longer_demand_wins() {
        let mut patience = StartPatience::new(1);
        let mut after = |asked| patience.after(Moment::ZERO, Setback::RateLimited(asked));
        let asked = [None, None, Some(Duration::from_secs(9)), Some(Duration::from_secs(2)), None, None];
        let waits: Vec<Option<u64>> =
            asked.into_iter().map(|asked| after(asked).map(|wait| wait.as_secs())).collect();
        assert_eq!(waits, [Some(1), Some(2), Some(9), Some(8), Some(16), None]);
    }

    #[test]
    fn a_platform_that_is_away_is_asked_for_a_minute() {
        let mut patience = StartPatience::new(1);
        let mut now = Moment::at(Duration::from_secs(5));
        let mut tries = 0;
        while let Some(wait) = patience.after(now, Setback::Unreachable(None)) {
            assert!(wait <= Duration::from_secs(5));
            now = now + wait;
            tries += 1;
        }
        assert!(now <= Moment::at(Duration::from_secs(65)) && tries > 12, "{now:?} {tries}");
        assert_eq!(StartPatience::new(1).after(now, Setback::Refused), None);
        let too_long = Setback::Unreachable(Some(Duration::from_secs(61)));
        assert_eq!(StartPatience::new(1).after(now, too_long), None);
    }
}
