//! Monotonic time as the machines see it.

use std::fmt;
use std::ops::Add;
use std::time::Duration;

/// A point on a monotonic clock: the time since an origin that the shell chose.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(Duration);

impl Moment {
    /// The origin.
    pub const ZERO: Self = Self(Duration::ZERO);

    /// This long after the origin.
    pub const fn at(since_origin: Duration) -> Self {
        Self(since_origin)
    }

    /// The time since the origin.
    pub const fn since_origin(self) -> Duration {
        self.0
    }

    /// How long after `earlier` this is; zero when it is not.
    pub const fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, more: Duration) -> Self {
        Self(self.0.saturating_add(more))
    }
}

impl fmt::Debug for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{:?}", self.0)
    }
}
