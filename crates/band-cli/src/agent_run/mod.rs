//! `band agent run`: connects an agent, or all agents of a file.

mod adapter;
mod file;
mod fleet;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use band::config::Env;
use band::link::StopReason;
use band::logging::LogSettings;
use band::{Agent, AgentBuilder, Running};
use clap::Args;

use self::adapter::AdapterArgs;
use crate::exit::{Code, Exit, Failure};
use crate::print;
use crate::signals::Signals;

/// Connect an agent, and run it until a signal.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  band agent run --adapter echo --config my_agent
  band agent run --adapter anthropic --model claude-sonnet-5-5 --instructions brief.md --tools contacts
  band agent run --file band.toml

Without --config the agent is BAND_AGENT_ID with BAND_API_KEY. The platform is at BAND_REST_URL and
BAND_WS_URL; one of them is enough, and with neither it is Band Cloud.")]
pub(crate) struct AgentRun {
    #[command(flatten)]
    adapter: AdapterArgs,
    /// Run all agents of this file, band.toml, in one process
    #[arg(long, value_name = "PATH", conflicts_with_all = ["config", "health", "print_config"])]
    file: Option<PathBuf>,
    /// The agent's entry in the configuration file
    #[arg(long, value_name = "KEY")]
    config: Option<String>,
    /// The configuration file [default: agent_config.yaml]
    #[arg(long, value_name = "PATH", requires = "config")]
    config_file: Option<PathBuf>,
    /// Tell here whether the agent is well (/healthz, /readyz) and what it counted (/metrics)
    #[arg(long, value_name = "ADDR", env = "BAND_HEALTH")]
    health: Option<SocketAddr>,
    /// End with this code when another process took the agent over
    #[arg(long, value_name = "N", default_value_t = 0)]
    superseded_exit_code: u8,
    /// How long turns may go on after the first signal, in seconds; with 0 they are cancelled at once
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    grace: u32,
    /// Print what the agent would go by, as JSON without its key, and do nothing else
    #[arg(long)]
    print_config: bool,
}

impl AgentRun {
    pub(crate) async fn run(self) -> Result<Code> {
        if let Some(file) = &self.file {
            if !self.adapter.is_silent() {
                return Err(Failure::usage(
                    "--file: the file says what each agent is; leave the other options out",
                ));
            }
            return fleet::run(file, Duration::from_secs(self.grace.into())).await;
        }
        let env = Env::of_process();
        let (superseded, print_config, health) = (self.superseded_exit_code, self.print_config, self.health);
        let grace = Duration::from_secs(self.grace.into());
        let adapter = self.adapter.make()?;
        let mut builder = self.identified(Agent::builder(adapter), &env)?;
        if let Some(address) = health {
            builder = builder.health(address);
        }
        let agent = builder.build_with(env)?;
        if print_config {
            return print_effective(&agent, health);
        }
        let mut signals = Signals::catch()?;
        let at = agent.effective_config().rest_url;
        tracing::info!(target: "band.agent", agent = %agent.id(), "connecting to {at}");
        let running = tokio::select! {
            started = agent.start() => started.map_err(|error| on_platform(error, &at))?,
            exit = signals.next() => return Ok(exit.into()),
        };
        let asked = tokio::select! {
            _ = running.closed() => None,
            exit = signals.next() => Some(exit),
        };
        end(running, asked, &mut signals, grace, superseded).await
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

/// What the platform says, with where it is: the key of one deployment means nothing to another.
fn on_platform(error: band::Error, at: &str) -> anyhow::Error {
    let is_theirs = error.status().is_some() || matches!(error, band::Error::Connection(_));
    let error = anyhow::Error::new(error);
    if is_theirs { error.context(format!("the platform at {at}")) } else { error }
}

/// Everything that was settled, with the log's part of it.
fn print_effective(agent: &Agent, health: Option<SocketAddr>) -> Result<Code> {
    let mut shown = serde_json::to_value(agent.effective_config())?;
    if let Some(shown) = shown.as_object_mut() {
        shown.insert("health".to_owned(), serde_json::to_value(health)?);
        shown.insert("log".to_owned(), serde_json::to_value(LogSettings::from_env()?)?);
    }
    print::result(&format!("{shown:#}"))?;
    Ok(Exit::Done.into())
}

/// Stops the agent; a second signal does not wait for its turns. `asked` is the exit of the signal that asked
/// for the stop, none when the connection ended by itself.
async fn end(
    running: Running,
    asked: Option<Exit>,
    signals: &mut Signals,
    grace: Duration,
    superseded: u8,
) -> Result<Code> {
    tracing::info!(target: "band.agent", ?grace, "stopping; another signal stops at once");
    let stopped = tokio::select! {
        stopped = running.stop(Some(grace)) => stopped.map_err(band::Error::from)?,
        again = signals.next() => return Ok(again.into()),
    };
    match (asked, stopped.reason) {
        (Some(exit), _) => Ok(exit.into()),
        (None, Some(reason)) if !reason.is_orderly() => Err(band::Error::from(reason).into()),
        (None, Some(StopReason::Superseded { .. })) => Ok(Code::Chosen(superseded)),
        (None, _) => Ok(Exit::Done.into()),
    }
}
