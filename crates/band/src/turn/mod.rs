//! One message and everything that it takes to answer it.

mod failure;
mod message;
mod shared;
mod usage;

use std::fmt;
use std::sync::Arc;

use band_core::room::Member;
use band_core::turn::update_line;
use band_wire::rest::{EventCreated, EventType, MessageSent};
use band_wire::{ChatId, MessageId};
use serde_json::{Map, Value};
use tokio_util::task::task_tracker::TaskTrackerToken;

pub use failure::AgentFailure;
pub use message::IncomingMessage;
pub(crate) use shared::{RoomShared, TurnShared};
pub use usage::Usage;

use crate::adapter::{AdapterError, EffectiveFeatures, Identity};
use crate::error::{DeliveryError, Error, Result};
use crate::history::RawHistory;
use crate::tools::RoomTools;

/// A turn with its history as the platform gave it: what a [`FrameworkAdapter`](crate::FrameworkAdapter) gets.
pub type AgentInput = Turn<RawHistory>;

/// One message and everything that it takes to answer it.
pub struct Turn<H = RawHistory> {
    /// The message.
    pub message: IncomingMessage,
    /// The room.
    pub room: ChatId,
    /// What came before the message. Has entries only when [`is_bootstrap`](Self::is_bootstrap).
    pub history: H,
    /// Who is in the room.
    pub participants: Arc<Vec<Member>>,
    /// For the model: the room's participants, when they have changed since it was last told.
    pub participants_update: Option<String>,
    /// For the model: what else happened since the last turn, to the agent's contacts for example; one a line.
    pub contacts_update: Option<String>,
    /// Whether this is the first message of a session in this room.
    pub is_bootstrap: bool,
    /// The tools of this room, bound to this turn. Cheap to clone.
    pub tools: RoomTools,
}

/// The work of a turn that lets its room go on: see [`Turn::detach`]. Dropped when the work is over.
#[derive(Debug)]
#[must_use = "the work is over when this is dropped"]
pub struct Detached {
    _work: TaskTrackerToken,
}

impl<H> fmt::Debug for Turn<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("room", &self.room)
            .field("message", &self.message.id)
            .field("is_bootstrap", &self.is_bootstrap)
            .finish_non_exhaustive()
    }
}

impl<H> Turn<H> {
    /// The message's text; mentions of known participants are written as `@handle`.
    pub fn text(&self) -> &str {
        &self.message.content
    }

    /// All that the turn brings as one text for a model: who is in the room and what else is new, as far as there is
    /// news, then the message, with a blank line between them. For systems that take a turn as one text; others push
    /// each into their [`Transcript`](crate::transcript::Transcript).
    pub fn for_model(&self) -> String {
        let news = [&self.participants_update, &self.contacts_update].into_iter().flatten();
        let news = news.filter(|text| !text.trim().is_empty()).map(|text| update_line(text));
        news.chain([self.message.format_for_llm()]).collect::<Vec<_>>().join("\n\n")
    }

    /// Resolves when the turn is asked to end: the agent stops, a person interrupts, it took too long.
    /// A second later the adapter's future is dropped.
    pub async fn cancelled(&self) {
        self.tools.shared.cancel.cancelled().await;
    }

    /// Whether the turn was asked to end.
    pub fn is_cancelled(&self) -> bool {
        self.tools.shared.cancel.is_cancelled()
    }

    /// What the adapter posts and offers: what was chosen for it, less what the platform does not serve.
    pub fn features(&self) -> &EffectiveFeatures {
        &self.tools.shared.features
    }

    /// Answers whoever wrote the message.
    ///
    /// # Errors
    /// The text has nothing to see, the turn was asked to end, or the platform refused.
    pub async fn reply(&self, text: impl Into<String>) -> Result<MessageSent> {
        self.tools.send_to(text.into(), vec![self.sender()]).await
    }

    /// Answers whoever wrote the message with a model's final text, unless there is nothing to see in it or
    /// the turn has replied or declined already. Says whether it answered.
    ///
    /// # Errors
    /// The turn was asked to end, or the platform refused.
    pub async fn relay_reply(&self, text: impl Into<String>) -> Result<bool> {
        let text = text.into();
        if self.tools.replied() || !band_core::platform::text::has_visible(&text) {
            return Ok(false);
        }
        self.reply(text).await.map(|_| true)
    }

    /// Says something to whoever wrote the message that does not count as the answer.
    ///
    /// # Errors
    /// As [`reply`](Self::reply).
    pub async fn notice(&self, text: impl Into<String>) -> Result<MessageSent> {
        self.tools.notice_to(text.into(), vec![self.sender()]).await
    }

    /// As [`reply`](Self::reply), for adapters whose error handling is shared with their provider's calls: what
    /// fails here is no failure of the provider.
    ///
    /// # Errors
    /// As of [`reply`](Self::reply), wrapped: [`AdapterError::delivery`] finds it again.
    pub async fn deliver_reply(&self, text: impl Into<String>) -> Result<MessageSent, DeliveryError> {
        self.reply(text).await.map_err(DeliveryError)
    }

    /// As [`notice`](Self::notice), likewise.
    ///
    /// # Errors
    /// As of [`notice`](Self::notice), wrapped.
    pub async fn deliver_notice(&self, text: impl Into<String>) -> Result<MessageSent, DeliveryError> {
        self.notice(text).await.map_err(DeliveryError)
    }

    /// Leaves the message unanswered on purpose. The reason goes to the log.
    pub fn no_reply(&self, reason: Option<&str>) {
        self.tools.no_reply(reason);
    }

    /// Shows people a step of the work. Agents do not see events.
    ///
    /// # Errors
    /// The text has nothing to see, the turn was asked to end, or the platform refused.
    pub async fn event(
        &self,
        kind: EventType,
        text: impl Into<String>,
        metadata: Option<Map<String, Value>>,
    ) -> Result<EventCreated> {
        self.tools.send_event(kind, text.into(), metadata).await
    }

    /// Tells the room of a failure and ends the turn with it: it counts as reported, and the message as
    /// processed if the adapter then returns normally. Says whether the room was told.
    ///
    /// # Errors
    /// Only when the platform has stopped the agent in this room. Other refusals are logged.
    pub async fn fail(&self, failure: AgentFailure) -> Result<bool> {
        self.tools.send_failure(failure).await
    }

    /// Shows people a step of the work that can do without being shown. Says whether it was.
    pub async fn event_safe(
        &self,
        kind: EventType,
        text: impl Into<String>,
        metadata: Option<Map<String, Value>>,
    ) -> bool {
        self.tools.send_event_safe(kind, text.into(), metadata).await
    }

    /// Shows people what the turn took of a model, if the adapter was chosen to. Never fails.
    pub async fn emit_usage(&self, usage: Usage) {
        self.tools.emit_usage(usage).await;
    }

    /// Marks another message of this room as being worked on, for a turn that deals with several. Says whether
    /// the platform took it; it keeps its own turn unless it is settled otherwise.
    ///
    /// # Errors
    /// The turn was asked to end, meanwhile too; the platform has stopped the agent in this room, which ends the
    /// turn; or it could not be reached.
    pub async fn claim_message(&self, message: MessageId) -> Result<bool> {
        let shared = &self.tools.shared;
        let ended = || if shared.cancel.is_cancelled() { Err(Error::Cancelled) } else { Ok(()) };
        ended()?;
        let claimed = shared.port.claim(message).await;
        if matches!(claimed, Err(Error::Stopped { .. })) {
            shared.note_stopped();
        }
        ended().and(claimed)
    }

    /// Lets the room go on while this turn's work does: it waits for a person, say. The message counts as
    /// processed from here on, and the next one gets its turn. What comes of the work is judged when it is over:
    /// when the adapter has returned and what this gives is dropped. Then the room is told if nobody got an
    /// answer; the message keeps its mark. When the agent stops, the work is asked to end like a turn.
    ///
    /// A room lets 64 turns go on beside it; a further one keeps it waiting.
    pub fn detach(&self) -> Detached {
        let shared = &self.tools.shared;
        let work = shared.work.token();
        shared.detach();
        Detached { _work: work }
    }

    /// What this turn was to bring stays owed to the next one, even though the adapter had it: the room's past,
    /// the participants, the news of contacts. For a first turn that failed before the model saw anything.
    pub fn retain_context(&self) {
        self.tools.shared.keep_owed();
    }

    /// The adapter has ended the turn in its own way: it needs no reply.
    pub fn settle(&self) {
        self.tools.shared.ledger().settle();
    }

    fn sender(&self) -> band_wire::ParticipantId {
        self.message.sender_id
    }
}

impl AgentInput {
    /// Converts the history; if that fails it stays owed.
    pub(crate) fn convert<H>(
        self,
        convert: impl FnOnce(RawHistory, &Identity) -> Result<H, AdapterError>,
    ) -> Result<Turn<H>, AdapterError> {
        let Self {
            message,
            room,
            history,
            participants,
            participants_update,
            contacts_update,
            is_bootstrap,
            tools,
        } = self;
        let history = convert(history, &tools.shared.identity).inspect_err(|_| tools.shared.keep_owed())?;
        Ok(Turn {
            message,
            room,
            history,
            participants,
            participants_update,
            contacts_update,
            is_bootstrap,
            tools,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::FakeTools;

    #[test]
    fn a_turn_is_one_text_with_its_news_first() {
        let room = FakeTools::new();
        let mut turn = room.turn("hi");
        turn.participants_update = Some("## Current Participants".to_owned());
        turn.contacts_update = Some("[Contacts]: @bob (Bob) is now a contact".to_owned());
        assert_eq!(
            turn.for_model(),
            "[System]: ## Current Participants\n\n[System]: [Contacts]: @bob (Bob) is now a contact\n\n[Ada]: hi"
        );
        (turn.participants_update, turn.contacts_update) = (None, Some(" ".to_owned()));
        assert_eq!(turn.for_model(), "[Ada]: hi");
    }
}
