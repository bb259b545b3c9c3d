//! What people's clients alone get.

use serde::Serialize;

use crate::rest::ActivityReport;
use crate::{AgentId, ChatId};

/// `agent_activity_started`, `agent_activity_stopped`; also an entry of the join reply of `room_activity`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentActivity {
    /// The agent.
    pub agent_id: AgentId,
    /// Its execution: one for each agent and room.
    pub execution_id: String,
    /// Whether it is at work.
    pub working: bool,
    /// At what, where it said so. An addition of ours that clients pass over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activity: Option<ActivityReport>,
}

/// The join reply of `room_activity`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct WorkingAgents {
    working_agents: Vec<AgentActivity>,
}

impl WorkingAgents {
    /// Entries that clients accept; the rest is left out.
    pub const MAX: usize = 32;

    /// Who is at work right now.
    pub fn new(agents: impl IntoIterator<Item = AgentActivity>) -> Self {
        Self { working_agents: agents.into_iter().take(Self::MAX).collect() }
    }
}

/// `agent_deleted`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct AgentDeleted {
    /// The agent.
    pub id: AgentId,
}

/// `agent_connected`, `agent_disconnected`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct AgentConnection {
    /// The agent.
    pub id: AgentId,
    /// The room.
    pub chat_room_id: ChatId,
    /// Whether it is online now.
    pub connected: bool,
}

/// `room_title_changed`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RoomTitleChanged {
    /// The room.
    pub id: ChatId,
    /// At most 256 bytes.
    pub title: String,
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn no_more_agents_are_told_than_clients_accept() {
        let agent = AgentActivity {
            agent_id: AgentId::new(Uuid::nil()),
            execution_id: String::new(),
            working: true,
            activity: None,
        };
        let reply = WorkingAgents::new(vec![agent; WorkingAgents::MAX + 8]);
        assert_eq!(reply.working_agents.len(), WorkingAgents::MAX);
    }
}
