//! Agents that do the same with different SDKs, for comparisons: both repeat what they are told.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use crate::{NewAgent, Process, Result, band, peers};

/// With which SDK an agent is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Contender {
    /// `band agent run --adapter echo`.
    Ours,
    /// The Python SDK with a minimal adapter.
    Python,
}

impl Contender {
    /// From `ours` or `python`.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "ours" => Some(Self::Ours),
            "python" => Some(Self::Python),
            _ => None,
        }
    }

    /// Starts the agent as a process that keeps its files in `folder` and reaches a platform such as
    /// `http://127.0.0.1:4000`; waits until it says that it has started.
    ///
    /// # Errors
    /// The program is missing, or did not start within `patience`.
    pub async fn start(
        self,
        agent: &NewAgent,
        platform: &str,
        folder: &Path,
        patience: Duration,
    ) -> Result<Process> {
        let mut command = match self {
            Self::Ours => band(["agent", "run", "--adapter", "echo"])?,
            Self::Python => {
                let mut command = peers::python()?;
                command.arg(peers::script("echo_agent.py"));
                command
            }
        };
        let socket = format!("{}{}", platform.replacen("http", "ws", 1), band_wire::phx::SOCKET_PATH);
        command
            .env("BAND_AGENT_ID", agent.id.to_string())
            .env("BAND_API_KEY", &agent.key)
            .env("BAND_REST_URL", platform)
            .env("BAND_WS_URL", socket)
            .env("BAND_STATE_DIR", folder)
            .env("TMPDIR", folder);
        let mut process = Process::start("the agent", &mut command)?;
        process.line("Agent started: ", patience).await?;
        Ok(process)
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ours => "ours",
            Self::Python => "band-sdk 6.0.1",
        })
    }
}
