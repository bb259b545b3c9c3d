//! What a platform tells an agent's connection: read and emitted in one shape.

use serde::Serialize;

use super::payload::{EventError, Fields};
use crate::word::words;
use crate::{AgentId, ChatId};

/// `supersede`: another connection of the agent took this one's place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Supersede {
    /// A token, [`Supersede::ALREADY_CONNECTED`] so far.
    pub reason: String,
    /// For people.
    pub message: String,
    /// Whether to come back. False: the session is over.
    pub retryable: bool,
    /// Seconds to wait before coming back. May be negative on the wire; that counts as none.
    pub retry_after: Option<i64>,
    /// `agent_socket:{agent_id}`.
    pub target_socket_id: Option<String>,
    /// One for each eviction.
    pub correlation_id: Option<String>,
}

impl Supersede {
    /// The agent has connected again.
    pub const ALREADY_CONNECTED: &'static str = "session.already_connected";

    /// What the older connection of an agent is told. `correlation_id` is unique for each eviction.
    pub fn eviction(agent: AgentId, correlation_id: String) -> Self {
        Self {
            reason: Self::ALREADY_CONNECTED.to_owned(),
            message: "Another connection of this agent took over".to_owned(),
            retryable: false,
            retry_after: None,
            target_socket_id: Some(format!("agent_socket:{agent}")),
            correlation_id: Some(correlation_id),
        }
    }

    pub(super) fn read(mut fields: Fields<'_>) -> Self {
        Self {
            reason: fields.text("reason"),
            message: fields.text("message"),
            retryable: fields.flag("retryable").unwrap_or_default(),
            retry_after: fields.integer("retry_after"),
            target_socket_id: fields.opt_text("target_socket_id"),
            correlation_id: fields.opt_text("correlation_id"),
        }
    }
}

words! {
    /// What a control signal asks for.
    pub enum ControlMode {
        /// End the running turn and count its message as processed.
        Interrupt = "interrupt",
        /// End the running turn, keep its message for later, stand still.
        Stop = "stop",
        /// Go on after a stop.
        Play = "play",
    }
}

words! {
    /// How far a control signal reaches.
    pub enum ControlScope {
        /// All rooms of the agent, or the one that is named.
        Agent = "agent",
        /// One room.
        Room = "room",
    }
}

/// `agent.control`: stop, play or interrupt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentControl {
    /// The event's own name; clients may check it.
    #[serde(rename = "type")]
    kind: &'static str,
    /// What to do.
    pub mode: ControlMode,
    /// How far it reaches.
    pub scope: ControlScope,
    /// The agent.
    pub agent_id: AgentId,
    /// The room; none reaches all rooms with scope agent, and nothing with scope room.
    pub room_id: Option<ChatId>,
    /// For information.
    pub execution_id: Option<String>,
    /// A token such as `user_requested`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// One for each signal; a client obeys each only once.
    pub correlation_id: String,
}

impl AgentControl {
    /// The reason of a signal that a person asked for.
    pub const USER_REQUESTED: &'static str = "user_requested";

    /// A signal for an agent in one room, asked for by a person.
    pub fn in_room(mode: ControlMode, agent_id: AgentId, room: ChatId, correlation_id: String) -> Self {
        Self {
            kind: super::name::AGENT_CONTROL,
            mode,
            scope: ControlScope::Room,
            agent_id,
            room_id: Some(room),
            execution_id: None,
            reason: Some(Self::USER_REQUESTED.to_owned()),
            correlation_id,
        }
    }

    /// A signal for an agent in all its rooms, asked for by its owner.
    pub fn everywhere(mode: ControlMode, agent_id: AgentId, correlation_id: String) -> Self {
        Self {
            kind: super::name::AGENT_CONTROL,
            mode,
            scope: ControlScope::Agent,
            agent_id,
            room_id: None,
            execution_id: None,
            reason: Some(Self::USER_REQUESTED.to_owned()),
            correlation_id,
        }
    }

    pub(super) fn read(mut fields: Fields<'_>) -> Result<Self, EventError> {
        Ok(Self {
            kind: super::name::AGENT_CONTROL,
            mode: fields.word("mode")?,
            scope: fields.word("scope")?,
            agent_id: fields.id("agent_id")?,
            room_id: fields.opt_id("room_id")?,
            execution_id: fields.opt_text("execution_id"),
            reason: fields.opt_text("reason"),
            correlation_id: fields.text("correlation_id"),
        })
    }
}
