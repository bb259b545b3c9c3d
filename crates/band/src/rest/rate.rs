//! How fast a platform may be called: learnt from its refusals, without a clock or a socket.
//!
//! Until it refuses with 429, calls start as they come. A refusal closes the gate for as long as the platform
//! asks, and from then on calls start one after another, a little slower than the platform was seen to answer.
//! While it refuses no more, they become faster step by step, until nothing holds them up.

use std::time::Duration;

use band_core::Moment;

/// For how long a platform that does not say so is left alone after a refusal.
const CLOSED_FOR: Duration = Duration::from_secs(1);
/// The slowest pace: a call each fifth of a second.
const SLOWEST: Duration = Duration::from_millis(200);
/// A pace faster than this is none.
const FASTEST: Duration = Duration::from_millis(2);
/// After so long without a refusal the pace is raised by a half.
const RAISED_AFTER: Duration = Duration::from_secs(5);
/// Answers are counted in pieces of time of this length.
const SECOND: Duration = Duration::from_secs(1);

/// The pace of calls to one platform.
#[derive(Debug, Default)]
pub(super) struct Rate {
    closed_until: Option<Moment>,
    pace: Option<Pace>,
    answers: Answers,
}

/// Calls start one after another.
#[derive(Debug)]
struct Pace {
    gap: Duration,
    /// When the next one may start.
    next: Moment,
    /// When it is raised.
    raised_at: Moment,
}

/// How many answers there were lately.
#[derive(Debug, Default)]
struct Answers {
    since: Moment,
    count: u32,
    /// In the second before that.
    before: u32,
}

impl Rate {
    /// Whether calls have to wait for each other.
    pub(super) fn is_limited(&self, now: Moment) -> bool {
        self.pace.is_some() || self.closed_until.is_some_and(|until| until > now)
    }

    /// A call wants to start. If it may not yet, gives when to ask again.
    pub(super) fn start(&mut self, now: Moment) -> Result<(), Moment> {
        if let Some(until) = self.closed_until.filter(|until| *until > now) {
            return Err(until);
        }
        let Some(pace) = &mut self.pace else { return Ok(()) };
        if pace.next > now {
            return Err(pace.next);
        }
        if pace.raised_at <= now {
            pace.raised_at = now + RAISED_AFTER;
            pace.gap = pace.gap * 2 / 3;
            if pace.gap < FASTEST {
                self.pace = None;
                return Ok(());
            }
        }
        pace.next = now + pace.gap;
        Ok(())
    }

    /// The platform has answered with anything but a refusal of this kind.
    pub(super) fn answered(&mut self, now: Moment) {
        self.answers.roll(now);
        self.answers.count = self.answers.count.saturating_add(1);
    }

    /// The platform wants fewer calls. Whether they were free to start until now.
    pub(super) fn limited(&mut self, now: Moment, wait: Option<Duration>) -> bool {
        let until = now + wait.unwrap_or(CLOSED_FOR);
        let was_closed = self.closed_until.replace(self.closed_until.map_or(until, |known| known.max(until)));
        // Of calls that were refused together only the first one says something about the pace.
        if was_closed.is_some_and(|until| until > now) {
            if let Some(pace) = &mut self.pace {
                pace.raised_at = pace.raised_at.max(until + RAISED_AFTER);
            }
            return false;
        }
        let seen = self.answers.in_last_second(now);
        // Nine tenths of what was seen.
        let gap = SECOND.saturating_mul(10).checked_div(seen.saturating_mul(9)).unwrap_or(SLOWEST);
        let before = self.pace.as_ref().map(|pace| pace.gap).unwrap_or_default();
        let gap = gap.max(before).max(FASTEST).min(SLOWEST);
        self.pace = Some(Pace { gap, next: until, raised_at: until + RAISED_AFTER });
        true
    }
}

impl Answers {
    fn roll(&mut self, now: Moment) {
        let age = now.since(self.since);
        if age >= SECOND {
            self.before = if age < SECOND * 2 { self.count } else { 0 };
            self.count = 0;
            self.since = if age < SECOND * 2 { self.since + SECOND } else { now };
        }
    }

    fn in_last_second(&mut self, now: Moment) -> u32 {
        self.roll(now);
        let share = SECOND.saturating_sub(now.since(self.since)).as_millis();
        let before = u128::from(self.before) * share / SECOND.as_millis();
        self.count.saturating_add(u32::try_from(before).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Moment {
        Moment::at(Duration::from_millis(ms))
    }

    #[test]
    fn until_the_first_refusal_nothing_waits() {
        let mut rate = Rate::default();
        assert!((0..1_000).all(|_| rate.start(at(5)).is_ok()));
        assert!(!rate.is_limited(at(5)));
    }

    #[test]
    fn a_refusal_closes_for_as_long_as_the_platform_asks_and_a_shorter_one_does_not_open() {
        let mut rate = Rate::default();
        rate.limited(at(0), Some(Duration::from_secs(120)));
        rate.limited(at(10), Some(Duration::from_secs(1)));
        rate.limited(at(20), None);
        assert_eq!(rate.start(at(119_999)), Err(at(120_000)));
        assert_eq!(rate.start(at(120_000)), Ok(()));
        let mut unsaid = Rate::default();
        unsaid.limited(at(0), None);
        assert_eq!(unsaid.start(at(0)), Err(at(1_000)));
    }

    #[test]
    fn after_it_calls_start_a_little_slower_than_they_were_answered() {
        let mut rate = Rate::default();
        (0..20).for_each(|_| rate.answered(at(0)));
        rate.limited(at(0), Some(Duration::from_secs(1)));
        // 18 in a second.
        assert_eq!(rate.start(at(1_000)), Ok(()));
        let Err(next) = rate.start(at(1_000)) else { panic!("it has to wait") };
        assert!((at(1_055)..=at(1_056)).contains(&next), "{next:?}");
        assert_eq!(rate.start(next), Ok(()));
    }

    #[test]
    fn calls_that_were_refused_together_count_once() {
        let mut rate = Rate::default();
        (0..20).for_each(|_| rate.answered(at(0)));
        for ms in 0..80 {
            rate.limited(at(ms), Some(Duration::from_secs(1)));
        }
        assert_eq!(rate.start(at(1_079)), Ok(()));
        assert!(rate.start(at(1_079)).is_err_and(|next| next <= at(1_140)));
    }

    #[test]
    fn without_refusals_it_becomes_faster_until_nothing_waits() {
        let mut rate = Rate::default();
        rate.limited(at(0), None);
        let mut now = at(1_000);
        let mut starts = 0;
        while rate.is_limited(now) {
            match rate.start(now) {
                Ok(()) => starts += 1,
                Err(next) => now = next,
            }
        }
        assert!(starts > 500, "{starts}");
        assert!((at(40_000)..at(90_000)).contains(&now), "{now:?}");
    }

    #[test]
    fn answers_are_counted_over_the_last_second() {
        let mut answers = Answers::default();
        for ms in (0..3_000).step_by(10) {
            answers.roll(at(ms));
            answers.count += 1;
        }
        let seen = answers.in_last_second(at(3_000));
        assert!((98..=102).contains(&seen), "{seen}");
        assert_eq!(answers.in_last_second(at(9_000)), 0);
    }
}
