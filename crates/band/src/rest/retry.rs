//! Whether and when a call is tried again: decided here, without a clock or a socket.

use std::time::Duration;

use band_core::backoff::{Backoff, Dice};
use band_core::trial::{self, Fault};

use crate::error::Error;

/// How often a refusal that may pass is tried again.
const RETRIES: u32 = 3;

/// How fast a call is tried again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// For how long, counted from the start of the call, a platform that can't be reached is tried again.
    pub(super) unreachable_for: Duration,
    /// Delays after refusals grow from this.
    pub(super) refused_base: Duration,
    /// Delays after broken connections grow from this.
    pub(super) broken_base: Duration,
    /// And no further than this, save what the platform demands.
    pub(super) max: Duration,
}

impl Pace {
    /// For platforms as they are.
    pub(super) const DEFAULT: Self = Self {
        unreachable_for: Duration::from_secs(30),
        refused_base: Duration::from_secs(1),
        broken_base: Duration::from_millis(100),
        max: Duration::from_secs(5),
    };
}

/// Why an attempt did not bring what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The platform answered with this status.
    Status {
        /// Not a success.
        status: u16,
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// No byte of the request left this machine.
    Unsent,
    /// The connection broke, or no answer came in time: the platform may have acted or not.
    Broken,
}

/// Which attempts may be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Policy {
    /// Saying it twice is the same as saying it once.
    Repeatable,
    /// The same, by an idempotency key.
    Keyed,
    /// Only what the platform can't have acted on is repeated.
    Unkeyed,
    /// One attempt.
    Once,
}

impl Policy {
    /// Whether a failure may be followed by another attempt, numbers aside.
    fn repeats(self, failure: Failure) -> bool {
        if trial::has(Fault::ConflictRetried) && matches!(failure, Failure::Status { status: 409, .. }) {
            return true;
        }
        let harmless = matches!(failure, Failure::Unsent | Failure::Status { status: 429, .. });
        let passing = match failure {
            Failure::Unsent | Failure::Broken => true,
            Failure::Status { status, .. } => matches!(status, 408 | 429 | 500..),
        };
        match self {
            Self::Repeatable | Self::Keyed => passing,
            Self::Unkeyed => harmless,
            Self::Once => false,
        }
    }
}

impl Policy {
    /// The error of a call that is not repeated: says so when it may have been carried out.
    pub(super) fn judge(self, failure: Failure, error: Error) -> Error {
        let unknown = matches!(failure, Failure::Broken | Failure::Status { status: 408 | 500.., .. });
        if self == Self::Unkeyed && unknown { Error::Unconfirmed(Box::new(error)) } else { error }
    }
}

/// The attempts of one call.
#[derive(Debug)]
pub(super) struct Retry {
    policy: Policy,
    unreachable_for: Duration,
    refused: Backoff,
    broken: Backoff,
}

impl Retry {
    pub(super) const fn new(policy: Policy, pace: Pace) -> Self {
        Self {
            policy,
            unreachable_for: pace.unreachable_for,
            refused: Backoff::new(pace.refused_base, pace.max),
            broken: Backoff::new(pace.broken_base, pace.max),
        }
    }

    /// The delay before the next attempt, or none when the failure stands. `spent` is the time since the
    /// call began.
    pub(super) fn after(&mut self, failure: Failure, spent: Duration, dice: &mut Dice) -> Option<Duration> {
        if !self.policy.repeats(failure) {
            return None;
        }
        match failure {
            Failure::Status { retry_after, .. } => {
                if self.refused.attempts() >= RETRIES {
                    return None;
                }
                // Added, not the longer of the two: those that were refused together must not come back together.
                Some(self.refused.next(dice).saturating_add(retry_after.unwrap_or_default()))
            }
            Failure::Unsent | Failure::Broken => {
                let delay = self.broken.next(dice);
                (spent.saturating_add(delay) < self.unreachable_for).then_some(delay)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retry(policy: Policy) -> Retry {
        Retry::new(policy, Pace::DEFAULT)
    }

    const fn status(status: u16) -> Failure {
        Failure::Status { status, retry_after: None }
    }

    #[test]
    fn what_is_repeated_depends_on_the_call() {
        use Policy::{Keyed, Once, Repeatable, Unkeyed};
        for (failure, repeated_by) in [
            (status(400), vec![]),
            (status(401), vec![]),
            (status(403), vec![]),
            (status(404), vec![]),
            (status(408), vec![Repeatable, Keyed]),
            (status(409), vec![]),
            (status(422), vec![]),
            (status(429), vec![Repeatable, Keyed, Unkeyed]),
            (status(500), vec![Repeatable, Keyed]),
            (status(502), vec![Repeatable, Keyed]),
            (status(503), vec![Repeatable, Keyed]),
            (Failure::Unsent, vec![Repeatable, Keyed, Unkeyed]),
            (Failure::Broken, vec![Repeatable, Keyed]),
        ] {
            for policy in [Repeatable, Keyed, Unkeyed, Once] {
                let again = retry(policy).after(failure, Duration::ZERO, &mut Dice::new(1)).is_some();
                assert_eq!(again, repeated_by.contains(&policy), "{failure:?} under {policy:?}");
            }
        }
    }

    #[test]
    fn a_refusal_is_tried_three_times_more() {
        let mut attempts = retry(Policy::Repeatable);
        let tried = (0..10)
            .take_while(|_| attempts.after(status(503), Duration::ZERO, &mut Dice::new(1)).is_some())
            .count();
        assert_eq!(tried, 3);
    }

    #[test]
    fn the_platforms_own_delay_is_obeyed_in_full() {
        let failure = Failure::Status { status: 429, retry_after: Some(Duration::from_secs(120)) };
        let mut dice = Dice::new(1);
        let mut delay = || retry(Policy::Unkeyed).after(failure, Duration::ZERO, &mut dice).unwrap();
        let (one, other) = (delay(), delay());
        assert!(one >= Duration::from_secs(120) && other >= Duration::from_secs(120), "{one:?}, {other:?}");
        assert_ne!(one, other, "two calls do not come back together");
    }

    #[test]
    fn an_unreachable_platform_is_tried_for_half_a_minute() {
        let mut attempts = retry(Policy::Repeatable);
        let mut dice = Dice::new(7);
        let mut spent = Duration::ZERO;
        let mut tries = 0;
        while let Some(delay) = attempts.after(Failure::Broken, spent, &mut dice) {
            assert!(delay <= Pace::DEFAULT.max);
            spent += delay;
            tries += 1;
        }
        assert!(spent < Pace::DEFAULT.unreachable_for, "{spent:?}");
        assert!(tries > 5, "{tries} tries");
    }
}
