//! A platform in this process: lock, store, listener, sockets, and their end.

mod config;
mod discovery;
mod error;
mod idle;
mod listener;
mod lock;
mod run;

use std::net::SocketAddr;
use std::sync::Arc;

use secrecy::SecretString;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::{CancellationToken, DropGuard};

pub use config::ServerConfig;
pub use discovery::ServerFile;
pub use error::{ServeError, StartError};
pub(crate) use listener::Peer;
pub use lock::{DirLock, LockError};

use crate::app::App;
use crate::http::{AdminToken, Context};
use crate::socket::Switchboard;
use crate::store::DataDir;
use listener::Stops;

/// Starts platforms.
#[derive(Debug)]
pub struct Server;

/// A platform that is up. Dropping it ends everything at once; [`RunningServer::shutdown`] and
/// [`RunningServer::wait`] end it gracefully.
#[derive(Debug)]
pub struct RunningServer {
    file: ServerFile,
    app: App,
    graceful: CancellationToken,
    running: JoinSet<()>,
    _hard: DropGuard,
}

impl Server {
    /// Locks the data directory, opens the store, listens, and says where in `server.json`. The platform
    /// answers when this returns.
    ///
    /// # Errors
    /// Another server uses the directory, the address is taken, or the store can't be opened.
    pub async fn start(config: ServerConfig) -> Result<RunningServer, StartError> {
        let dir = DataDir::open(&config.data_dir)?;
        let lock = run::lock(dir.path()).await?;
        let listener = bind(config.listen).await?;
        let address = listener.local_addr().map_err(|source| StartError::listen(config.listen, source))?;
        let (board, presence) = Switchboard::new(u32::from_be_bytes(random()?));
        let board = Arc::new(board);
        let app = App::open(&dir, board.clone()).await?;
        let token = hex(&random::<32>()?);
        let file = ServerFile { address, pid: std::process::id(), admin_token: SecretString::from(token) };
        file.write(dir.path()).map_err(StartError::File)?;
        let stops = Stops::new();
        let context =
            Context::new(app.clone(), board, AdminToken::new(file.admin_token.clone()), &stops.hard);
        let (graceful, hard) = (stops.graceful.clone(), stops.hard.clone().drop_guard());
        tracing::info!(%address, data = %dir.path().display(), "platform is up");
        let mut running = JoinSet::new();
        running.spawn(run::run(run::Parts {
            listener,
            context,
            presence,
            stops,
            dir,
            lock,
            drain: config.drain,
        }));
        Ok(RunningServer { file, app, graceful, running, _hard: hard })
    }
}

impl RunningServer {
    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.file.address
    }

    /// Its address as a URL, for clients on this machine.
    pub fn url(&self) -> String {
        self.file.url()
    }

    /// The application, for what needs no HTTP.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// The token that `/api/v1/admin` wants, also in `server.json`.
    pub fn admin_token(&self) -> &SecretString {
        &self.file.admin_token
    }

    /// Begins the end: no new connection, sockets are closed with 1012, requests are finished.
    pub fn shutdown(&self) {
        self.graceful.cancel();
    }

    /// Resolves when the platform has ended and its directory is free again.
    ///
    /// # Errors
    /// Something in it panicked.
    pub async fn wait(mut self) -> Result<(), ServeError> {
        self.ended().await
    }

    /// The same, for whoever waits for something else besides.
    ///
    /// # Errors
    /// As [`wait`](Self::wait).
    pub async fn ended(&mut self) -> Result<(), ServeError> {
        match self.running.join_next().await {
            Some(Err(err)) if err.is_panic() => Err(ServeError::Panicked),
            _ => Ok(()),
        }
    }
}

async fn bind(address: SocketAddr) -> Result<TcpListener, StartError> {
    TcpListener::bind(address).await.map_err(|source| StartError::listen(address, source))
}

fn random<const N: usize>() -> Result<[u8; N], StartError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(StartError::Random)?;
    Ok(bytes)
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
