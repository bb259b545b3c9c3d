//! How the agents of a fleet are doing.

use std::fmt;

use band_wire::AgentId;

use crate::agent::{CleanupFailure, Stopped};
use crate::error::Error;
use crate::link::StopReason;

/// How one agent is doing.
#[derive(Debug)]
pub struct AgentReport {
    /// The agent.
    pub id: AgentId,
    /// Its name; none before it has ever started.
    pub name: Option<String>,
    /// How it is doing.
    pub state: AgentState,
}

/// What has become of an agent.
#[derive(Debug)]
#[non_exhaustive]
pub enum AgentState {
    /// It runs.
    Running,
    /// It did not start. Everything of it is undone.
    Failed(Error),
    /// Its connection ended for good: it takes up nothing new until it is stopped and started again.
    Ended(StopReason),
    /// It was stopped.
    Stopped(Stopped),
    /// It was stopped, and something of it could not be cleaned up; it keeps its lock.
    Incomplete(Vec<CleanupFailure>),
    /// Its start or its stop panicked: the text is the panic's.
    Panicked(String),
    /// Its stop did not come to an end in time: it was cut off.
    CutOff,
}

impl AgentState {
    pub(super) fn again(&self) -> Self {
        match self {
            Self::Running => Self::Running,
            Self::Failed(err) => Self::Failed(err.again()),
            Self::Ended(reason) => Self::Ended(reason.clone()),
            Self::Stopped(stopped) => Self::Stopped(stopped.clone()),
            Self::Incomplete(failures) => Self::Incomplete(failures.clone()),
            Self::Panicked(text) => Self::Panicked(text.clone()),
            Self::CutOff => Self::CutOff,
        }
    }

    /// Whether nothing went wrong.
    pub const fn is_well(&self) -> bool {
        match self {
            Self::Running => true,
            Self::Stopped(stopped) => stopped.graceful,
            Self::Failed(_) | Self::Ended(_) | Self::Incomplete(_) | Self::Panicked(_) | Self::CutOff => {
                false
            }
        }
    }
}

impl fmt::Display for AgentReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name} ({}): ", self.id)?,
            None => write!(f, "agent {}: ", self.id)?,
        }
        match &self.state {
            AgentState::Running => f.write_str("running"),
            AgentState::Failed(err) => write!(f, "not started: {err}"),
            AgentState::Ended(reason) => write!(f, "its connection ended: {reason}"),
            AgentState::Stopped(stopped) => write!(f, "stopped (graceful={})", stopped.graceful),
            AgentState::Incomplete(failures) => {
                f.write_str("cleanup remains incomplete")?;
                for (index, failure) in failures.iter().enumerate() {
                    write!(f, "{} {failure}", if index == 0 { ":" } else { ";" })?;
                }
                Ok(())
            }
            AgentState::Panicked(text) => write!(f, "panicked: {text}"),
            AgentState::CutOff => f.write_str("its stop took too long: cut off"),
        }
    }
}
