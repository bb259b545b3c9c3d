//! What adapters are tested with, without a platform.

mod fake_tools;

pub use fake_tools::{FakeTools, Sent, SentEvent};
