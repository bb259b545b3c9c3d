//! How a platform is to run.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// The settings of a platform.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerConfig {
    /// Where to listen; port 0 is any free one.
    pub listen: SocketAddr,
    /// The folder of its data; made when it is missing.
    pub data_dir: PathBuf,
    /// How long requests and sockets may take to end in a graceful stop. 10 s by default.
    pub drain: Duration,
}

impl ServerConfig {
    /// Settings with defaults for the rest.
    pub fn new(listen: SocketAddr, data_dir: impl Into<PathBuf>) -> Self {
        Self { listen, data_dir: data_dir.into(), drain: Duration::from_secs(10) }
    }
}
