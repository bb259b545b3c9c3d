//! Whether and when a call is tried again: decided here, without a clock or a socket.

use std::time::Duration;

use band_core::backoff::{Backoff, Dice};
use band_core::trial::{self, Fault};

use crate::error::Error;

/// How often a refusal that may pass is tried again.
const RETRIES: u32 = 3;
/// For how long, counted from its start, a call with [`Patience::Long`] is tried again: longer than a platform needs
/// to start anew behind a proxy, migrations included, and not so long that a message which it can't ever take holds
/// up its room for good.
pub(super) const PATIENCE: Duration = Duration::from_secs(5 * 60);

/// How fast a call is tried again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// For how long, counted from the start of the call, a platform that can't be reached is tried again.
    pub(super) unreachable_for: Duration,
    /// For how long a call is tried again whose loss would be an answer's.
    pub(super) patience: Duration,
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
        patience: PATIENCE,
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
    /// A success whose body can't be read.
    Unreadable {
        /// It is no JSON at all: a page of something that stands before the platform, which has said nothing.
        is_foreign: bool,
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

/// For how long a call is worth trying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// Whoever asked can go on without, or asks again.
    Short,
    /// What it brings would be lost: for [`PATIENCE`], as long as its caller lives.
    Long,
}

impl Failure {
    /// Whether the platform can't have acted: nothing reached it, or it said that it took nothing. One that says
    /// when to come back has declined the request, and not failed in the middle of it.
    const fn is_harmless(self) -> bool {
        matches!(
            self,
            Self::Unsent
                | Self::Status { status: 429, .. }
                | Self::Status { status: 503, retry_after: Some(_) }
        )
    }
}

impl Policy {
    /// Whether a failure may be followed by another attempt, numbers aside.
    fn repeats(self, failure: Failure) -> bool {
        if trial::has(Fault::ConflictRetried) && matches!(failure, Failure::Status { status: 409, .. }) {
            return true;
        }
        let passing = match failure {
            Failure::Unsent | Failure::Broken | Failure::Unreadable { .. } => true,
            Failure::Status { status, .. } => matches!(status, 408 | 429 | 500..),
        };
        match self {
            Self::Repeatable | Self::Keyed => passing,
            Self::Unkeyed => failure.is_harmless(),
            Self::Once => false,
        }
    }
}

impl Policy {
    /// The error of a call that is not repeated: says so when it may have been carried out.
    pub(super) fn judge(self, failure: Failure, error: Error) -> Error {
        let unknown = matches!(failure, Failure::Broken | Failure::Status { status: 408 | 500.., .. });
        if self == Self::Unkeyed && unknown && !failure.is_harmless() {
            Error::Unconfirmed(Box::new(error))
        } else {
            error
        }
    }
}

/// The attempts of one call.
#[derive(Debug)]
pub(super) struct Retry {
    policy: Policy,
    /// For how long a platform that can't be reached is tried by any call.
    unreachable_for: Duration,
    /// For how long this call is tried, whatever fails. None: as long as any other.
    patience: Option<Duration>,
    refused: Backoff,
    broken: Backoff,
    is_waiting: bool,
}

impl Retry {
    pub(super) fn new(policy: Policy, patience: Patience, pace: Pace) -> Self {
        Self {
            policy,
            unreachable_for: pace.unreachable_for,
            patience: match patience {
                Patience::Long if !trial::has(Fault::SendGivenUp) => Some(pace.patience),
                Patience::Short | Patience::Long => None,
            },
            refused: Backoff::new(pace.refused_base, pace.max),
            broken: Backoff::new(pace.broken_base, pace.max),
            is_waiting: false,
        }
    }

    /// The delay before the next attempt, or none when the failure stands. `spent` is the time since the
    /// call began.
    pub(super) fn after(&mut self, failure: Failure, spent: Duration, dice: &mut Dice) -> Option<Duration> {
        if !self.policy.repeats(failure) {
            return None;
        }
        let (delay, is_ordinary) = match failure {
            Failure::Status { .. } | Failure::Unreadable { .. } => {
                let is_ordinary = self.refused.attempts() < RETRIES;
                let asked =
                    if let Failure::Status { retry_after, .. } = failure { retry_after } else { None };
                // Added, not the longer of the two: those that were refused together must not come back together.
                (self.refused.next(dice).saturating_add(asked.unwrap_or_default()), is_ordinary)
            }
            Failure::Unsent | Failure::Broken => {
                let delay = self.broken.next(dice);
                (delay, spent.saturating_add(delay) < self.unreachable_for)
            }
        };
        // What the platform itself says and nobody here can read does not become readable.
        let may_wait = !matches!(failure, Failure::Unreadable { is_foreign: false });
        let patience = self.patience.filter(|_| may_wait).unwrap_or_default();
        if !is_ordinary && spent.saturating_add(delay) >= patience {
            return None;
        }
        self.is_waiting |= !is_ordinary;
        Some(delay)
    }

    /// Whether the call is tried for longer than ordinary ones are.
    pub(super) const fn is_waiting(&self) -> bool {
        self.is_waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retry(policy: Policy) -> Retry {
        Retry::new(policy, Patience::Short, Pace::DEFAULT)
    }

    /// The attempts after the first one, and the time from the first to the last of them.
    fn tried(mut attempts: Retry, failure: Failure) -> (u32, Duration) {
        let mut dice = Dice::new(7);
        let (mut spent, mut tries) = (Duration::ZERO, 0);
        while let Some(delay) = attempts.after(failure, spent, &mut dice) {
            let asked = if let Failure::Status { retry_after, .. } = failure { retry_after } else { None };
            assert!(delay <= Pace::DEFAULT.max + asked.unwrap_or_default(), "{delay:?}");
            spent += delay;
            tries += 1;
        }
        (tries, spent)
    }

    const fn status(status: u16) -> Failure {
        Failure::Status { status, retry_after: None }
    }

    const fn asks(status: u16) -> Failure {
        Failure::Status { status, retry_after: Some(Duration::from_secs(2)) }
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
            (asks(503), vec![Repeatable, Keyed, Unkeyed]),
            (asks(502), vec![Repeatable, Keyed]),
            (Failure::Unreadable { is_foreign: true }, vec![Repeatable, Keyed]),
            (Failure::Unreadable { is_foreign: false }, vec![Repeatable, Keyed]),
        ] {
            for policy in [Repeatable, Keyed, Unkeyed, Once] {
                let again = retry(policy).after(failure, Duration::ZERO, &mut Dice::new(1)).is_some();
                assert_eq!(again, repeated_by.contains(&policy), "{failure:?} under {policy:?}");
            }
        }
    }

    #[test]
    fn a_refusal_is_tried_three_times_more() {
        for failure in [status(503), Failure::Unreadable { is_foreign: true }] {
            assert_eq!(tried(retry(Policy::Repeatable), failure).0, 3, "{failure:?}");
        }
    }

    #[test]
    fn what_would_be_lost_is_tried_for_as_long_as_a_platform_takes_to_start_anew() {
        let long = |policy| Retry::new(policy, Patience::Long, Pace::DEFAULT);
        for (policy, failures) in [
            (
                Policy::Keyed,
                vec![
                    status(408),
                    status(429),
                    status(500),
                    status(502),
                    status(503),
                    status(504),
                    Failure::Unreadable { is_foreign: true },
                    Failure::Unsent,
                    Failure::Broken,
                ],
            ),
            (Policy::Unkeyed, vec![status(429), asks(503), Failure::Unsent]),
        ] {
            for failure in failures {
                let (tries, spent) = tried(long(policy), failure);
                assert!(
                    spent > PATIENCE - Pace::DEFAULT.max * 2 && spent < PATIENCE,
                    "{failure:?}: {spent:?}"
                );
                assert!(tries < 400, "{tries} tries");
            }
        }
        assert_eq!(tried(long(Policy::Unkeyed), status(502)).0, 0, "it may have been stored");
        assert_eq!(tried(long(Policy::Keyed), Failure::Unreadable { is_foreign: false }).0, 3);
        // A platform that asks for more than that gets it, and a last word.
        let hour = Failure::Status { status: 429, retry_after: Some(Duration::from_secs(3600)) };
        assert_eq!(tried(long(Policy::Unkeyed), hour).0, 3);
    }

    #[test]
    fn it_waits_from_where_an_ordinary_call_would_have_given_up() {
        let mut dice = Dice::new(1);
        let mut attempts = Retry::new(Policy::Keyed, Patience::Long, Pace::DEFAULT);
        for _ in 0..3 {
            attempts.after(status(502), Duration::ZERO, &mut dice).unwrap();
            assert!(!attempts.is_waiting());
        }
        attempts.after(status(502), Duration::ZERO, &mut dice).unwrap();
        assert!(attempts.is_waiting());
        let mut attempts = Retry::new(Policy::Keyed, Patience::Long, Pace::DEFAULT);
        attempts.after(Failure::Unsent, Duration::ZERO, &mut dice).unwrap();
        assert!(!attempts.is_waiting());
        attempts.after(Failure::Unsent, Duration::from_secs(30), &mut dice).unwrap();
        assert!(attempts.is_waiting());
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
        let (tries, spent) = tried(retry(Policy::Repeatable), Failure::Broken);
        assert!(spent < Pace::DEFAULT.unreachable_for, "{spent:?}");
        assert!(tries > 5, "{tries} tries");
    }
}
