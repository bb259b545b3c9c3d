//! The socket of an agent on tokio: a thin shell around [`band_core::link`], which decides everything.
//!
//! ```no_run
//! # async fn example(key: secrecy::SecretString, agent: band_wire::AgentId) -> band::Result<()> {
//! use band::link::{Link, LinkConfig, LinkEvent};
//! let config = LinkConfig::new("wss://app.band.ai/api/v1/socket/websocket", key, agent);
//! let (handle, mut events, driver) = Link::new(&config)?;
//! let mut tasks = tokio::task::JoinSet::new();
//! tasks.spawn(driver.run(tokio_util::sync::CancellationToken::new()));
//! while let Some(event) = events.next().await {
//!     if let LinkEvent::RoomAdded(room) = event {
//!         handle.join_room(room.id).await;
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod config;
#[doc(hidden)]
pub mod dial;
mod driver;
mod handle;
mod log;
mod proxy;
mod socket;
mod upgrade;

use std::sync::Arc;

use tokio::sync::mpsc;

pub use band_core::link::{Counters, Disconnect, LinkEvent, Refusal, StopReason};
pub use config::{ConflictPolicy, LinkConfig};
pub use driver::LinkDriver;
pub(crate) use handle::Pulse;
pub use handle::{LinkEvents, LinkHandle};

use crate::error::Result;

/// Commands on their way to the link; more wait at the sender.
const COMMANDS: usize = 256;
/// Events on their way to the owner; more wait in the machine, which knows what to do when they are many.
const EVENTS: usize = 64;

/// Makes links.
#[derive(Debug)]
pub struct Link;

impl Link {
    /// Makes a link; nothing is sent before [`LinkDriver::run`].
    ///
    /// # Errors
    /// The address or the key can't be used.
    #[expect(clippy::new_ret_no_self, reason = "a link is its three ends")]
    pub fn new(config: &LinkConfig) -> Result<(LinkHandle, LinkEvents, LinkDriver)> {
        Self::with_dialer(config, Arc::new(dial::Network))
    }

    /// Likewise, over byte streams of another kind.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    #[doc(hidden)]
    pub fn with_dialer(
        config: &LinkConfig,
        dialer: Arc<dyn dial::Dial>,
    ) -> Result<(LinkHandle, LinkEvents, LinkDriver)> {
        let (command_sender, commands) = mpsc::channel(COMMANDS);
        let (event_sender, events) = mpsc::channel(EVENTS);
        let shared = Arc::default();
        let driver = LinkDriver::new(config, dialer, commands, event_sender, Arc::clone(&shared))?;
        let handle = LinkHandle { commands: command_sender, shared: Arc::clone(&shared) };
        Ok((handle, LinkEvents { events, shared, told_end: false }, driver))
    }
}

#[cfg(test)]
mod tests;
