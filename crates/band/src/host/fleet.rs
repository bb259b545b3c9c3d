//! The agents of a host while they run.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use band_wire::AgentId;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::sync::Semaphore;
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, timeout_at};

use super::report::{AgentReport, AgentState};
use crate::agent::{Agent, CleanupIncomplete, Running, Stopped};
use crate::error::{Error, Result};
use crate::link::StopReason;

/// Beyond its turns, an agent that stops has this long to clean up.
const CLEANUP_LIMIT: Duration = Duration::from_secs(15);
/// A stop that may take longer than this is as good as one without an end.
const LONGEST_STOP: Duration = Duration::from_secs(365 * 24 * 3_600);

/// The agents of a host, started. Each runs on its own: neither a panic nor an end of one concerns the others. When
/// it is dropped, all are cut off.
#[derive(Debug)]
pub struct Fleet {
    members: BTreeMap<AgentId, Member>,
    ends: FuturesUnordered<End>,
}

#[derive(Debug)]
struct Member {
    agent: Agent,
    name: Option<String>,
    /// Which start it was, so that the end of an earlier one is not taken for that of this one.
    start: u64,
    now: Now,
}

#[derive(Debug)]
enum Now {
    Up(Running),
    Down(AgentState),
}

impl Now {
    fn state(&self) -> AgentState {
        match self {
            Self::Up(running) => running.end().map_or(AgentState::Running, AgentState::Ended),
            Self::Down(state) => state.again(),
        }
    }
}

/// Watches a connection.
type End = Pin<Box<dyn Future<Output = (AgentId, u64, StopReason)> + Send>>;

impl Fleet {
    pub(super) async fn start(agents: BTreeMap<AgentId, Agent>, at_once: usize) -> Self {
        let places = Arc::new(Semaphore::new(at_once));
        let mut starts = JoinSet::new();
        let mut ids = BTreeMap::new();
        for (id, agent) in &agents {
            let (agent, places) = (agent.clone(), Arc::clone(&places));
            let task = starts.spawn(async move {
                // It fails only when it is closed, which it never is.
                let _place = places.acquire().await;
                agent.start().await
            });
            ids.insert(task.id(), *id);
        }
        let members = agents.into_iter().map(|(id, agent)| (id, Member::new(agent))).collect();
        let mut fleet = Self { members, ends: FuturesUnordered::new() };
        while let Some(done) = starts.join_next_with_id().await {
            let (task, outcome) = split(done);
            if let Some(id) = ids.get(&task) {
                fleet.started(*id, outcome);
            }
        }
        fleet
    }

    fn started(&mut self, id: AgentId, outcome: Result<Result<Running>, JoinError>) {
        let Some(member) = self.members.get_mut(&id) else { return };
        member.start += 1;
        member.now = match outcome {
            Ok(Ok(running)) => {
                member.name = Some(running.name().to_owned());
                self.ends.push(Box::pin(closed(id, member.start, running.watch())));
                Now::Up(running)
            }
            Ok(Err(err)) => Now::Down(AgentState::Failed(err)),
            Err(broken) => Now::Down(panicked(broken)),
        };
        if let Now::Down(state) = &member.now {
            tracing::error!(target: "band.host", agent = %id, ?state, "an agent did not start; the others go on");
        }
    }

    /// How each agent is doing, in order of their ids.
    pub fn reports(&self) -> Vec<AgentReport> {
        let report = |(id, member): (&AgentId, &Member)| AgentReport {
            id: *id,
            name: member.name.clone(),
            state: member.now.state(),
        };
        self.members.iter().map(report).collect()
    }

    /// An agent that runs; none when it does not.
    pub fn running(&self, agent: AgentId) -> Option<&Running> {
        match &self.members.get(&agent)?.now {
            Now::Up(running) if running.is_running() => Some(running),
            Now::Up(_) | Now::Down(_) => None,
        }
    }

    /// How many agents run.
    pub fn up(&self) -> usize {
        self.members.keys().filter(|id| self.running(**id).is_some()).count()
    }

    /// Resolves when the connection of one more agent has ended for good, other than by a stop; none when no agent
    /// runs any more. Whether it is started again, or the others are stopped too, is the host's choice. May be
    /// dropped and called again.
    pub async fn next_end(&mut self) -> Option<(AgentId, StopReason)> {
        while let Some((id, start, reason)) = self.ends.next().await {
            let is_up = |member: &&Member| member.start == start && matches!(member.now, Now::Up(_));
            if self.members.get(&id).filter(is_up).is_some() {
                return Some((id, reason));
            }
        }
        None
    }

    /// Starts an agent again that failed, ended or was stopped; one that still runs is stopped at once first, and
    /// what an earlier stop has left is cleaned up.
    ///
    /// # Errors
    /// There is no such agent; it could not be cleaned up; it does not start.
    pub async fn restart(&mut self, agent: AgentId) -> Result<()> {
        let Some(member) = self.members.get_mut(&agent) else {
            return Err(Error::Config(format!("agent {agent} is not on this host")));
        };
        let again = member.agent.clone();
        let mut task = JoinSet::new();
        task.spawn(async move {
            // Of one that is down, what an earlier stop could not clean up.
            again.stop(None).await?;
            again.start().await
        });
        let outcome = task.join_next().await.unwrap_or(Ok(Err(Error::Ended(StopReason::Requested))));
        self.started(agent, outcome);
        match self.members.get(&agent).map(|member| &member.now) {
            Some(Now::Down(AgentState::Failed(err))) => Err(err.again()),
            Some(Now::Down(AgentState::Panicked(text))) => Err(Error::Adapter(text.clone())),
            Some(Now::Up(_) | Now::Down(_)) | None => Ok(()),
        }
    }

    /// Stops one agent; its turns may finish within `timeout`. One whose cleanup does not end a while after that is cut
    /// off: its connection, rooms and locks are gone then. Only code of its adapter that blocks a thread goes on, until
    /// it returns.
    pub async fn stop_one(&mut self, agent: AgentId, timeout: Option<Duration>) -> Option<AgentReport> {
        let member = self.members.get_mut(&agent)?;
        if let Now::Up(running) = &member.now {
            let by = Instant::now() + timeout.unwrap_or_default().min(LONGEST_STOP) + CLEANUP_LIMIT;
            let (mut task, running) = (JoinSet::new(), running.clone());
            task.spawn(async move { stopped(timeout_at(by, running.stop(timeout)).await.ok()) });
            let state = task.join_next().await.map(|outcome| outcome.unwrap_or_else(panicked));
            let state = state.unwrap_or(AgentState::CutOff);
            if matches!(state, AgentState::CutOff) {
                member.agent.cut_off();
            }
            member.now = Now::Down(state);
        }
        Some(AgentReport { id: agent, name: member.name.clone(), state: member.now.state() })
    }

    /// Stops all agents at once, with one deadline: turns may finish within `timeout`, or are cancelled at once
    /// without one. An agent whose cleanup does not end a while after that is cut off. Gives how each one ended, in
    /// order of their ids.
    pub async fn stop(self, timeout: Option<Duration>) -> Vec<AgentReport> {
        let turns_until = Instant::now() + timeout.unwrap_or_default().min(LONGEST_STOP);
        let mut stops = JoinSet::new();
        let mut ids = BTreeMap::new();
        let mut reports = BTreeMap::new();
        for (id, Member { name, now, .. }) in self.members {
            let state = match now {
                Now::Up(running) => {
                    let stop = timeout_at(turns_until + CLEANUP_LIMIT, running.stop(timeout));
                    ids.insert(stops.spawn(async move { stopped(stop.await.ok()) }).id(), id);
                    AgentState::CutOff
                }
                Now::Down(state) => state,
            };
            reports.insert(id, AgentReport { id, name, state });
        }
        while let Some(done) = stops.join_next_with_id().await {
            let (task, outcome) = split(done);
            let report = ids.get(&task).and_then(|id| reports.get_mut(id));
            if let Some(report) = report {
                report.state = outcome.unwrap_or_else(panicked);
            }
        }
        reports.into_values().collect()
    }
}

impl Member {
    const fn new(agent: Agent) -> Self {
        Self { agent, name: None, start: 0, now: Now::Down(AgentState::CutOff) }
    }
}

async fn closed(
    id: AgentId,
    start: u64,
    reason: impl Future<Output = StopReason>,
) -> (AgentId, u64, StopReason) {
    (id, start, reason.await)
}

/// None when it took too long.
fn stopped(outcome: Option<Result<Stopped, CleanupIncomplete>>) -> AgentState {
    match outcome {
        None => AgentState::CutOff,
        Some(Ok(Stopped { reason: Some(reason), .. })) => AgentState::Ended(reason),
        Some(Ok(stopped)) => AgentState::Stopped(stopped),
        Some(Err(incomplete)) => AgentState::Incomplete(incomplete.failures),
    }
}

fn split<T>(done: Result<(tokio::task::Id, T), JoinError>) -> (tokio::task::Id, Result<T, JoinError>) {
    match done {
        Ok((id, value)) => (id, Ok(value)),
        Err(broken) => (broken.id(), Err(broken)),
    }
}

fn panicked(broken: JoinError) -> AgentState {
    let text = broken.to_string();
    let panic = broken.try_into_panic().ok();
    let said = panic.as_ref().and_then(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        text.or_else(|| panic.downcast_ref::<&str>().copied())
    });
    AgentState::Panicked(said.map_or(text, str::to_owned))
}
