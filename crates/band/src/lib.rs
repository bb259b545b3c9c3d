//! The Band SDK: connects any agent to Band, cloud or self-hosted.

mod adapter;
mod agent;
mod alarm;
pub mod config;
pub mod contacts;
pub mod decisions;
mod error;
pub mod health;
mod history;
pub mod host;
pub mod journal;
pub mod link;
mod lock;
pub mod logging;
pub mod metrics;
pub mod oneshot;
#[cfg(feature = "otel")]
pub mod otel;
mod preprocess;
pub mod presence;
pub mod prompt;
pub mod rest;
mod retry_after;
mod runtime;
#[doc(hidden)]
pub mod sim;
mod sync;
pub mod testing;
mod tls;
pub mod tools;
mod turn;

pub use adapter::{
    AdapterError, AdapterErrorKind, AdapterFn, AdapterResult, BackendTurns, BoxedAdapter, Capabilities,
    Capability, Choices, ControlMessage, Delivery, EffectiveFeatures, Emit, Emits, Features,
    FrameworkAdapter, Identity, InterruptMode, MessageStream, ModelCatalog, ModelChoice, ModelSelection,
    PlatformConnection, ReleaseCause, Residency, Resource, ResourceLease, SimpleAdapter, StopsTurns,
    StreamAdapter, Supported, adapter_fn, message_stream,
};
pub use agent::{
    Agent, AgentBuilder, CleanupFailure, CleanupIncomplete, CleanupPhase, Cleanups, GracefulShutdown,
    Running, ShutdownSignal, Stopped, run_with_graceful_shutdown,
};
pub use band_core::room::Member;
pub use band_core::transcript;
pub use config::{AgentConfig, Endpoints, SessionConfig};
pub use error::{ApiError, ConnectionError, DeliveryError, Error, Result};
pub use history::{HistoryConverter, HistoryItem, RawHistory, Role};
pub use preprocess::{DefaultPreprocessor, Preprocessor, RoomContext};
pub use turn::{AgentFailure, AgentInput, Detached, IncomingMessage, Turn, Usage};

/// What this SDK calls itself at both doors.
const USER_AGENT: &str = concat!("band-rust/", env!("CARGO_PKG_VERSION"));

/// A seed for jitter: unlike from process to process.
fn seed() -> u64 {
    let (high, low) = uuid::Uuid::new_v4().as_u64_pair();
    high ^ low
}

/// The example of the README is compiled with the others.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
