//! When to try again, and when to give up.
//!
//! | Loss | Next attempt |
//! |---|---|
//! | any, after a session that lasted | at once |
//! | any further one | full jitter, growing to 5 s; never given up by count |
//! | 429, 503, a supersede that may be retried | not before the platform's own delay is over |
//! | 400, 401, 403, 409, never connected before | none: the link ends |
//! | 400, 401, 403, 409 on a reconnect | as any; the third in a row, 30 s or more after the first, ends the link |
//! | a supersede that may be retried, or quick closes with 1000 or 1001 from the third on | a hold-down |
//!
//! The hold-down keeps two processes that run the same agent from evicting each other in turn for ever at
//! full speed: each time it happens again the one that lost waits longer.

use std::time::Duration;

use crate::Moment;
use crate::backoff::{Backoff, Dice};

use super::close::{self, Eviction};
use super::event::Disconnect;
use super::limits::{REFUSALS, REFUSALS_OVER, RETRY_BASE, RETRY_MAX, STABLE_AFTER};
use super::stop::StopReason;

/// The n-th eviction in a row holds the link down for this many seconds at least; the last for all further.
const HOLD_DOWN: [u64; 8] = [1, 5, 10, 20, 30, 40, 50, 60];
/// Quick closes that nobody explained are taken for evictions from this one on.
const SUSPICIOUS: u32 = 3;

/// What follows a loss.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Next {
    /// Another attempt after this delay.
    Retry(Duration),
    /// The end.
    Stop(StopReason),
}

/// Refusals in a row that would each have ended a first connect.
#[derive(Debug, Clone, Copy)]
struct Refusals {
    first: Moment,
    count: u32,
}

#[derive(Debug)]
pub(super) struct Session {
    dice: Dice,
    backoff: Backoff,
    /// Whether any upgrade was ever accepted.
    opened_before: bool,
    /// Whether `agent_control` was ever joined.
    controlled_before: bool,
    /// Whether the link was ever connected.
    connected_before: bool,
    /// When the socket of now was opened.
    opened_at: Option<Moment>,
    refusals: Option<Refusals>,
    evictions: u32,
    last_hold: Duration,
}

impl Session {
    pub(super) const fn new(seed: u64) -> Self {
        Self {
            dice: Dice::new(seed),
            backoff: Backoff::new(RETRY_BASE, RETRY_MAX).at_once(),
            opened_before: false,
            controlled_before: false,
            connected_before: false,
            opened_at: None,
            refusals: None,
            evictions: 0,
            last_hold: Duration::ZERO,
        }
    }

    pub(super) const fn opened_before(&self) -> bool {
        self.opened_before
    }

    pub(super) const fn controlled_before(&self) -> bool {
        self.controlled_before
    }

    pub(super) const fn dice(&mut self) -> &mut Dice {
        &mut self.dice
    }

    pub(super) const fn opened(&mut self, now: Moment) {
        self.opened_before = true;
        self.opened_at = Some(now);
        self.refusals = None;
    }

    pub(super) const fn controlled(&mut self) {
        self.controlled_before = true;
    }

    /// Gives whether this is a reconnect.
    pub(super) const fn connected(&mut self) -> bool {
        std::mem::replace(&mut self.connected_before, true)
    }

    /// Decides what follows the loss of a socket, or a failed attempt at one.
    pub(super) fn lost(&mut self, now: Moment, reason: &Disconnect) -> Next {
        if let Some(end) = self.refused(now, reason) {
            return Next::Stop(end);
        }
        let lasted = self.opened_at.take().map(|since| now.since(since));
        let hold = self.hold_down(lasted, reason);
        if lasted.is_some_and(|lasted| lasted >= STABLE_AFTER) {
            self.backoff.reset();
        }
        let demanded = match reason {
            Disconnect::Refused(refusal) => refusal.retry_after,
            Disconnect::Superseded { retry_after, .. } => *retry_after,
            _ => None,
        };
        Next::Retry(self.backoff.next(&mut self.dice).max(hold).max(demanded.unwrap_or_default()))
    }

    fn refused(&mut self, now: Moment, reason: &Disconnect) -> Option<StopReason> {
        let end = match reason {
            Disconnect::Refused(refusal) => close::terminal(refusal),
            _ => None,
        };
        let Some(end) = end else {
            self.refusals = None;
            return None;
        };
        if !self.opened_before {
            return Some(end);
        }
        let refusals = self.refusals.get_or_insert(Refusals { first: now, count: 0 });
        refusals.count = refusals.count.saturating_add(1);
        let enough = refusals.count >= REFUSALS && now.since(refusals.first) >= REFUSALS_OVER;
        enough.then_some(end)
    }

    fn hold_down(&mut self, lasted: Option<Duration>, reason: &Disconnect) -> Duration {
        let Some(lasted) = lasted else { return Duration::ZERO };
        let quick = lasted < STABLE_AFTER.max(self.last_hold.saturating_mul(2));
        let eviction = close::eviction(reason);
        if !quick {
            self.evictions = 0;
            self.last_hold = Duration::ZERO;
        }
        let held = match eviction {
            Eviction::Told => true,
            Eviction::Maybe if quick => self.evictions.saturating_add(1) >= SUSPICIOUS,
            Eviction::Maybe | Eviction::No => return Duration::ZERO,
        };
        let step = usize::try_from(self.evictions).unwrap_or(usize::MAX).min(HOLD_DOWN.len() - 1);
        self.evictions = self.evictions.saturating_add(1);
        if !held {
            return Duration::ZERO;
        }
        let floor = Duration::from_secs(HOLD_DOWN.get(step).copied().unwrap_or(60));
        // Half as much again at random: two peers must not wait in step.
        self.last_hold = floor + self.dice.up_to(floor / 2);
        self.last_hold
    }
}

#[cfg(test)]
mod tests {
    use super::super::stop::Refusal;
    use super::*;

    fn at(secs: u64) -> Moment {
        Moment::at(Duration::from_secs(secs))
    }

    fn closed(code: u16) -> Disconnect {
        Disconnect::Closed { code: Some(code), reason: String::new() }
    }

    fn delay(next: &Next) -> Duration {
        match next {
            Next::Retry(delay) => *delay,
            Next::Stop(reason) => panic!("ended: {reason}"),
        }
    }

    /// A session that was open from `from` to `to` and then lost.
    fn drop_after(session: &mut Session, from: u64, to: u64, reason: &Disconnect) -> Duration {
        session.opened(at(from));
        session.connected();
        delay(&session.lost(at(to), reason))
    }

    #[test]
    fn the_first_retry_is_at_once_and_later_ones_grow_to_five_seconds() {
        let mut session = Session::new(3);
        let mut longest = Duration::ZERO;
        for attempt in 0..1_000_u64 {
            let next = delay(&session.lost(at(attempt), &Disconnect::Unreachable(String::new())));
            if attempt == 0 {
                assert_eq!(next, Duration::ZERO);
            }
            let doublings = u32::try_from(attempt.saturating_sub(1)).unwrap().min(8);
            assert!(
                next <= (RETRY_BASE * 2_u32.pow(doublings)).min(RETRY_MAX),
                "attempt {attempt}: {next:?}"
            );
            longest = longest.max(next);
        }
        assert!(longest > RETRY_MAX / 2, "{longest:?}");
    }

    #[test]
    fn a_session_that_lasted_makes_the_next_retry_at_once_again() {
        let mut session = Session::new(3);
        for _ in 0..20 {
            session.lost(at(0), &Disconnect::Broken(String::new()));
        }
        assert_eq!(drop_after(&mut session, 10, 20, &Disconnect::Dead), Duration::ZERO);
    }

    #[test]
    fn four_statuses_end_a_first_connect_at_once() {
        for status in [400, 401, 403, 409] {
            let next = Session::new(1).lost(at(0), &Disconnect::Refused(Refusal::status(status)));
            assert!(matches!(next, Next::Stop(_)), "{status}");
        }
        for status in [302, 404, 408, 429, 500, 502, 503] {
            let next = Session::new(1).lost(at(0), &Disconnect::Refused(Refusal::status(status)));
            assert!(matches!(next, Next::Retry(_)), "{status}");
        }
    }

    #[test]
    fn on_a_reconnect_refusals_end_the_link_when_three_in_a_row_span_half_a_minute() {
        let forbidden = Disconnect::Refused(Refusal::status(403));
        // (moments of refusals, whether the last ends the link)
        for (moments, ends) in [
            (vec![0, 1], false),
            (vec![0, 40], false),
            (vec![0, 1, 2, 3, 4], false),
            (vec![0, 1, 30], true),
            (vec![0, 1, 2, 29], false),
            (vec![0, 29, 31], true),
        ] {
            let mut session = Session::new(1);
            drop_after(&mut session, 0, 0, &Disconnect::Dead);
            let ended = moments.iter().map(|secs| session.lost(at(*secs), &forbidden)).last();
            assert_eq!(matches!(ended, Some(Next::Stop(StopReason::Forbidden(_)))), ends, "{moments:?}");
        }
    }

    #[test]
    fn another_failure_breaks_the_row_of_refusals() {
        let forbidden = Disconnect::Refused(Refusal::status(403));
        let mut session = Session::new(1);
        drop_after(&mut session, 0, 0, &Disconnect::Dead);
        for secs in [0, 20, 40] {
            assert!(matches!(session.lost(at(secs), &forbidden), Next::Retry(_)));
            assert!(matches!(session.lost(at(secs + 10), &Disconnect::OpenTimedOut), Next::Retry(_)));
        }
    }

    #[test]
    fn the_platforms_delay_is_obeyed_in_full() {
        for status in [429, 503] {
            let refusal = Refusal { retry_after: Some(Duration::from_secs(600)), ..Refusal::status(status) };
            let next = Session::new(1).lost(at(0), &Disconnect::Refused(refusal));
            assert_eq!(delay(&next), Duration::from_secs(600));
        }
        let superseded =
            Disconnect::Superseded { message: String::new(), retry_after: Some(Duration::from_secs(90)) };
        assert_eq!(drop_after(&mut Session::new(1), 0, 1, &superseded), Duration::from_secs(90));
    }

    #[test]
    fn peers_that_are_told_of_their_evictions_wait_longer_each_time() {
        let mut session = Session::new(1);
        let superseded = Disconnect::Superseded { message: String::new(), retry_after: None };
        for floor in [1, 5, 10, 20, 30, 40, 50, 60, 60, 60] {
            let held = drop_after(&mut session, 0, 1, &superseded);
            let floor = Duration::from_secs(floor);
            assert!(held >= floor && held <= floor * 3 / 2 + RETRY_MAX, "{floor:?}: {held:?}");
        }
    }

    #[test]
    fn quick_closes_without_a_word_hold_down_from_the_third_on() {
        for code in [1000, 1001] {
            let mut session = Session::new(1);
            for _ in 0..2 {
                assert!(drop_after(&mut session, 0, 1, &closed(code)) <= RETRY_MAX);
            }
            assert!(drop_after(&mut session, 0, 1, &closed(code)) >= Duration::from_secs(10));
        }
    }

    #[test]
    fn a_restarting_platform_never_causes_a_hold_down() {
        for reason in [closed(1011), closed(1012), closed(1013), Disconnect::Broken(String::new())] {
            let mut session = Session::new(1);
            for _ in 0..20 {
                assert!(drop_after(&mut session, 0, 1, &reason) <= RETRY_MAX);
            }
        }
    }

    #[test]
    fn closes_after_long_sessions_never_cause_a_hold_down() {
        let mut session = Session::new(1);
        for _ in 0..20 {
            assert_eq!(drop_after(&mut session, 0, 60, &closed(1001)), Duration::ZERO);
        }
    }
}
