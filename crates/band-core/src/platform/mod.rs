//! The rules of the platform, as plans: load facts, decide, and get writes and pushes, or a refusal.

pub mod hub;
mod principal;
mod push;
mod refusal;

pub use principal::Principal;
pub use push::{Audience, Push};
pub use refusal::Refusal;
