//! A room's past, as an adapter gets it with the first message of a session.

use band_core::room::Member;
use band_core::turn::show_mentions;
use band_wire::rest::Message;
use band_wire::{AgentId, MessageId, ParticipantId};
use serde_json::{Map, Value};

use crate::adapter::{AdapterError, Identity};

/// Whose side of a conversation an entry is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// People.
    User,
    /// Agents, this one and others: see [`HistoryItem::is_own`].
    Assistant,
}

impl Role {
    /// `user` or `assistant`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// One entry of a room's past.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryItem {
    /// The message or event.
    pub id: MessageId,
    /// Assistant for everything an agent wrote, whichever agent.
    pub role: Role,
    /// Mentions of known participants are written as `@handle`.
    pub content: String,
    /// Who wrote it.
    pub sender_id: ParticipantId,
    /// The name, or else the sender type.
    pub sender_name: String,
    /// `User`, `Agent`, or another word of the platform.
    pub sender_type: String,
    /// `text`, `tool_call`, `tool_result`, `thought`, `error`, `task`, …
    pub message_type: String,
    /// Of events what their sender supplied.
    pub metadata: Map<String, Value>,
    /// Whether this agent wrote it.
    pub is_own: bool,
}

/// What came before a message, oldest first. Has entries only with the first message of a session; after
/// that an adapter keeps its own conversation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RawHistory {
    /// The entries.
    pub items: Vec<HistoryItem>,
    /// Whether older entries were left out.
    pub truncated: bool,
}

impl RawHistory {
    /// Reads what the platform gave, leaving out the message that is about to be handled and what follows it.
    pub(crate) fn before(
        trigger: MessageId,
        messages: Vec<Message>,
        truncated: bool,
        agent: AgentId,
        members: &[Member],
    ) -> Self {
        let name_of = |id| members.iter().find(|member| member.id == id).and_then(Member::mention_name);
        let items = messages
            .into_iter()
            .take_while(|message| message.id != trigger)
            .map(|message| HistoryItem::read(message, agent, name_of))
            .collect();
        Self { items, truncated }
    }

    /// The same, but with what follows the message.
    pub(crate) fn around(
        trigger: MessageId,
        messages: Vec<Message>,
        truncated: bool,
        agent: AgentId,
        members: &[Member],
    ) -> Self {
        let name_of = |id| members.iter().find(|member| member.id == id).and_then(Member::mention_name);
        let others = messages.into_iter().filter(|message| message.id != trigger);
        Self { items: others.map(|message| HistoryItem::read(message, agent, name_of)).collect(), truncated }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

impl HistoryItem {
    fn read(message: Message, agent: AgentId, name_of: impl Fn(ParticipantId) -> Option<String>) -> Self {
        let is_agent = message.sender_type == "Agent";
        let sender_name = message
            .sender_name
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| message.sender_type.clone());
        Self {
            id: message.id,
            role: if is_agent { Role::Assistant } else { Role::User },
            content: show_mentions(&message.content, name_of).into_owned(),
            sender_id: message.sender_id,
            is_own: is_agent && message.sender_id == ParticipantId::from(agent),
            sender_name,
            sender_type: message.sender_type,
            message_type: message.message_type,
            metadata: message.metadata,
        }
    }
}

/// Turns a room's past into what a framework keeps its conversation in.
pub trait HistoryConverter: Default + Send + Sync + 'static {
    /// The framework's own form.
    type Output: Send + Sync + 'static;

    /// Converts. `me` is the agent, so that its own words can be told from those of others.
    ///
    /// # Errors
    /// The history can't be expressed; the turn fails with that error and the history stays owed.
    fn convert(&self, history: RawHistory, me: &Identity) -> Result<Self::Output, AdapterError>;
}

/// No conversion.
impl HistoryConverter for RawHistory {
    type Output = Self;

    fn convert(&self, history: RawHistory, _me: &Identity) -> Result<Self, AdapterError> {
        Ok(history)
    }
}
