//! A simulator: the real agents on a simulated network, clock and disk, against the platform's real rules.
//!
//! Everything that happens follows from a seed: who says what, what the network does, which processes die and
//! when. While a simulation runs, and when it has come to rest, [`check`] looks whether what must hold does.
//!
//! | part | real | simulated |
//! | --- | --- | --- |
//! | agent | `band::Agent` with all its tasks and machines | its clock, its randomness |
//! | platform | the plans, the hub and the indicator of `band-core`, the types of `band-wire` | its store: maps |
//! | network | WebSocket and frames | the bytes' way, requests and answers |
//! | journal | all but the file | the disk: a power cut takes what was not synced |
//!
//! One simulation is one thread with one tokio runtime whose clock is paused: it jumps from one deadline to
//! the next. The same seed gives the same run, to the last line of its trace.

mod cable;
mod chance;
mod check;
mod disk;
mod performer;
mod platform;
mod process;
mod rest;
mod run;
mod scenario;
mod shrink;
mod socket;
mod stage;
mod sweep;
mod watch;
mod world;

pub use band_core::trial::Fault;
pub use run::{Choice, Report, replay};
pub use shrink::shrink;
pub use sweep::{Finding, sweep};
