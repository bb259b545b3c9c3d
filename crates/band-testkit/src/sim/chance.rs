//! Seeded choices.

use std::time::Duration;

use band_core::backoff::Dice;

/// Draws of one stream. Streams that are forked do not disturb each other.
#[derive(Debug, Clone)]
pub(crate) struct Chance(Dice);

impl Chance {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(Dice::new(seed))
    }

    /// A stream of its own.
    pub(crate) const fn fork(&mut self) -> Self {
        Self::new(self.0.roll())
    }

    pub(crate) const fn roll(&mut self) -> u64 {
        self.0.roll()
    }

    /// Below a bound that is not zero; zero for a bound of zero.
    pub(crate) const fn below(&mut self, bound: u64) -> u64 {
        match self.roll().checked_rem(bound) {
            Some(rest) => rest,
            None => 0,
        }
    }

    /// An index into something of this length.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or_default()
    }

    /// So many times out of a thousand. Draws nothing for never, so that a calm network has no stream.
    pub(crate) const fn permille(&mut self, times: u64) -> bool {
        times > 0 && self.below(1000) < times
    }

    pub(crate) const fn millis(&mut self, least: u64, most: u64) -> Duration {
        Duration::from_millis(least + self.below(most.saturating_sub(least) + 1))
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T], otherwise: T) -> T {
        from.get(self.index(from.len())).copied().unwrap_or(otherwise)
    }
}
