//! What a framework plugs in: the two levels of adapters.

mod boxed;
mod error;
mod function;
mod identity;
mod platform;
mod simple;

use std::future::{Future, ready};

use band_wire::ChatId;

pub use boxed::BoxedAdapter;
pub use error::{AdapterError, AdapterErrorKind};
pub use function::{AdapterFn, adapter_fn};
pub use identity::Identity;
pub use platform::PlatformConnection;
pub use simple::SimpleAdapter;

use crate::turn::AgentInput;

/// The result of an adapter's hook.
pub type AdapterResult = Result<(), AdapterError>;

/// How a person broke into a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterruptMode {
    /// The turn ends; the agent stays available.
    Interrupt,
    /// The turn ends; the agent stays silent in this room until it is resumed.
    Stop,
}

/// The lower level: raw input. Bridges and engines that own their replies start here; most adapters are
/// [`SimpleAdapter`]s, and every one of those is a `FrameworkAdapter`.
///
/// Within one room calls come one after another; rooms run in parallel.
pub trait FrameworkAdapter: Send + Sync + 'static {
    /// Handles one message. The turn is judged when this returns, see [`judges_turns`](Self::judges_turns).
    ///
    /// When [`cancelled`](crate::Turn::cancelled) resolves, return soon: a second later the future is dropped.
    fn on_event(&self, input: AgentInput) -> impl Future<Output = AdapterResult> + Send;

    /// Whether a turn that ends without a reply, a decline or an act is a failure. True unless the adapter
    /// answers at its own time.
    fn judges_turns(&self) -> bool {
        true
    }

    /// Called once per start, before the socket opens and so before the first message.
    ///
    /// # Errors
    /// The start fails with the error, and everything is unwound.
    fn on_started(
        &self,
        me: &Identity,
        platform: &PlatformConnection,
    ) -> impl Future<Output = AdapterResult> + Send {
        let _ = (me, platform);
        ready(Ok(()))
    }

    /// A person interrupted or stopped the agent in a room. Must not wait.
    fn on_interrupt(&self, room: ChatId, mode: InterruptMode) {
        let _ = (room, mode);
    }

    /// The agent left the room, or stops: forget what was kept for it. Called again if it fails.
    ///
    /// # Errors
    /// The room stays owned, and the cleanup is tried again at the next stop.
    fn on_cleanup(&self, room: ChatId) -> impl Future<Output = AdapterResult> + Send {
        let _ = room;
        ready(Ok(()))
    }

    /// Called once per stop, when all rooms and the connection are done, and after a failed start.
    ///
    /// # Errors
    /// The agent keeps its lock, and the cleanup is tried again at the next stop.
    fn cleanup_all(&self) -> impl Future<Output = AdapterResult> + Send {
        ready(Ok(()))
    }
}
