//! For hosts that own their signals and want the first one to stop an agent.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;

use super::signals::{ShutdownSignal, Signals};
use super::{Agent, Stopped};
use crate::error::{Error, Result};
use crate::link::StopReason;

type OnSignal = Arc<dyn Fn(ShutdownSignal) + Send + Sync>;

/// Stops an agent at the first SIGINT, SIGTERM or SIGHUP; later ones are ignored. SIGHUP means the end as
/// well, never "read the settings again".
///
/// ```no_run
/// # async fn example(agent: band::Agent) -> band::Result<()> {
/// let mut shutdown = band::GracefulShutdown::new(&agent);
/// shutdown.register()?;
/// let running = agent.start().await?;
/// let (signal, stopped) = shutdown.wait_for_shutdown().await?;
/// println!("{signal}: graceful {}", stopped.graceful);
/// # drop(running);
/// # Ok(())
/// # }
/// ```
pub struct GracefulShutdown {
    agent: Agent,
    timeout: Option<Duration>,
    on_signal: Option<OnSignal>,
    progress: watch::Sender<Progress>,
    /// The one that listens, and then stops the agent. Whoever waits for it may go away.
    task: JoinSet<()>,
}

#[derive(Debug, Clone, Default)]
enum Progress {
    #[default]
    Waiting,
    Stopping,
    Done(ShutdownSignal, Result<Stopped, Arc<Error>>),
    /// Whoever stopped the agent did not come to the end.
    GivenUp,
}

/// Says that whoever listens is gone, to those who wait for a stop that has begun.
struct LastWord(watch::Sender<Progress>);

impl Drop for LastWord {
    fn drop(&mut self) {
        self.0.send_if_modified(|progress| {
            let midway = matches!(progress, Progress::Stopping);
            if midway {
                *progress = Progress::GivenUp;
            }
            midway
        });
    }
}

impl GracefulShutdown {
    /// For this agent, with 30 s for turns to finish. Nothing is listened to before
    /// [`register`](Self::register).
    pub fn new(agent: &Agent) -> Self {
        Self {
            agent: agent.clone(),
            timeout: Some(Duration::from_secs(30)),
            on_signal: None,
            progress: watch::Sender::default(),
            task: JoinSet::new(),
        }
    }

    /// How long turns may go on; without a time they are cancelled at once.
    #[must_use]
    pub const fn timeout(mut self, timeout: Option<Duration>) -> Self {
        self.timeout = timeout;
        self
    }

    /// Is told of the first signal, before the stop begins. Must not wait. A panic in it is only logged.
    #[must_use]
    pub fn on_signal(mut self, callback: impl Fn(ShutdownSignal) + Send + Sync + 'static) -> Self {
        self.on_signal = Some(Arc::new(callback));
        self
    }

    /// Begins to listen, on the current runtime. Again has no effect.
    ///
    /// # Errors
    /// The system does not let this process listen to its signals.
    pub fn register(&mut self) -> Result<()> {
        if !self.task.is_empty() {
            return Ok(());
        }
        let mut signals = Signals::listen(true)?;
        let (agent, timeout, progress) = (self.agent.clone(), self.timeout, self.progress.clone());
        let on_signal = self.on_signal.clone();
        progress.send_if_modified(|progress| {
            let again = matches!(progress, Progress::GivenUp);
            if again {
                *progress = Progress::Waiting;
            }
            again
        });
        self.task.spawn(async move {
            let _last_word = LastWord(progress.clone());
            let signal = signals.next().await;
            progress.send_replace(Progress::Stopping);
            if let Some(callback) = on_signal
                && std::panic::catch_unwind(AssertUnwindSafe(|| callback(signal))).is_err()
            {
                tracing::error!(target: "band.agent", %signal, "the callback for signals panicked");
            }
            let stopped = agent.stop(timeout).await.map_err(Arc::new);
            progress.send_replace(Progress::Done(signal, stopped));
            // Those that come now are taken and ignored, until nobody listens any more.
            loop {
                signals.next().await;
            }
        });
        Ok(())
    }

    /// Does not listen any more: signals do again what they did before. A stop that has begun is given up,
    /// and what it has not done is left to the next.
    pub async fn unregister(&mut self) {
        self.task.shutdown().await;
    }

    /// Whether a signal has come.
    pub fn is_shutting_down(&self) -> bool {
        !matches!(*self.progress.borrow(), Progress::Waiting)
    }

    /// Waits for a signal and for the stop that it causes. When this is dropped, the stop goes on.
    ///
    /// # Errors
    /// Something could not be cleaned up, or the stop was given up midway; [`Agent::stop`] does what is left. Or
    /// nobody listens for signals: [`register`](Self::register) first.
    pub async fn wait_for_shutdown(&self) -> Result<(ShutdownSignal, Stopped)> {
        let mut progress = self.progress.subscribe();
        loop {
            match &*progress.borrow_and_update() {
                Progress::Done(signal, Ok(stopped)) => return Ok((*signal, stopped.clone())),
                Progress::Done(_, Err(err)) => return Err(err.again()),
                Progress::GivenUp => {
                    let text = "The stop was given up before its end; call stop() to do what is left";
                    return Err(Error::Cleanup(text.to_owned()));
                }
                Progress::Waiting if self.task.is_empty() => {
                    let text =
                        "GracefulShutdown listens for no signal: call register() before wait_for_shutdown()";
                    return Err(Error::Config(text.to_owned()));
                }
                Progress::Waiting | Progress::Stopping => {}
            }
            // The sender is ours.
            let _ = progress.changed().await;
        }
    }
}

impl fmt::Debug for GracefulShutdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GracefulShutdown")
            .field("agent", &self.agent)
            .field("timeout", &self.timeout)
            .field("progress", &*self.progress.borrow())
            .finish_non_exhaustive()
    }
}

/// Runs an agent until it ends or a signal stops it, see [`GracefulShutdown`]. Later signals are ignored: the
/// stop takes the time that it was given.
///
/// # Errors
/// As [`Agent::run`].
pub async fn run_with_graceful_shutdown(mut shutdown: GracefulShutdown) -> Result<Stopped> {
    shutdown.register()?;
    let agent = shutdown.agent.clone();
    let ended = agent.run_without_signals(shutdown.timeout).await;
    let outcome = match ended {
        Err(Error::Ended(StopReason::Requested)) => Ok(Stopped::AT_REST),
        ended => ended,
    };
    let outcome = match outcome {
        Ok(_) if shutdown.is_shutting_down() => {
            shutdown.wait_for_shutdown().await.map(|(_, stopped)| stopped)
        }
        outcome => outcome,
    };
    shutdown.unregister().await;
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Env;
    use crate::{Turn, adapter_fn};

    fn shutdown() -> GracefulShutdown {
        let silent = adapter_fn(|_: Turn| async { Ok::<(), Error>(()) });
        let id = band_wire::AgentId::new(uuid::Uuid::nil());
        let agent = Agent::builder(silent).credentials(id, "key").rest_url("http://127.0.0.1:1");
        GracefulShutdown::new(&agent.build_with(Env::default()).unwrap())
    }

    /// A stop that has begun and does not end.
    async fn midway(progress: watch::Sender<Progress>, panics: bool) {
        let _last_word = LastWord(progress.clone());
        progress.send_replace(Progress::Stopping);
        assert!(!panics, "on purpose");
        std::future::pending::<()>().await;
    }

    #[tokio::test]
    async fn whoever_waits_hears_of_a_stop_that_was_given_up_or_that_panics() {
        for panics in [false, true] {
            let mut shutdown = shutdown();
            shutdown.task.spawn(midway(shutdown.progress.clone(), panics));
            tokio::task::yield_now().await;
            assert!(shutdown.is_shutting_down());
            if !panics {
                shutdown.unregister().await;
            }
            let err = shutdown.wait_for_shutdown().await.unwrap_err();
            assert!(matches!(err, Error::Cleanup(_)), "{err}");
        }
    }

    #[tokio::test]
    async fn whoever_waits_where_nobody_listens_is_told_so() {
        let err = shutdown().wait_for_shutdown().await.unwrap_err();
        assert!(err.to_string().contains("call register()"), "{err}");
    }
}
