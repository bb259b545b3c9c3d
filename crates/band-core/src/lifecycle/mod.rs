//! The life of an agent and of what it uses: who may start, and what is still to be cleaned up.

mod ownership;

pub use ownership::{HostId, Ownership, Refused};
