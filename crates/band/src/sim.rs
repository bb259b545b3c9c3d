//! What a simulator puts in place of the world. No promise is made about any of it.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use band_core::backoff::Dice;
use jiff::Timestamp;
use uuid::Uuid;

use crate::journal::Disk;
use crate::rest::{Gates, Transport};

pub use crate::link::dial::{ByteStream, Dial, Dialled, Endpoint, Stream};

/// The world as an agent meets it. What is none is the real thing.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Seams {
    /// Opens the byte streams that sockets run on.
    pub dialer: Option<Arc<dyn Dial>>,
    /// Carries REST calls; a pool of connections of the agent's own when none.
    pub transport: Option<Arc<dyn Transport>>,
    /// Whom the agent waits with when a platform is busy; all of this process when none.
    pub gates: Option<Gates>,
    /// Where the journal is, in place of the state folder. With a disk of its own an agent takes no lock either.
    pub disk: Option<Arc<dyn Disk>>,
    /// Everything that is drawn by lot comes from it: jitter, and the ids that the agent makes up.
    pub seed: Option<u64>,
}

/// Lots and ids: from a seed where there is one, so that a run can be repeated. Cheap to clone; all clones
/// draw from one sequence.
#[derive(Clone)]
pub(crate) struct Chance(Option<Arc<AtomicU64>>);

impl Chance {
    pub(crate) fn new(seed: Option<u64>) -> Self {
        Self(seed.map(|seed| Arc::new(AtomicU64::new(Dice::new(seed).roll()))))
    }

    /// A seed for jitter.
    pub(crate) fn seed(&self) -> u64 {
        match &self.0 {
            Some(next) => Dice::new(next.fetch_add(1, Ordering::Relaxed)).roll(),
            None => crate::seed(),
        }
    }

    /// A new id.
    pub(crate) fn uuid(&self) -> Uuid {
        match &self.0 {
            Some(_) => Uuid::from_u64_pair(self.seed(), self.seed()),
            None => Uuid::now_v7(),
        }
    }

    /// The time of day: with a seed, so long after the epoch.
    pub(crate) fn timestamp(&self, since: Duration) -> Timestamp {
        match &self.0 {
            Some(_) => Timestamp::UNIX_EPOCH.saturating_add(since).unwrap_or(Timestamp::MAX),
            None => Timestamp::now(),
        }
    }
}

impl fmt::Debug for Chance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Chance(seeded)" } else { "Chance" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_lots_and_none_gives_others_each_time() {
        let draw = |seed| {
            let chance = Chance::new(seed);
            (chance.seed(), chance.clone().uuid(), chance.uuid())
        };
        assert_eq!(draw(Some(7)), draw(Some(7)));
        assert_ne!(draw(Some(7)), draw(Some(8)));
        let (_, one, other) = draw(Some(7));
        assert_ne!(one, other);
        assert_ne!(draw(None), draw(None));
        let day = |seed| Chance::new(seed).timestamp(Duration::from_secs(60));
        assert_eq!(day(Some(7)).as_second(), 60);
        assert!(day(None).as_second() > 60);
    }
}
