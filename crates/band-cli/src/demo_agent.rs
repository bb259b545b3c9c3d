//! The demo's agent: in this process, but connected as any other, over HTTP and WebSocket with its own key.

use std::time::Duration;

use anyhow::{Context, Result};
use band::{Agent, BoxedAdapter, Running};

use crate::demo;

/// How long its turns may go on after a signal.
const GRACE: Duration = Duration::from_secs(5);

/// A running demo agent.
#[derive(Debug)]
pub(crate) struct DemoAgent {
    running: Running,
}

impl DemoAgent {
    /// Connects it to the platform of that address, and waits until it has joined its rooms.
    pub(crate) async fn start(
        adapter: BoxedAdapter,
        agent: &demo::DemoAgent,
        base_url: &str,
    ) -> Result<Self> {
        let agent = Agent::builder(adapter)
            .credentials(agent.id, agent.key.api_key.as_str())
            .rest_url(base_url)
            .ws_url(crate::output::socket_url(base_url))
            .build()?;
        let running = agent.start().await.context("the demo's agent does not start")?;
        Ok(Self { running })
    }

    /// Resolves when another connection has taken its place; gives what to tell about it.
    pub(crate) async fn replaced(&self) -> String {
        let reason = self.running.closed().await;
        format!("The agent {} is not run here any more: {reason}.", self.running.name())
    }

    /// Lets its turns finish, and ends it.
    pub(crate) async fn stop(self) -> Result<()> {
        self.running.stop(Some(GRACE)).await.map_err(band::Error::from)?;
        Ok(())
    }
}
