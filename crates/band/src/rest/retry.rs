//! Whether and when a call is tried again: decided here, without a clock or a socket.

use std::time::Duration;

use band_core::backoff::{Backoff, Dice};

/// How often a refusal that may pass is tried again.
const RETRIES: u32 = 3;
/// For how long, counted from the start of the call, a platform that can't be reached is tried again.
const UNREACHABLE_FOR: Duration = Duration::from_secs(30);
/// Delays after refusals grow from this.
const REFUSED_BASE: Duration = Duration::from_secs(1);
/// Delays after broken connections grow from this.
const BROKEN_BASE: Duration = Duration::from_millis(100);
/// And no further than this, save what the platform demands.
const MAX: Duration = Duration::from_secs(5);

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
    /// The same, by an idempotency key. A conflict is an answer.
    Keyed,
    /// Only what the platform can't have acted on is repeated.
    Unkeyed,
    /// One attempt.
    Once,
}

impl Policy {
    /// Whether a failure may be followed by another attempt, numbers aside.
    const fn repeats(self, failure: Failure) -> bool {
        let harmless = matches!(failure, Failure::Unsent | Failure::Status { status: 429, .. });
        let passing = match failure {
            Failure::Unsent | Failure::Broken => true,
            Failure::Status { status, .. } => matches!(status, 408 | 429 | 500..),
        };
        match self {
            Self::Repeatable => passing || matches!(failure, Failure::Status { status: 409, .. }),
            Self::Keyed => passing,
            Self::Unkeyed => harmless,
            Self::Once => false,
        }
    }
}

/// The attempts of one call.
#[derive(Debug)]
pub(super) struct Retry {
    policy: Policy,
    refused: Backoff,
    broken: Backoff,
}

impl Retry {
    pub(super) const fn new(policy: Policy) -> Self {
        Self { policy, refused: Backoff::new(REFUSED_BASE, MAX), broken: Backoff::new(BROKEN_BASE, MAX) }
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
                Some(self.refused.next(dice).max(retry_after.unwrap_or_default()))
            }
            Failure::Unsent | Failure::Broken => {
                let delay = self.broken.next(dice);
                (spent.saturating_add(delay) < UNREACHABLE_FOR).then_some(delay)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            (status(409), vec![Repeatable]),
            (status(422), vec![]),
            (status(429), vec![Repeatable, Keyed, Unkeyed]),
            (status(500), vec![Repeatable, Keyed]),
            (status(502), vec![Repeatable, Keyed]),
            (status(503), vec![Repeatable, Keyed]),
            (Failure::Unsent, vec![Repeatable, Keyed, Unkeyed]),
            (Failure::Broken, vec![Repeatable, Keyed]),
        ] {
            for policy in [Repeatable, Keyed, Unkeyed, Once] {
                let again = Retry::new(policy).after(failure, Duration::ZERO, &mut Dice::new(1)).is_some();
                assert_eq!(again, repeated_by.contains(&policy), "{failure:?} under {policy:?}");
            }
        }
    }

    #[test]
    fn a_refusal_is_tried_three_times_more() {
        let mut retry = Retry::new(Policy::Repeatable);
        let tried = (0..10)
            .take_while(|_| retry.after(status(503), Duration::ZERO, &mut Dice::new(1)).is_some())
            .count();
        assert_eq!(tried, 3);
    }

    #[test]
    fn the_platforms_own_delay_is_obeyed_in_full() {
        let failure = Failure::Status { status: 429, retry_after: Some(Duration::from_secs(120)) };
        let delay = Retry::new(Policy::Unkeyed).after(failure, Duration::ZERO, &mut Dice::new(1));
        assert_eq!(delay, Some(Duration::from_secs(120)));
    }

    #[test]
    fn an_unreachable_platform_is_tried_for_half_a_minute() {
        let mut retry = Retry::new(Policy::Repeatable);
        let mut dice = Dice::new(7);
        let mut spent = Duration::ZERO;
        let mut tries = 0;
        while let Some(delay) = retry.after(Failure::Broken, spent, &mut dice) {
            assert!(delay <= MAX);
            spent += delay;
            tries += 1;
        }
        assert!(spent < UNREACHABLE_FOR, "{spent:?}");
        assert!(tries > 5, "{tries} tries");
    }
}
