//! When the platform is asked again although nothing seems to be missing.

use std::time::Duration;

use super::config::RoomConfig;
use crate::Moment;
use crate::backoff::Dice;

/// The resync schedule of a room.
///
/// | event | interval | due |
/// |---|---|---|
/// | start | base | now + uniform(0, base) |
/// | a turn starts, stop, play | base, or the interval of stopped rooms | the earlier of due and now + interval |
/// | a pass found nothing | doubled, up to the maximum | if it has come: now + interval |
/// | a pass found something | base | if it has come: now + interval |
/// | a pass in a stopped room | the interval of stopped rooms | if it has come: now + interval |
///
/// Traffic never postpones it.
#[derive(Debug)]
pub(super) struct Schedule {
    base: Duration,
    most: Duration,
    stopped: Duration,
    interval: Duration,
    due: Moment,
}

impl Schedule {
    pub(super) fn start(config: &RoomConfig, now: Moment, dice: &mut Dice) -> Self {
        let base = config.resync;
        let most = base.max(config.resync_max);
        Self { base, most, stopped: config.resync_stopped, interval: base, due: now + dice.up_to(base) }
    }

    pub(super) const fn due(&self) -> Moment {
        self.due
    }

    /// A turn starts, or the room is stopped or resumed.
    pub(super) fn hurry(&mut self, now: Moment, is_stopped: bool) {
        self.interval = if is_stopped { self.stopped } else { self.base };
        self.due = self.due.min(now + self.interval);
    }

    /// A pass is over.
    pub(super) fn passed(&mut self, now: Moment, is_stopped: bool, found: bool) {
        self.interval = match (is_stopped, found) {
            (true, _) => self.stopped,
            (false, true) => self.base,
            (false, false) => self.interval.saturating_mul(2).min(self.most),
        };
        if self.due <= now {
            self.due = now + self.interval;
        }
    }
}

#[cfg(test)]
mod tests {
    use band_wire::Id;
    use uuid::Uuid;

    use super::*;

    fn at(secs: u64) -> Moment {
        Moment::at(Duration::from_secs(secs))
    }

    fn schedule() -> Schedule {
        let config =
            RoomConfig { resync_stopped: Duration::from_secs(20), ..RoomConfig::new(Id::new(Uuid::nil())) };
        Schedule::start(&config, at(0), &mut Dice::new(7))
    }

    #[test]
    fn the_first_check_is_spread_and_later_ones_grow_while_nothing_is_found() {
        let mut schedule = schedule();
        assert!(schedule.due() <= at(60));
        let mut now = schedule.due();
        for wait in [120, 120] {
            schedule.passed(now, false, false);
            assert_eq!(schedule.due().since(now).as_secs(), wait);
            now = schedule.due();
        }
        schedule.passed(now, false, true);
        assert_eq!(schedule.due().since(now).as_secs(), 60);
    }

    #[test]
    fn neither_traffic_nor_an_early_pass_postpones_it() {
        let mut schedule = schedule();
        let due = schedule.due();
        schedule.hurry(at(0), false);
        schedule.passed(at(0), false, true);
        assert_eq!(schedule.due(), due);
        schedule.passed(due, false, false);
        schedule.hurry(due, false);
        assert_eq!(schedule.due().since(due).as_secs(), 60, "a turn brings it nearer");
    }

    #[test]
    fn a_stopped_room_is_looked_at_at_a_fixed_pace() {
        let mut schedule = schedule();
        let due = schedule.due();
        for _ in 0..3 {
            schedule.passed(due, true, false);
            assert_eq!(schedule.due().since(due).as_secs(), 20);
        }
    }
}
