//! The signals that end a program.

use anyhow::{Context, Result};

use crate::exit::Exit;

/// SIGINT, SIGTERM and SIGHUP, caught from the moment this is made.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// None where whoever started the program wants it to outlive the terminal, as `nohup` does.
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    pub(crate) fn catch() -> Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let catch = |kind| signal(kind).context("cannot catch signals");
        let hangup = match is_ignored(SignalKind::hangup().as_raw_value()) {
            true => None,
            false => Some(catch(SignalKind::hangup())?),
        };
        Ok(Self {
            interrupt: catch(SignalKind::interrupt())?,
            terminate: catch(SignalKind::terminate())?,
            hangup,
        })
    }

    /// Waits for the next one, and says how the program ends because of it.
    pub(crate) async fn next(&mut self) -> Exit {
        let hung_up = async {
            match &mut self.hangup {
                Some(hangup) => drop(hangup.recv().await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => Exit::Interrupted,
            _ = self.terminate.recv() => Exit::Terminated,
            () = hung_up => Exit::HungUp,
        }
    }
}

/// Whether the program was started with this signal ignored. Where that can't be told, it counts as ignored.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return true };
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask & (1 << (signal - 1)) != 0)
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
