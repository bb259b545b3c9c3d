//! Start, wait, stop.

use std::time::Duration;

use super::signals::Signals;
use super::{Agent, Running, Stopped};
use crate::error::{Error, Result};
use crate::link::StopReason;

/// How long turns may go on after a signal.
const GRACE: Duration = Duration::from_secs(30);

impl Agent {
    /// Starts, runs until SIGINT, SIGTERM, a [`stop`](Self::stop) or the end of the connection, and stops;
    /// turns get 30 s to finish. A second signal cancels them at once, a third one ends the process as if
    /// nobody listened. That another process took over is no error.
    ///
    /// When this is over, the signals do again what they did before: on Linux, where nobody had listened to
    /// them, they end the process. A program that wants to listen itself uses
    /// [`run_without_signals`](Self::run_without_signals) or [`GracefulShutdown`](super::GracefulShutdown).
    ///
    /// # Errors
    /// The start failed, the platform ended the connection for good, or something could not be cleaned up;
    /// then [`stop`](Self::stop) tries that again.
    pub async fn run(&self) -> Result<Stopped> {
        self.run_within(Some(GRACE)).await
    }

    /// The same, with another time for turns to finish; without one they are cancelled at once.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub async fn run_within(&self, grace: Option<Duration>) -> Result<Stopped> {
        let mut signals = Signals::listen(false)?;
        let start = self.start();
        tokio::pin!(start);
        let started = tokio::select! {
            biased;
            started = &mut start => started,
            _ = signals.next() => {
                self.stop(None).await?;
                tokio::select! {
                    biased;
                    undone = &mut start => undone,
                    _ = signals.next() => return Ok(Stopped { graceful: false, reason: None }),
                }
            }
        };
        let running = match started {
            Ok(running) => running,
            Err(Error::Ended(StopReason::Requested)) => return Ok(Stopped::AT_REST),
            Err(err) => return Err(err),
        };
        tokio::select! {
            biased;
            _ = running.closed() => {}
            _ = signals.next() => {}
        }
        let closer = running.closer();
        let finishing = finish(running, grace);
        tokio::pin!(finishing);
        loop {
            tokio::select! {
                biased;
                stopped = &mut finishing => return stopped,
                _ = signals.next() => {
                    closer.close(None);
                    signals.let_go();
                }
            }
        }
    }

    /// The same without signals: the host has its own way to [`stop`](Self::stop) the agent.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub async fn run_without_signals(&self, grace: Option<Duration>) -> Result<Stopped> {
        let running = match self.start().await {
            Ok(running) => running,
            Err(Error::Ended(StopReason::Requested)) => return Ok(Stopped::AT_REST),
            Err(err) => return Err(err),
        };
        running.closed().await;
        finish(running, grace).await
    }
}

/// Stops what is over, and tells why it was.
async fn finish(running: Running, grace: Option<Duration>) -> Result<Stopped> {
    let bad_end = running.0.ended().filter(|reason| !reason.is_orderly());
    match (running.stop(grace).await, bad_end) {
        (Ok(_), Some(reason)) => Err(reason.into()),
        (Ok(stopped), None) => Ok(stopped),
        (Err(incomplete), Some(reason)) => {
            tracing::error!(
                target: "band.agent", %incomplete, "Agent cleanup failed while unwinding; call stop() to retry",
            );
            Err(reason.into())
        }
        (Err(incomplete), None) => Err(incomplete.into()),
    }
}
