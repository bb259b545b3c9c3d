//! Start, wait, stop: with signals.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{Agent, Stopped};
use crate::error::{Error, Result};
use crate::link::StopReason;

/// How long turns may go on after a signal.
const GRACE: Duration = Duration::from_secs(30);

impl Agent {
    /// Starts, runs until SIGINT, SIGTERM or the end of the connection, and stops; turns get 30 s to finish.
    /// A second signal cancels them at once. That another process took over is no error.
    ///
    /// # Errors
    /// The start failed, the platform ended the connection for good, or the adapter could not clean up.
    pub async fn run(&self) -> Result<Stopped> {
        self.run_within(Some(GRACE)).await
    }

    /// The same, with another time for turns to finish; without one they are cancelled at once.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub async fn run_within(&self, grace: Option<Duration>) -> Result<Stopped> {
        let mut signals = Signals::listen()?;
        let stop = CancellationToken::new();
        let running = {
            let start = self.start_until(&stop);
            tokio::pin!(start);
            tokio::select! {
            biased;
                            running = &mut start => running?,
                            () = signals.next() => {
                                stop.cancel();
                                let unwound = tokio::select! {
            biased;
                                    unwound = &mut start => unwound,
                                    () = signals.next() => return Ok(Stopped::before_start(false)),
                                };
                                match unwound {
                                    Ok(running) => running,
                                    Err(Error::Ended(StopReason::Requested)) => return Ok(Stopped::before_start(true)),
                                    Err(err) => return Err(err),
                                }
                            }
                        }
        };
        if !stop.is_cancelled() {
            tokio::select! {
            biased;
                            _ = running.closed() => {}
                            () = signals.next() => {}
                        }
        }
        let closer = running.closer();
        let stopping = running.stop(grace);
        tokio::pin!(stopping);
        let stopped = loop {
            tokio::select! {
            biased;
                            stopped = &mut stopping => break stopped?,
                            () = signals.next() => closer.close(None),
                        }
        };
        match stopped.reason {
            Some(reason) if !reason.is_orderly() => Err(reason.into()),
            _ => Ok(stopped),
        }
    }
}

impl Stopped {
    const fn before_start(graceful: bool) -> Self {
        Self { graceful, reason: None }
    }
}

/// The signals that ask a process to end.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let listen =
            |kind| signal(kind).map_err(|err| Error::Config(format!("signals can't be listened to: {err}")));
        Ok(Self { interrupt: listen(SignalKind::interrupt())?, terminate: listen(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
        biased;
                    _ = self.interrupt.recv() => {}
                    _ = self.terminate.recv() => {}
                }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    #[expect(clippy::unnecessary_wraps, reason = "the other platform can fail")]
    fn listen() -> Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }
}
