//! The hub: who is connected, who has joined what, and who gets a push.

mod readers;

pub use readers::{Everyone, Readers};
