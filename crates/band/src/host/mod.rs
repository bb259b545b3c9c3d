//! Many agents in one process: one pool of connections, one pace for the platform, one runtime; and whatever
//! becomes of one agent, the others go on.
//!
//! ```no_run
//! use std::time::Duration;
//! use band::{Agent, Turn, adapter_fn};
//! use band::host::AgentHost;
//!
//! # async fn hosting() -> band::Result<()> {
//! let echo = || adapter_fn(|turn: Turn| async move { turn.reply(turn.text()).await });
//! let mut host = AgentHost::new();
//! host.add(Agent::builder(echo()).config("first"))?;
//! host.add(Agent::builder(echo()).config("second"))?;
//! let mut fleet = host.start().await;
//! while let Some((agent, reason)) = fleet.next_end().await {
//!     tracing::warn!(%agent, %reason, "ended; starting it again");
//!     fleet.restart(agent).await?;
//! }
//! for report in fleet.stop(Some(Duration::from_secs(30))).await {
//!     println!("{report}");
//! }
//! # Ok(())
//! # }
//! ```

mod apart;
mod fleet;
mod report;

use std::collections::BTreeMap;
use std::sync::Arc;

use band_wire::AgentId;

pub(crate) use apart::{Places, apart};
pub use fleet::Fleet;
pub use report::{AgentReport, AgentState};

use crate::agent::{Agent, AgentBuilder};
use crate::config::Env;
use crate::error::{Error, Result};
use crate::rest::HttpPool;

/// Agents that start at the same time, at most; the others wait for one that is done.
const STARTING_AT_ONCE: usize = 16;

/// Agents that are to run in one process. None of them runs before [`start`](Self::start).
///
/// On a runtime of several threads, adapters may block: a turn that does takes a thread of its own. Sixteen turns of
/// an agent may do so at once, and 256 of all agents; a further one waits, and the log names its agent. A runtime
/// whose `max_blocking_threads` is set must leave it at more than that.
#[derive(Debug)]
pub struct AgentHost {
    pool: Arc<HttpPool>,
    agents: BTreeMap<AgentId, Agent>,
    starting_at_once: usize,
}

impl Default for AgentHost {
    fn default() -> Self {
        Self::new()
    }
}

impl AgentHost {
    /// A host without agents.
    pub fn new() -> Self {
        Self { pool: Arc::default(), agents: BTreeMap::new(), starting_at_once: STARTING_AT_ONCE }
    }

    /// How many agents start at the same time, at least one. Default 16.
    #[must_use]
    pub fn starting_at_once(mut self, agents: usize) -> Self {
        self.starting_at_once = agents.max(1);
        self
    }

    /// Adds an agent, with what it does not say from the environment of this process.
    ///
    /// # Errors
    /// What [`AgentBuilder::build`] refuses, and an agent that is here already.
    pub fn add(&mut self, agent: AgentBuilder) -> Result<AgentId> {
        self.add_with(agent, Env::of_process())
    }

    /// The same, with these variables.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub fn add_with(&mut self, agent: AgentBuilder, env: Env) -> Result<AgentId> {
        let agent = agent.hosted(&self.pool).build_with(env)?;
        let id = agent.id();
        if self.agents.contains_key(&id) {
            return Err(Error::Config(format!("agent {id} is on this host already: add each agent once")));
        }
        self.agents.insert(id, agent);
        Ok(id)
    }

    /// How many agents there are.
    pub fn len(&self) -> usize {
        self.agents.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.agents.is_empty()
    }

    /// Starts all agents, some at a time. Gives the fleet when each has started or failed; an agent that failed is
    /// in the [`reports`](Fleet::reports), and can be [started again](Fleet::restart). When this is dropped, what
    /// has started is cut off.
    pub async fn start(self) -> Fleet {
        Fleet::start(self.agents, self.starting_at_once).await
    }
}
