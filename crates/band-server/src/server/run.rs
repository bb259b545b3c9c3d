//! The life of a platform, from its first connection to its last.

use std::path::Path;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::discovery::ServerFile;
use super::listener::{Stops, accept};
use super::lock::{DirLock, LockError};
use crate::app::App;
use crate::http::{Context, router};
use crate::socket::Presence;
use crate::store::DataDir;

/// A command may hold the directory for a moment.
const LOCK_PATIENCE: Duration = Duration::from_millis(500);
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// Takes the lock of a directory, patiently.
pub(super) async fn lock(dir: &Path) -> Result<DirLock, LockError> {
    let patience = Instant::now() + LOCK_PATIENCE;
    loop {
        match DirLock::take(dir) {
            Err(LockError::Held { .. }) if Instant::now() < patience => tokio::time::sleep(LOCK_PAUSE).await,
            taken => return taken,
        }
    }
}

/// What a running platform owns.
pub(super) struct Parts {
    pub(super) listener: TcpListener,
    pub(super) context: Context,
    pub(super) presence: mpsc::Receiver<Presence>,
    pub(super) stops: Stops,
    pub(super) dir: DataDir,
    pub(super) lock: DirLock,
    pub(super) drain: Duration,
}

/// Serves until the graceful stop, then winds down in order: connections, sockets, store, `server.json`,
/// lock.
pub(super) async fn run(parts: Parts) {
    let Parts { listener, context, presence, stops, dir, lock, drain } = parts;
    let ended = CancellationToken::new();
    let time = context.board.keep_time(ended.clone());
    let announcing = announce(context.app.clone(), presence, stops.graceful.clone());
    let serving = async {
        let connections = TaskTracker::new();
        accept(listener, router(context.clone()), connections.clone(), stops.clone()).await;
        tracing::info!("platform stops");
        context.board.stop();
        connections.close();
        context.sockets.tasks.close();
        let all = async {
            connections.wait().await;
            context.sockets.tasks.wait().await;
        };
        if timeout(drain, all).await.is_err() {
            tracing::warn!("requests or sockets did not end in time; they are cut off");
        }
        stops.hard.cancel();
        connections.wait().await;
        context.sockets.tasks.wait().await;
        ended.cancel();
    };
    tokio::join!(serving, time, announcing);
    context.app.close().await;
    ServerFile::remove(dir.path());
    drop(lock);
    tracing::info!("platform has stopped");
}

/// Tells people of the agents that come and go, until the platform stops.
async fn announce(app: App, mut presence: mpsc::Receiver<Presence>, stopped: CancellationToken) {
    while let Some(Some(Presence { agent, online })) = stopped.run_until_cancelled(presence.recv()).await {
        if let Err(err) = app.announce_presence(agent, online).await {
            tracing::debug!(error = &err as &dyn std::error::Error, %agent, online, "presence is not announced");
        }
    }
}
