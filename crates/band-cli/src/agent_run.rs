//! `band agent run`: connects an agent.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use band::config::Env;
use band::{Agent, AgentBuilder, Running};
use band_adapters::registry;
use clap::Args;

use crate::exit::{Exit, Failure};
use crate::signals::Signals;

/// How long turns may go on after the first signal.
const GRACE: Duration = Duration::from_secs(30);

/// Connect an agent, and run it until a signal.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  band agent run --adapter echo --config my_agent

Without --config the agent is BAND_AGENT_ID with BAND_API_KEY. The platform is at BAND_REST_URL and
BAND_WS_URL; one of them is enough, and with neither it is Band Cloud.")]
pub(crate) struct AgentRun {
    /// What answers: the name of an adapter
    #[arg(long, value_name = "NAME")]
    adapter: String,
    /// The agent's entry in the configuration file
    #[arg(long, value_name = "KEY")]
    config: Option<String>,
    /// The configuration file [default: agent_config.yaml]
    #[arg(long, value_name = "PATH", requires = "config")]
    config_file: Option<PathBuf>,
}

impl AgentRun {
    pub(crate) async fn run(self) -> Result<Exit> {
        let env = Env::of_process();
        let adapter = registry::make(&self.adapter, &registry::Settings::new())?;
        let agent = self.identified(Agent::builder(adapter), &env)?.build_with(env)?;
        if let Some(warning) = &agent.endpoints().warning {
            tracing::warn!(target: "band.agent", "{warning}");
        }
        let mut signals = Signals::catch()?;
        let running = tokio::select! {
            started = agent.start() => started?,
            exit = signals.next() => return Ok(exit),
        };
        let asked = tokio::select! {
            _ = running.closed() => None,
            exit = signals.next() => Some(exit),
        };
        end(running, asked, &mut signals).await
    }

    /// The flag wins over the environment; without either there is nobody to run.
    fn identified(self, builder: AgentBuilder, env: &Env) -> Result<AgentBuilder> {
        if let Some(name) = self.config {
            let builder = builder.config(name);
            return Ok(match self.config_file {
                Some(file) => builder.config_file(file),
                None => builder,
            });
        }
        let missing: Vec<&str> =
            ["BAND_AGENT_ID", "BAND_API_KEY"].into_iter().filter(|name| env.get(name).is_none()).collect();
        if missing.is_empty() {
            return Ok(builder.env());
        }
        Err(Failure::usage(format!(
            "the agent: no --config, and {} not set; give --config KEY for an entry of agent_config.yaml, or set \
             BAND_AGENT_ID and BAND_API_KEY (`band agent add` prints them)",
            missing.join(" and ")
        )))
    }
}

/// Stops the agent; a second signal does not wait for its turns. `asked` is the exit of the signal that asked
/// for the stop, none when the connection ended by itself.
async fn end(running: Running, asked: Option<Exit>, signals: &mut Signals) -> Result<Exit> {
    let stopped = tokio::select! {
        stopped = running.stop(Some(GRACE)) => stopped.map_err(band::Error::from)?,
        again = signals.next() => return Ok(again),
    };
    match (asked, stopped.reason) {
        (Some(exit), _) => Ok(exit),
        (None, Some(reason)) if !reason.is_orderly() => Err(band::Error::from(reason).into()),
        (None, _) => Ok(Exit::Done),
    }
}
