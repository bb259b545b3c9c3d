//! A room's past, as an adapter gets it with the first message of a session.

use band_core::room::Member;
use band_core::transcript::{Said, TaskEvent, Transcript, latest_task_metadata};
use band_core::turn::{show_mentions, speaker};
use band_wire::rest::Message;
use band_wire::{AgentId, MessageId, ParticipantId, Stamp};
use serde::de::DeserializeOwned;
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
    /// The handle, without `@`, of someone who is in the room.
    pub sender_handle: Option<String>,
    /// `User`, `Agent`, or another word of the platform.
    pub sender_type: String,
    /// `text`, `tool_call`, `tool_result`, `thought`, `error`, `task`, …
    pub message_type: String,
    /// Of events what their sender supplied.
    pub metadata: Map<String, Value>,
    /// Whether this agent wrote it: the sender's id says so.
    pub is_own: bool,
    /// When it was stored, if the platform says.
    pub created_at: Option<Stamp>,
    /// The files that came with it, as the platform tells of them.
    pub attachments: Vec<Value>,
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
        let before = messages.into_iter().take_while(|message| message.id != trigger);
        let items = before.map(|message| HistoryItem::read(message, agent, members)).collect();
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
        let others = messages.into_iter().filter(|message| message.id != trigger);
        Self { items: others.map(|message| HistoryItem::read(message, agent, members)).collect(), truncated }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// As a conversation that every provider takes: see [`Transcript::from_past`].
    pub fn transcript(&self) -> Transcript {
        let speakers: Vec<String> = self.items.iter().map(HistoryItem::speaker).collect();
        let said = self.items.iter().zip(&speakers).map(|(item, speaker)| Said {
            is_own: item.is_own,
            message_type: &item.message_type,
            speaker,
            content: &item.content,
        });
        let mut transcript = Transcript::from_past(said);
        if self.truncated {
            transcript.note_shortened();
        }
        transcript
    }

    /// The newest state that the agent left for itself in the metadata of a `task` event, under this key. What
    /// does not read as a `T` is passed over, and so is what tells of usage.
    ///
    /// ```
    /// # let history = band::RawHistory::default();
    /// let session: Option<String> = history.latest_task_metadata("my_session_id");
    /// # assert_eq!(session, None);
    /// ```
    pub fn latest_task_metadata<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let events = self.items.iter().map(|item| TaskEvent {
            is_own: item.is_own,
            message_type: &item.message_type,
            metadata: &item.metadata,
        });
        latest_task_metadata(events, key)
    }
}

impl HistoryItem {
    fn read(message: Message, agent: AgentId, members: &[Member]) -> Self {
        let member = |id| members.iter().find(|member| member.id == id);
        let name_of = |id| member(id).and_then(Member::mention_name);
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
            sender_handle: member(message.sender_id).and_then(|member| member.handle.clone()),
            sender_type: message.sender_type,
            message_type: message.message_type,
            metadata: message.metadata,
            created_at: message.inserted_at,
            attachments: message.attachments,
        }
    }

    /// The name to show a model, as of [`IncomingMessage::speaker`](crate::IncomingMessage::speaker).
    pub fn speaker(&self) -> String {
        // A sender without a name has its type for one, which is nobody's name.
        let name = Some(self.sender_name.as_str()).filter(|name| *name != self.sender_type);
        speaker(name, &self.sender_type, self.sender_handle.as_deref())
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

/// A conversation that any provider takes.
impl HistoryConverter for Transcript {
    type Output = Self;

    fn convert(&self, history: RawHistory, _me: &Identity) -> Result<Self, AdapterError> {
        Ok(history.transcript())
    }
}

#[cfg(test)]
mod tests;
