//! Who is to be tried again when.

use std::collections::{BTreeMap, BTreeSet};

use crate::Moment;

/// At most one moment for each of many keys, with the earliest at hand.
#[derive(Debug)]
pub(super) struct Retries<K> {
    by_key: BTreeMap<K, Moment>,
    by_moment: BTreeSet<(Moment, K)>,
}

impl<K: Copy + Ord> Retries<K> {
    pub(super) const fn new() -> Self {
        Self { by_key: BTreeMap::new(), by_moment: BTreeSet::new() }
    }

    pub(super) fn set(&mut self, key: K, at: Moment) {
        self.clear(key);
        self.by_key.insert(key, at);
        self.by_moment.insert((at, key));
    }

    pub(super) fn clear(&mut self, key: K) {
        if let Some(at) = self.by_key.remove(&key) {
            self.by_moment.remove(&(at, key));
        }
    }

    pub(super) fn clear_all(&mut self) {
        self.by_key.clear();
        self.by_moment.clear();
    }

    pub(super) fn next(&self) -> Option<Moment> {
        self.by_moment.first().map(|(at, _)| *at)
    }

    pub(super) fn take_due(&mut self, now: Moment) -> Option<K> {
        let (_, key) = *self.by_moment.first().filter(|(at, _)| *at <= now)?;
        self.clear(key);
        Some(key)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn each_key_is_due_once_and_the_earliest_first() {
        let at = |secs| Moment::at(Duration::from_secs(secs));
        let mut retries = Retries::new();
        retries.set('a', at(1));
        retries.set('b', at(2));
        retries.set('c', at(3));
        retries.set('a', at(5));
        retries.clear('c');
        assert_eq!(retries.next(), Some(at(2)));
        assert_eq!(retries.take_due(at(1)), None);
        assert_eq!(retries.take_due(at(9)), Some('b'));
        assert_eq!(retries.take_due(at(9)), Some('a'));
        assert_eq!(retries.take_due(at(9)), None);
    }
}
