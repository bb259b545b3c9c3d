//! The signals that end a program.

use anyhow::{Context, Result};

use crate::exit::Exit;

/// SIGINT and SIGTERM, caught from the moment this is made.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    pub(crate) fn catch() -> Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let catch = |kind| signal(kind).context("cannot catch signals");
        Ok(Self { interrupt: catch(SignalKind::interrupt())?, terminate: catch(SignalKind::terminate())? })
    }

    /// Waits for the next one, and says how the program ends because of it.
    pub(crate) async fn next(&mut self) -> Exit {
        tokio::select! {
            _ = self.interrupt.recv() => Exit::Interrupted,
            _ = self.terminate.recv() => Exit::Terminated,
        }
    }
}

/// Ctrl+C, caught from the moment it is waited for.
#[cfg(not(unix))]
#[derive(Debug)]
pub(crate) struct Signals;

#[cfg(not(unix))]
impl Signals {
    pub(crate) fn catch() -> Result<Self> {
        Ok(Self)
    }

    /// Waits for it.
    pub(crate) async fn next(&mut self) -> Exit {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        Exit::Interrupted
    }
}
