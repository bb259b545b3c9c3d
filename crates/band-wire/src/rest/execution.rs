//! Executions: an agent in a room, and what people may do about it.

use serde::{Deserialize, Serialize};

use crate::event::ControlMode;
use crate::word::words;
use crate::{AgentId, ChatId, ExecutionId, Open, Stamp};

words! {
    /// Where an execution stands.
    pub enum ExecutionStatus {
        /// The agent takes up messages.
        Running = "running",
        /// Someone stopped it.
        Stopped = "stopped",
    }
}

/// An entry of `GET /me/agents/{id}/executions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execution {
    /// One for each agent and room.
    pub id: ExecutionId,
    /// The agent.
    pub agent_id: AgentId,
    /// The room.
    pub chat_room_id: ChatId,
    /// Where it stands.
    pub status: Open<ExecutionStatus>,
    /// Why it is stopped, such as `user_requested`.
    pub stop_reason: Option<String>,
    /// Since when it is stopped.
    pub stopped_at: Option<Stamp>,
    /// When the agent came into the room first.
    pub inserted_at: Stamp,
}

/// Answer to stop, play and interrupt: which executions were meant, and where they stand now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlSent {
    /// Always true.
    pub success: bool,
    /// What was asked for.
    pub mode: ControlMode,
    /// The executions.
    pub executions: Vec<ControlledExecution>,
}

/// An execution that stop, play or interrupt reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ControlledExecution {
    /// The execution.
    pub id: ExecutionId,
    /// The agent.
    pub agent_id: AgentId,
    /// The room.
    pub chat_room_id: ChatId,
    /// Where it stands now.
    pub status: Open<ExecutionStatus>,
}
