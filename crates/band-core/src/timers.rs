//! A small table of timers, one for each reason.

use std::collections::BTreeMap;

use crate::{Deadline, Moment};

/// At most one deadline for each reason `K`. The tables are small, so a look-up walks them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timers<K>(BTreeMap<K, Moment>);

impl<K> Default for Timers<K> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<K: Copy + Ord> Timers<K> {
    /// No timer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the timer of a reason, in place of an earlier one.
    pub fn set(&mut self, why: K, at: Moment) {
        self.0.insert(why, at);
    }

    /// Clears the timer of a reason.
    pub fn clear(&mut self, why: K) {
        self.0.remove(&why);
    }

    /// When the timer of a reason is due.
    pub fn get(&self, why: K) -> Option<Moment> {
        self.0.get(&why).copied()
    }

    /// The earliest timer; of equal ones the first reason in order.
    pub fn next(&self) -> Option<Deadline<K>> {
        self.0.iter().min_by_key(|(why, at)| (**at, **why)).map(|(why, at)| Deadline { at: *at, why: *why })
    }

    /// Takes the earliest timer that is not after `now`.
    pub fn take_due(&mut self, now: Moment) -> Option<K> {
        let due = self.next().filter(|due| due.at <= now)?;
        self.0.remove(&due.why);
        Some(due.why)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn due_timers_come_earliest_first_and_only_once() {
        let at = |secs| Moment::at(Duration::from_secs(secs));
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
}
