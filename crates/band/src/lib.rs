//! The Band SDK: connects any agent to Band, cloud or self-hosted.

mod error;
pub mod rest;
mod retry_after;
mod tls;

pub use error::{ApiError, ConnectionError, Error, Result};

/// A seed for jitter: unlike from process to process.
fn seed() -> u64 {
    let (high, low) = uuid::Uuid::new_v4().as_u64_pair();
    high ^ low
}
