//! Timers, one for each reason.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Deadline, Moment};

/// At most one deadline for each reason `K`, the earliest at hand. There may be one for each of many thousand
/// sockets or rooms: no step walks them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timers<K> {
    by_reason: BTreeMap<K, Moment>,
    by_moment: BTreeSet<(Moment, K)>,
}

impl<K> Default for Timers<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> Timers<K> {
    /// No timer.
    pub const fn new() -> Self {
        Self { by_reason: BTreeMap::new(), by_moment: BTreeSet::new() }
    }
}

impl<K: Copy + Ord> Timers<K> {
    /// Sets the timer of a reason, in place of an earlier one.
    pub fn set(&mut self, why: K, at: Moment) {
        if let Some(earlier) = self.by_reason.insert(why, at) {
            self.by_moment.remove(&(earlier, why));
        }
        self.by_moment.insert((at, why));
    }

    /// Clears the timer of a reason.
    pub fn clear(&mut self, why: K) {
        if let Some(at) = self.by_reason.remove(&why) {
            self.by_moment.remove(&(at, why));
        }
    }

    /// Clears all timers.
    pub fn clear_all(&mut self) {
        self.by_reason.clear();
        self.by_moment.clear();
    }

    /// When the timer of a reason is due.
    pub fn get(&self, why: K) -> Option<Moment> {
        self.by_reason.get(&why).copied()
    }

    /// The earliest timer; of equal ones the first reason in order.
    pub fn next(&self) -> Option<Deadline<K>> {
        self.by_moment.first().map(|(at, why)| Deadline { at: *at, why: *why })
    }

    /// Takes the earliest timer that is not after `now`.
    pub fn take_due(&mut self, now: Moment) -> Option<K> {
        let due = self.next().filter(|due| due.at <= now)?;
        self.clear(due.why);
        Some(due.why)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::cmp::Ordering;
    use std::time::Duration;

    use super::*;

    fn at(secs: u64) -> Moment {
        Moment::at(Duration::from_secs(secs))
    }

    #[test]
    fn due_timers_come_earliest_first_and_only_once() {
        let mut timers = Timers::new();
        timers.set('b', at(2));
        timers.set('a', at(2));
        timers.set('c', at(1));
        timers.set('d', at(9));
        assert_eq!(timers.next(), Some(Deadline { at: at(1), why: 'c' }));
        let due: Vec<char> = std::iter::from_fn(|| timers.take_due(at(2))).collect();
        assert_eq!(due, ['c', 'a', 'b']);
        assert_eq!(timers.next(), Some(Deadline { at: at(9), why: 'd' }));
    }

    #[test]
    fn a_timer_that_is_set_again_or_cleared_is_not_due_at_its_old_time() {
        let mut timers = Timers::new();
        timers.set('a', at(1));
        timers.set('b', at(2));
        timers.set('c', at(3));
        timers.set('a', at(5));
        timers.clear('c');
        assert_eq!(timers.get('a'), Some(at(5)));
        assert_eq!(timers.get('c'), None);
        assert_eq!(timers.take_due(at(1)), None);
        let due: Vec<char> = std::iter::from_fn(|| timers.take_due(at(9))).collect();
        assert_eq!(due, ['b', 'a']);
        assert_eq!(timers, Timers::new());
    }

    thread_local! {
        static COMPARED: Cell<u64> = const { Cell::new(0) };
    }

    /// A reason that counts how often it is looked at.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    struct Counted(u64);

    impl PartialOrd for Counted {
        fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
            Some(self.cmp(other))
        }
    }

    impl Ord for Counted {
        fn cmp(&self, other: &Self) -> Ordering {
            COMPARED.set(COMPARED.get() + 1);
            self.0.cmp(&other.0)
        }
    }

    #[test]
    fn a_storm_of_ten_thousand_timers_walks_none_of_the_others() {
        const STORM: u64 = 10_000;
        let mut timers = Timers::new();
        for socket in 0..STORM {
            timers.set(Counted(socket), at(socket % 7));
            assert!(timers.next().is_some());
        }
        let due = std::iter::from_fn(|| timers.take_due(at(7))).count() as u64;
        assert_eq!(due, STORM);
        // A walk would look at all the others: ten thousand each time.
        let each = COMPARED.get() / STORM;
        assert!(each < 300, "{each} comparisons for each timer");
    }
}
