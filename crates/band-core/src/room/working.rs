//! The working indicator: people see that the agent is at work. Nothing ever waits for it.

use super::io::CallId;
use crate::Moment;

/// What people are told. One report is on its way at a time, so that "not working" never overtakes "working".
/// Between two turns that follow each other at once nothing is told: the agent is still at work.
#[derive(Debug, Default)]
pub(super) struct Working {
    since: Option<Moment>,
    told: bool,
    flight: Option<(CallId, Told)>,
    repeat: bool,
    more: bool,
}

/// A report that was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) working: bool,
    /// How often a person had steered the agent by then.
    pub(super) steered: u64,
}

impl Working {
    pub(super) const fn start(&mut self, now: Moment) {
        self.since = Some(now);
        self.more = false;
    }

    /// The turn is over; there is more to do at once, or not.
    pub(super) const fn stop(&mut self, more: bool) {
        self.since = None;
        self.repeat = false;
        self.more = more;
    }

    /// What was to be done at once came to nothing.
    pub(super) const fn no_more(&mut self) {
        self.more = false;
    }

    /// Since when the agent has been at work.
    pub(super) const fn since(&self) -> Option<Moment> {
        self.since
    }

    /// The report to make now, if any.
    pub(super) const fn next(&self) -> Option<bool> {
        let wanted = self.since.is_some() || (self.more && self.told);
        if self.flight.is_none() && (wanted != self.told || self.repeat) { Some(wanted) } else { None }
    }

    pub(super) const fn sent(&mut self, call: CallId, working: bool, steered: u64) {
        self.flight = Some((call, Told { working, steered }));
        self.repeat = false;
    }

    /// Takes an answer; gives what had been reported, or none when it was not that report. A report that
    /// failed counts as made: the next repeat, or the platform's own limit, mends it.
    pub(super) fn answered(&mut self, call: CallId) -> Option<Told> {
        let (_, told) = self.flight.take_if(|(flight, _)| *flight == call)?;
        self.told = told.working;
        Some(told)
    }

    /// It is time to say it again.
    pub(super) const fn repeat(&mut self) {
        self.repeat = self.since.is_some();
    }

    /// Whether everything is said.
    pub(super) const fn is_quiet(&self) -> bool {
        self.flight.is_none() && !self.told && self.since.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn not_working_follows_working_and_never_overlaps_it() {
        let mut working = Working::default();
        assert_eq!(working.next(), None);
        working.start(Moment::ZERO);
        assert_eq!(working.next(), Some(true));
        working.sent(CallId(1), true, 0);
        working.stop(false);
        assert_eq!(working.next(), None, "the first report is still on its way");
        assert_eq!(working.answered(CallId(9)), None);
        assert_eq!(working.answered(CallId(1)), Some(Told { working: true, steered: 0 }));
        assert_eq!(working.next(), Some(false));
        working.sent(CallId(2), false, 0);
        assert!(!working.is_quiet());
        assert_eq!(working.answered(CallId(2)), Some(Told { working: false, steered: 0 }));
        assert!(working.is_quiet());
    }

    #[test]
    fn it_is_repeated_while_at_work_only() {
        let mut working = Working::default();
        working.repeat();
        assert_eq!(working.next(), None);
        working.start(Moment::ZERO);
        working.sent(CallId(1), true, 0);
        working.answered(CallId(1));
        assert_eq!(working.next(), None);
        working.repeat();
        assert_eq!(working.next(), Some(true));
        working.stop(false);
        assert_eq!(working.next(), Some(false));
    }

    #[test]
    fn nothing_is_told_between_turns_that_follow_each_other() {
        let mut working = Working::default();
        working.start(Moment::ZERO);
        working.sent(CallId(1), true, 0);
        working.answered(CallId(1));
        working.stop(true);
        assert_eq!(working.next(), None);
        working.start(Moment::ZERO);
        assert_eq!(working.next(), None);
        working.stop(true);
        working.no_more();
        assert_eq!(working.next(), Some(false));
    }

    #[test]
    fn trap_31_a_report_that_is_repeated_is_answered_before_another_is_made() {
        let mut working = Working::default();
        working.start(Moment::ZERO);
        working.sent(CallId(1), true, 0);
        working.answered(CallId(1));
        working.repeat();
        assert_eq!(working.next(), Some(true));
        working.sent(CallId(2), true, 0);
        working.repeat();
        assert_eq!(working.next(), None);
        working.stop(false);
        assert_eq!(working.next(), None, "idle must not overtake working");
        working.answered(CallId(2));
        assert_eq!(working.next(), Some(false));
    }
}
