//! What all providers have in common: how they are asked, how they answer, and how they fail.

#[cfg(feature = "provider")]
mod endpoint;
mod failure;
#[cfg(feature = "provider")]
mod http;
#[cfg(feature = "provider")]
mod retry;
#[cfg(feature = "provider")]
mod service;
#[cfg(feature = "provider")]
mod sse;

#[cfg(feature = "provider")]
pub(crate) use endpoint::{Gather, Refusal};
pub(crate) use failure::word;
pub use failure::{FailureKind, ProviderFailure};
#[cfg(feature = "provider")]
pub(crate) use service::{Service, provider_settings};
#[cfg(feature = "provider")]
pub(crate) use sse::SseEvent;
