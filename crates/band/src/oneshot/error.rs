//! What can go wrong with one event.

use band_wire::event::ValidationError;

use crate::adapter::AdapterError;
use crate::error::Error;

/// Why an event was not handled, or a host not started or shut down.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OneShotError {
    /// The envelope does not fit; nothing was asked of the platform.
    #[error(transparent)]
    Envelope(#[from] ValidationError),
    /// The envelope is another agent's.
    #[error("the event is for agent {given:?}, and this host runs agent {own}")]
    AnotherAgent {
        /// Whose event it is.
        given: String,
        /// Who this is.
        own: band_wire::AgentId,
    },
    /// There was no start, or a shutdown since.
    #[error("OneShotInvoker.startup() not called, or shut down")]
    NotStarted,
    /// A shutdown came while the start was under way.
    #[error("OneShotInvoker shut down during startup")]
    ShutDownDuringStartup,
    /// An earlier shutdown left something to clean up.
    #[error("OneShotInvoker cleanup is incomplete; call shutdown() to retry it")]
    CleanupPending,
    /// This shutdown could not clean up everything: what is named here.
    #[error("{0}; OneShotInvoker cleanup is incomplete; retain this host and call shutdown() to retry")]
    CleanupIncomplete(String),
    /// A handler asked for the shutdown that would wait for it.
    #[error("OneShotInvoker shutdown waits for the calling event to finish")]
    InsideEvent,
    /// The platform did not let the message be claimed. It is served again.
    #[error("Platform refused message claim")]
    ClaimRefused,
    /// The message is handled and the platform did not take its mark: the next event of the same message makes
    /// up for it, without a turn.
    #[error("Platform refused message completion")]
    CompletionRefused,
    /// The platform has stopped the agent in this room.
    #[error(transparent)]
    Platform(#[from] Error),
    /// The adapter failed; the message is marked so.
    #[error("{0}")]
    Adapter(AdapterError),
}
