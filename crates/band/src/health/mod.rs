//! Whether an agent is well, for those who look after it: a small HTTP server for supervisors and Prometheus.
//!
//! | path | answer |
//! |---|---|
//! | `/healthz` | 200 as long as the process answers at all |
//! | `/readyz` | 200 while every agent is ready, else 503; who is not and why, as JSON |
//! | `/metrics` | what was counted, as Prometheus reads it; the label `agent` is the agent's id |
//!
//! An agent is ready when it has joined its rooms, its socket is open, and the platform was heard on it lately: the
//! platform answers a heartbeat every 30 s, so that a socket which is open and dead is noticed. There is no key and
//! no name of a room in any answer, but there is no lock on the door either: listen on loopback, or behind one.

mod serve;

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use band_wire::AgentId;
use serde::Serialize;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::Agent;
use crate::error::{Error, Result};
use crate::metrics::Metrics;

/// Nothing was heard from the platform for so long: its answer to a heartbeat is late, and the socket about to be
/// given up.
const SILENT_MAX: Duration = Duration::from_secs(45);

/// How one agent is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Health {
    /// The agent.
    pub agent_id: AgentId,
    /// Whether messages reach it.
    pub ready: bool,
    /// Whether its socket is open.
    pub connected: bool,
    /// Seconds since the platform was heard last; none when it never was.
    pub silent_seconds: Option<f64>,
    /// Rooms that are open.
    pub rooms: u64,
}

impl Health {
    pub(crate) fn of(agent_id: AgentId, metrics: &Metrics) -> Self {
        let seen = metrics.snapshot();
        let silent = metrics.silent_for();
        let is_heard = silent.is_some_and(|silent| silent <= SILENT_MAX);
        Self {
            agent_id,
            ready: metrics.is_ready() && seen.is_connected && is_heard,
            connected: seen.is_connected,
            silent_seconds: silent.map(|silent| silent.as_secs_f64()),
            rooms: seen.rooms,
        }
    }
}

/// Answers until it is dropped.
pub struct HealthServer {
    address: SocketAddr,
    _tasks: JoinSet<()>,
}

impl HealthServer {
    /// Listens; port 0 is any free one. One server can speak for many agents.
    ///
    /// # Errors
    /// The address can't be listened on.
    pub async fn bind<'a>(address: SocketAddr, agents: impl IntoIterator<Item = &'a Agent>) -> Result<Self> {
        let agents = agents.into_iter().map(|agent| (agent.id(), agent.metrics().clone())).collect();
        Self::listen(address, agents).await
    }

    pub(crate) async fn listen(address: SocketAddr, agents: Vec<(AgentId, Metrics)>) -> Result<Self> {
        let refuse =
            |err: std::io::Error| Error::Config(format!("health address {address}: {err}; choose another"));
        let listener = TcpListener::bind(address).await.map_err(refuse)?;
        let address = listener.local_addr().map_err(refuse)?;
        let mut tasks = JoinSet::new();
        tasks.spawn(serve::run(listener, agents));
        Ok(Self { address, _tasks: tasks })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl fmt::Debug for HealthServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HealthServer").field("address", &self.address).finish_non_exhaustive()
    }
}
