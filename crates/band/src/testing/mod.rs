//! What adapters are tested with, without a platform.

mod fake_contacts;
mod fake_files;
mod fake_memory;
mod fake_tasks;
mod fake_tools;
mod probe;

pub use crate::agent::running_agents;
pub use fake_tools::{FakeTools, Sent, SentEvent};
pub use probe::{Cue, Doing, ProbeReport, ProbeSubject, TurnProbe};
