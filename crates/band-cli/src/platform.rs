//! Starting the platform in this process, and what to say when that can't be.

use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Result, anyhow};
use band_server::server::{LockError, RunningServer, Server, ServerConfig, StartError};
use band_server::store::StoreError;

use crate::exit::{Exit, Failure};
use crate::signals::Signals;

/// Starts it on exactly this address.
pub(crate) async fn start(address: SocketAddr, data: &Path) -> Result<RunningServer, StartError> {
    Server::start(ServerConfig::new(address, data)).await
}

/// Waits for a signal, and says how the program ends because of it.
///
/// # Errors
/// The platform has ended by itself, which is a defect.
pub(crate) async fn until_signal(server: &mut RunningServer, signals: &mut Signals) -> Result<Exit> {
    tokio::select! {
        exit = signals.next() => Ok(exit),
        ended = server.ended() => {
            ended?;
            Err(anyhow!("the platform has ended by itself; its log says more"))
        }
    }
}

/// Ends it in good order. A second signal does not wait for that.
pub(crate) async fn stop(server: RunningServer, signals: &mut Signals, exit: Exit) -> Result<Exit> {
    server.shutdown();
    tokio::select! {
        ended = server.wait() => {
            ended?;
            Ok(exit)
        }
        again = signals.next() => Ok(again),
    }
}

/// The error as people need it: the thing, its value, why, the fix.
pub(crate) fn explained(error: StartError, data: &Path) -> anyhow::Error {
    let dir = data.display();
    match error {
        StartError::Lock(LockError::Held { server, .. }) => {
            let at = server.map_or(String::new(), |server| format!(" at {}", server.url()));
            Failure::with(
                Exit::AlreadyRunning,
                format!(
                    "data directory {dir}: a server already runs on it{at}; use that one, or give another directory with --data"
                ),
            )
        }
        StartError::AddressInUse(address) => {
            anyhow!("address {address}: another program listens there; choose another port")
        }
        StartError::Listen { address, source } => {
            anyhow!("address {address}: {source}; choose an address of this machine")
        }
        other => {
            let fix = match &other {
                StartError::Store(StoreError::File { .. } | StoreError::Device { .. })
                | StartError::Lock(LockError::File { .. })
                | StartError::File(_) => "; make it writable for this user, or give another with --data",
                StartError::Store(StoreError::Busy) => "; end the program that uses it",
                _ => "",
            };
            anyhow!("data directory {dir}: {other}{fix}")
        }
    }
}
