//! Which fault comes when.

use std::time::Duration;

use band_core::backoff::Dice;
use tokio::time::{Instant, sleep_until};

use crate::weather::{FaultyNetwork, Weather};

/// Fair weather lasts between these, in milliseconds.
const FAIR: (u64, u64) = (1_000, 5_000);

/// Fair and foul weather by turns.
#[derive(Debug)]
pub(super) struct Changes {
    dice: Dice,
    at: Instant,
    foul: bool,
    faults: u32,
}

impl Changes {
    pub(super) fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed), at: Instant::now(), foul: true, faults: 0 }
    }

    /// Faults until now.
    pub(super) const fn faults(&self) -> u32 {
        self.faults
    }

    /// Waits for the next change and makes it. May be dropped and called again.
    pub(super) async fn next(&mut self, network: &FaultyNetwork) {
        sleep_until(self.at).await;
        let lasts = if self.foul {
            network.set(Weather::Fair);
            self.between(FAIR)
        } else {
            self.faults += 1;
            self.spoil(network)
        };
        self.foul = !self.foul;
        self.at = Instant::now() + lasts;
    }

    /// One fault, and how long it lasts.
    fn spoil(&mut self, network: &FaultyNetwork) -> Duration {
        match self.below(8) {
            0..=2 => {
                network.reset();
                Duration::ZERO
            }
            3 | 4 => {
                network.set(Weather::Closed);
                self.between((200, 3_000))
            }
            5 => {
                network.set(Weather::Silent);
                self.between((200, 4_000))
            }
            6 => {
                // Longer than a heartbeat that is not answered may take.
                network.set(Weather::Silent);
                self.between((12_000, 15_000))
            }
            _ => {
                let each = self.between((20, 200));
                network.set(Weather::Slow(each));
                self.between((1_000, 3_000))
            }
        }
    }

    fn between(&mut self, (least, most): (u64, u64)) -> Duration {
        Duration::from_millis(least + self.below(most - least))
    }

    const fn below(&mut self, most: u64) -> u64 {
        self.dice.roll() % most
    }
}
