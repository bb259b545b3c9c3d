//! Running the agents of a file together.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use band::host::{AgentHost, Fleet};

use super::file;
use crate::exit::{Code, Exit, Failure};
use crate::print;
use crate::signals::Signals;

/// Starts all agents of the file, and runs them until a signal, or until none runs any more.
///
/// # Errors
/// The file does not fit, or no agent starts.
pub(super) async fn run(path: &Path, grace: Duration) -> Result<Code> {
    let mut host = AgentHost::new();
    let mut names = std::collections::BTreeMap::new();
    for entry in file::read(path)? {
        let id = host.add_with(entry.builder, entry.env)?;
        names.insert(id, entry.name);
    }
    let mut signals = Signals::catch()?;
    let mut fleet = tokio::select! {
        fleet = host.start() => fleet,
        exit = signals.next() => return Ok(exit.into()),
    };
    for report in fleet.reports() {
        tracing::info!(target: "band.agent", "{report}");
    }
    if fleet.up() == 0 {
        let all: Vec<String> = fleet.reports().iter().map(ToString::to_string).collect();
        return Err(Failure::usage(format!("no agent of {} started: {}", path.display(), all.join("; "))));
    }
    let asked = until_over(&mut fleet, &names, &mut signals).await;
    let stopped = tokio::select! {
        stopped = fleet.stop(Some(grace)) => stopped,
        again = signals.next() => return Ok(again.into()),
    };
    for report in stopped {
        tracing::info!(target: "band.agent", "{report}");
    }
    Ok(asked.unwrap_or(Exit::Done).into())
}

/// The signal that asks for the end; none when no agent runs any more.
async fn until_over(
    fleet: &mut Fleet,
    names: &std::collections::BTreeMap<band_wire::AgentId, String>,
    signals: &mut Signals,
) -> Option<Exit> {
    loop {
        let ended = tokio::select! {
            ended = fleet.next_end() => ended,
            exit = signals.next() => return Some(exit),
        };
        let (agent, reason) = ended?;
        let name = names.get(&agent).map_or("an agent", String::as_str);
        print::err(&format!("{name} ended: {reason}. The others go on."));
    }
}
