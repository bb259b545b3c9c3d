//! The tools of one room, bound to one turn.

mod contacts;
mod custom;
mod dispatch;
mod error;
mod files;
mod guard;
mod human;
mod members;
mod memory;
mod outcome;
mod port;
mod resolve;
mod set;
mod show;
mod tasks;
mod wrapped;

#[cfg(test)]
mod each_tool;

use std::fmt;
use std::sync::Arc;

use band_core::room::{CANCEL_GRACE, Member, Record};
use band_core::trial::{self, Fault};
use band_core::turn::Verdict;
use band_wire::rest::{
    CreateEvent, EventCreated, EventType, MentionInput, MessageSent, Participant, SendMessage, code,
};
use band_wire::text::{cut_middle, has_visible};
use band_wire::{ChatId, ParticipantId};
use serde_json::{Map, Value};

pub use band_wire::tools::{AgentTool, Effect, Format, Group, HumanTool, ToolDefinition};
pub(crate) use contacts::ContactPort;
pub use custom::{Tool, ToolContext};
use dispatch::{WrongText, read_text};
pub use error::ToolError;
pub use files::{FileContent, FileList, MAX_SENT, MAX_SHOWN_IMAGE, MAX_SHOWN_TEXT};
pub(crate) use files::{FilePort, SeenFiles};
pub use guard::{GuardVerdict, LoopGuard};
pub use human::HumanTools;
pub use members::{Added, AddedStatus, Removed};
pub(crate) use memory::MemoryPort;
pub use outcome::{Image, ToolOutcome, model_text};
pub(crate) use port::{Answer, RestPort, RoomPort};
pub use set::ToolSet;
pub(crate) use set::{Offer, check_own};
pub use show::redacted;
pub(crate) use tasks::TaskPort;
pub use wrapped::WrappedTool;

use crate::adapter::Emit;
use crate::error::{Error, Result};
use crate::turn::{AgentFailure, TurnShared, Usage};

/// What stands for the middle of a text that was cut.
pub(crate) const CUT: &str = "... [truncated] ...";

/// The tools of one room, bound to one turn: what they do counts for that turn's verdict. Cheap to clone.
#[derive(Clone)]
pub struct RoomTools {
    pub(crate) shared: Arc<TurnShared>,
}

impl fmt::Debug for RoomTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RoomTools").field("room", &self.shared.room).finish_non_exhaustive()
    }
}

impl RoomTools {
    /// The room.
    pub fn room(&self) -> ChatId {
        self.shared.room
    }

    /// Who is in the room, as far as is known without asking.
    pub fn participants(&self) -> Arc<Vec<Member>> {
        self.shared.roster().members()
    }

    /// The tools that a model is offered in this room: the same that it can call.
    pub fn tool_set(&self) -> &ToolSet {
        self.shared.features.tools(self.shared.is_hub)
    }

    /// Resolves when the turn is asked to end. Whatever works for the turn holds a clone of its tools, and so
    /// ends with it.
    pub async fn cancelled(&self) {
        self.shared.cancel.cancelled().await;
    }

    /// Does work that belongs to this turn, wherever it runs: it is told to end with the turn, by
    /// [`cancelled`](Self::cancelled), and dropped a second later, as the turn itself is.
    ///
    /// # Errors
    /// It was dropped.
    pub async fn bound<T>(&self, work: impl Future<Output = T> + Send) -> Result<T> {
        let too_late = async {
            self.cancelled().await;
            tokio::time::sleep(CANCEL_GRACE).await;
        };
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = too_late => Err(Error::Cancelled),
        }
    }

    /// Whether the turn has replied or declined.
    pub fn replied(&self) -> bool {
        self.shared.ledger().replied()
    }

    /// Whether the turn may end as it is.
    pub fn is_complete(&self) -> bool {
        self.shared.ledger().verdict() == Verdict::Complete
    }

    /// Sends a message to those named: by id, handle, or a name that only one of them has. Counts as the
    /// reply. Someone unknown is looked up once more on the platform before that is an error.
    ///
    /// # Errors
    /// Nobody fitting is named, the text has nothing to see, the turn was asked to end, or the platform
    /// refused.
    pub async fn send_message<M: AsRef<str> + Sync>(
        &self,
        content: impl Into<String> + Send,
        mentions: &[M],
    ) -> Result<MessageSent> {
        let found = self.resolve(mentions).await?;
        self.send_to(content.into(), found.to).await
    }

    /// Sends a message that does not count as the reply.
    ///
    /// # Errors
    /// As [`send_message`](Self::send_message).
    pub async fn send_notice<M: AsRef<str> + Sync>(
        &self,
        content: impl Into<String> + Send,
        mentions: &[M],
    ) -> Result<MessageSent> {
        let found = self.resolve(mentions).await?;
        self.notice_to(content.into(), found.to).await
    }

    /// Posts an event: a step of the work that people see. Text over the platform's limit is cut in the
    /// middle.
    ///
    /// # Errors
    /// The text has nothing to see, the turn was asked to end, or the platform refused.
    pub async fn send_event(
        &self,
        kind: EventType,
        content: impl Into<String> + Send,
        metadata: Option<Map<String, Value>>,
    ) -> Result<EventCreated> {
        let content = content.into();
        self.may_post(&content)?;
        let content = cut_middle(&content, CreateEvent::MAX_CONTENT, CUT);
        let event = CreateEvent { content, message_type: kind, metadata };
        self.posted(self.bound(self.shared.port.event(&event)).await.flatten())
    }

    /// The same for what the work can do without. Says whether it was posted; why not is logged.
    pub async fn send_event_safe(
        &self,
        kind: EventType,
        content: impl Into<String> + Send,
        metadata: Option<Map<String, Value>>,
    ) -> bool {
        match self.send_event(kind, content, metadata).await {
            Ok(_) => true,
            Err(err) => {
                tracing::warn!(target: "band.tools", room = %self.room(), ?kind, %err, "an event could not be posted");
                false
            }
        }
    }

    /// Shows people what the work took of a model, if the adapter was chosen to: as a `task` event. Nothing
    /// at all is not shown, nor is anything once the turn was asked to end. That it can't be shown is logged.
    pub async fn emit_usage(&self, usage: Usage) {
        if self.shared.features.emits(Emit::Usage)
            && !usage.is_nothing()
            && !self.shared.cancel.is_cancelled()
        {
            self.send_event_safe(EventType::Task, usage.content(), Some(usage.metadata())).await;
        }
    }

    /// Tells the room of a failure. Says whether it was told; a refusal is logged.
    ///
    /// # Errors
    /// Only when the platform has stopped the agent in this room.
    pub async fn send_failure(&self, failure: AgentFailure) -> Result<bool> {
        let told = self.send_event(EventType::Error, failure.content(), Some(failure.metadata())).await;
        match told {
            Ok(_) => {
                self.shared.ledger().note_reported();
                Ok(true)
            }
            Err(err @ Error::Stopped { .. }) => Err(err),
            Err(err) => {
                tracing::warn!(target: "band.tools", room = %self.room(), %err, "could not report a failure");
                Ok(false)
            }
        }
    }

    /// Leaves the message unanswered on purpose. The reason goes to the log.
    pub fn no_reply(&self, reason: Option<&str>) {
        self.shared.ledger().record(Effect::Decline);
        let reason = reason.unwrap_or_default();
        tracing::info!(target: "band.tools", room = %self.room(), reason, "no reply, on purpose");
    }

    /// Asks the platform who is in the room.
    ///
    /// # Errors
    /// The platform refused or could not be reached.
    pub async fn get_participants(&self) -> Result<Vec<Participant>> {
        let list = self.shared.port.participants().await?;
        self.shared.roster().replace(list.iter().cloned().map(Member::from));
        Ok(list)
    }

    pub(crate) async fn send_to(&self, content: String, to: Vec<ParticipantId>) -> Result<MessageSent> {
        self.send_with(content, to, Vec::new()).await
    }

    /// With files of the room.
    pub(crate) async fn send_with(
        &self,
        content: String,
        to: Vec<ParticipantId>,
        files: Vec<String>,
    ) -> Result<MessageSent> {
        let sent = self.post(content, to, files).await?;
        self.shared.ledger().record(Effect::Reply);
        Ok(sent)
    }

    pub(crate) async fn notice_to(&self, content: String, to: Vec<ParticipantId>) -> Result<MessageSent> {
        self.post(content, to, Vec::new()).await
    }

    async fn post(
        &self,
        content: String,
        to: Vec<ParticipantId>,
        attachment_ids: Vec<String>,
    ) -> Result<MessageSent> {
        self.may_post(&content)?;
        let (trigger, ordinal) = (self.shared.trigger, self.shared.next_send());
        if let Some(id) = self.shared.journal.posted(trigger, ordinal) {
            tracing::info!(target: "band.tools", message_id = %id, "an earlier attempt has sent this message already");
            return Ok(MessageSent { id, success: true, recipients: Vec::new() });
        }
        let key = if trial::has(Fault::OrdinalRandom) {
            uuid::Uuid::new_v4().to_string()
        } else {
            format!("{trigger}-{ordinal}")
        };
        let mentions = to.into_iter().map(|id| self.mention(id)).collect();
        let message = SendMessage { content, mentions, attachment_ids };
        // It may wait for the platform for minutes, and no longer than the turn lives.
        let sent = match self.bound(self.shared.port.send(&message, &key)).await.flatten() {
            Err(err) => already_sent(&err).map_or_else(|| self.posted(Err(err)), Ok),
            sent => sent,
        };
        let sent = sent.inspect_err(|err| {
            if is_refusal(err) {
                // Nothing was stored under that number: the next message takes it, as it will when the turn
                // is run again.
                self.shared.give_back_send(ordinal);
            }
        })?;
        self.shared.journal.record(&Record::Posted { message: trigger, ordinal, reply: sent.id });
        Ok(sent)
    }

    fn mention(&self, id: ParticipantId) -> MentionInput {
        let handle = self.shared.roster().get(id).and_then(|member| member.handle.clone());
        MentionInput { id: Some(id.to_string()), handle, name: None, kind: None }
    }

    fn may_post(&self, content: &str) -> Result<()> {
        if self.shared.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        if has_visible(content) {
            return Ok(());
        }
        tracing::warn!(target: "band.tools", room = %self.room(), "a text with nothing to see was not posted");
        Err(ToolError::Blank.into())
    }

    /// Tells a stopped room from other refusals.
    fn posted<T>(&self, answer: Result<T>) -> Result<T> {
        answer.map_err(|err| match err.api() {
            Some(api) if is_stop(api.status_code, &api.message) => {
                self.shared.note_stopped();
                Error::Stopped { room: self.room() }
            }
            Some(api) if is_gone(api) => ToolError::MentionNotInRoom.into(),
            Some(_) | None => err,
        })
    }
}

/// An earlier attempt at this turn has sent this message already, in other words: the platform holds on to
/// that one, and names it. So does this turn.
fn already_sent(err: &Error) -> Option<MessageSent> {
    let api = err.api().filter(|api| api.status_code == 409 && api.code == code::IDEMPOTENCY_CONFLICT)?;
    let id = api.details.get("id")?.first()?.parse().ok()?;
    tracing::info!(target: "band.tools", message_id = %id, "an earlier attempt has sent this message already");
    Some(MessageSent { id, success: true, recipients: Vec::new() })
}

/// Whether the platform has certainly stored nothing.
fn is_refusal(err: &Error) -> bool {
    matches!(err, Error::Stopped { .. } | Error::Tool(ToolError::MentionNotInRoom))
        || err.status().is_some_and(|status| matches!(status, 400..408 | 410..500))
}

/// Whether someone who is mentioned has left the room meanwhile. Platforms say it in the code, the text, or both.
fn is_gone(api: &crate::ApiError) -> bool {
    let token = code::MENTIONED_PARTICIPANT_NOT_IN_ROOM;
    api.status_code == 422 && (api.message == token || api.code == token)
}

fn is_stop(status: u16, message: &str) -> bool {
    status == 403 && message.to_ascii_lowercase().contains("execution is stopped")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_long_event_keeps_both_ends() {
        let room = crate::testing::FakeTools::new();
        let text = format!("a{}é", "ü".repeat(20_000));
        room.tools().send_event(EventType::Thought, text, None).await.unwrap();
        let [event] = &room.events()[..] else { panic!("one event") };
        assert_eq!(event.content.chars().count(), CreateEvent::MAX_CONTENT);
        assert!(event.content.starts_with("aü") && event.content.ends_with("üé"));
        assert!(event.content.contains(CUT));
    }

    #[test]
    fn a_message_that_an_earlier_attempt_sent_counts_as_sent() {
        let id = "0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d";
        let conflict = |code: &str| {
            let mut api = crate::ApiError::new(409, "");
            api.code = code.to_owned();
            api.details.insert("id".to_owned(), vec![id.to_owned()]);
            Error::from(api)
        };
        let sent = already_sent(&conflict(code::IDEMPOTENCY_CONFLICT)).unwrap();
        assert_eq!(sent.id.to_string(), id);
        assert_eq!(already_sent(&conflict("conflict")), None);
    }

    #[test]
    fn a_stopped_execution_is_told_by_its_text() {
        assert!(is_stop(403, "The Execution is Stopped in this room"));
        assert!(!is_stop(403, "forbidden"));
        assert!(!is_stop(422, "execution is stopped"));
    }
}
