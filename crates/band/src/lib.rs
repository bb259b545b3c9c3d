//! The Band SDK: connects any agent to Band, cloud or self-hosted.

mod error;
pub mod link;
pub mod rest;
mod retry_after;
mod tls;

pub use error::{ApiError, ConnectionError, Error, Result};

/// What this SDK calls itself at both doors.
const USER_AGENT: &str = concat!("band-rust/", env!("CARGO_PKG_VERSION"));

/// A seed for jitter: unlike from process to process.
fn seed() -> u64 {
    let (high, low) = uuid::Uuid::new_v4().as_u64_pair();
    high ^ low
}
