//! Making the calls that a room's machine asks for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use band_core::room::{Answer, Call, Listing, Mark as RoomMark, Member, Roster, Trouble};
use band_core::trial::{self, Fault};
use band_core::turn::{GIVEN_UP, MISSING_REPLY};
use band_wire::rest::{CreateEvent, DeliveryStatus, EventType, ReportActivity};
use band_wire::{AgentId, ChatId, MessageId};
use tokio::time::Instant;

use super::Parts;
use super::activity::ActivityLog;
use super::context::{self, Past};
use super::past::{KeptGlance, KeptPast};
use super::phase::phase;
use crate::error::{Error, Result};
use crate::metrics::Metrics;
use crate::rest::{Mark, MessagesQuery, RestClient};
use crate::turn::AgentFailure;

/// Items of a page behind a message that can't be handled.
const LIST_PAGE: u32 = 100;

/// One room's way to the platform, and what its calls bring.
#[derive(Debug)]
pub(super) struct RoomCalls {
    pub(super) rest: RestClient,
    pub(super) room: ChatId,
    pub(super) agent: AgentId,
    pub(super) most_context: usize,
    pub(super) activity_limit: Duration,
    pub(super) activity: Arc<ActivityLog>,
    pub(super) roster: Arc<Mutex<Roster>>,
    metrics: Metrics,
    pub(super) past: KeptPast,
    glance: KeptGlance,
}

impl RoomCalls {
    pub(super) fn new(parts: &Parts, room: ChatId, activity: Arc<ActivityLog>) -> Self {
        let session = &parts.session;
        Self {
            rest: parts.rest.clone(),
            room,
            agent: parts.identity.id,
            most_context: usize::try_from(session.max_context_messages).unwrap_or(usize::MAX),
            activity_limit: Duration::from_secs(session.working_request_timeout_seconds.into()),
            activity,
            roster: Arc::default(),
            metrics: parts.metrics.clone(),
            past: KeptPast::new(session),
            glance: KeptGlance::new(session),
        }
    }

    pub(super) fn roster(&self) -> MutexGuard<'_, Roster> {
        self.roster.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn make(&self, call: Call) -> Answer {
        match call {
            Call::Next => Answer::Next(
                self.rest.next(self.room).await.map(|found| found.map(Box::new)).map_err(trouble),
            ),
            Call::List { cursor } => Answer::Listed(self.list(cursor).await),
            Call::Claim(id) => {
                let asked = Instant::now();
                let claimed = phase("claim", self.room, id, self.rest.mark_processing(self.room, id)).await;
                self.metrics.claimed(asked.elapsed());
                Answer::Marked(marked(claimed))
            }
            Call::Processed(id) => {
                let outcome = phase("ack", self.room, id, self.rest.mark_processed(self.room, id)).await;
                Answer::Marked(marked(outcome))
            }
            Call::Failed(id, text) => {
                let outcome = phase("ack", self.room, id, self.rest.mark_failed(self.room, id, &text)).await;
                Answer::Marked(marked(outcome))
            }
            Call::Participants => Answer::Participants(self.participants().await),
            Call::History(trigger) => phase("hydrate", self.room, trigger, self.history(trigger)).await,
            Call::Status(id) => Answer::History(self.status(id).await),
            Call::Activity(working) => Answer::Activity(self.report(working).await),
            Call::Notice(message, text) => {
                self.notice(message, text).await;
                Answer::Noticed
            }
        }
    }

    async fn list(&self, cursor: Option<String>) -> Result<Listing, Trouble> {
        let query = MessagesQuery { status: None, cursor, limit: Some(LIST_PAGE) };
        let page = self.rest.messages(self.room, &query).await.map_err(trouble)?;
        let next = page.metadata.next_cursor.filter(|_| page.metadata.has_more);
        Ok(Listing { messages: page.data, next })
    }

    async fn participants(&self) -> Result<(), Trouble> {
        let list = self.rest.participants(self.room).await.map_err(|err| {
            tracing::warn!(target: "band.room", room = %self.room, %err, "participants could not be read");
            trouble(err)
        })?;
        if !trial::has(Fault::RosterLost) {
            self.roster().replace(list.into_iter().map(Member::from));
        }
        Ok(())
    }

    async fn history(&self, trigger: MessageId) -> Answer {
        let status = |past: &Past| past.status(trigger, self.agent);
        if let Some(known) = self.past.peek(trigger, status) {
            return Answer::History(Ok(known));
        }
        Answer::History(match context::read(&self.rest, self.room, trigger, self.most_context).await {
            Ok(past) => {
                let status = status(&past);
                self.past.put(trigger, past);
                Ok(status)
            }
            Err(err) => {
                tracing::warn!(target: "band.room", room = %self.room, %err, "the room's past could not be read");
                Err(trouble(err))
            }
        })
    }

    /// How a message stands, from the room's newest entries. They are read again only when they have become
    /// old: a push is new, as a rule, and then they would not tell.
    async fn status(&self, id: MessageId) -> Result<Option<DeliveryStatus>, Trouble> {
        if let Some(known) = self.past.recent(|past| past.status(id, self.agent)) {
            return Ok(known);
        }
        if let Some(known) = self.glance.peek(id) {
            return Ok(known);
        }
        let told = context::glance(&self.rest, self.room, self.agent).await.map_err(trouble)?;
        let status = told.get(&id).copied();
        self.glance.put(told);
        Ok(status)
    }

    async fn report(&self, working: bool) -> Option<bool> {
        let report = ReportActivity { working, activity: None };
        let told = self.rest.report_activity(self.room, &report, self.activity_limit).await;
        self.activity.note(self.room, &told);
        told.ok()
    }

    /// The same notice of a message is posted once, whatever becomes of this process in between.
    async fn notice(&self, message: MessageId, text: &'static str) {
        let failure = AgentFailure::new("band-runtime", text);
        let event = CreateEvent {
            content: failure.content(),
            message_type: EventType::Error,
            metadata: Some(failure.metadata()),
        };
        let what = match text {
            MISSING_REPLY => "silent",
            GIVEN_UP => "given-up",
            _ => "failed",
        };
        let key = format!("{message}-{what}");
        if let Err(err) = self.rest.send_event(self.room, &event, Some(&key)).await {
            tracing::warn!(target: "band.room", room = %self.room, %err, "the room could not be told of a failure");
        }
    }
}

/// A mark's outcome, as the machines know it.
pub(crate) fn marked(outcome: Result<Mark>) -> RoomMark {
    match outcome {
        Ok(Mark::Accepted(_)) => RoomMark::Accepted,
        Ok(Mark::Stopped) => RoomMark::Stopped,
        Ok(Mark::Rejected) => RoomMark::Rejected,
        Ok(Mark::NotFound) => RoomMark::NotFound,
        Ok(Mark::Unconfirmed(err)) if is_passing(err.status_code) => RoomMark::Lost,
        Ok(Mark::Unconfirmed(_)) | Err(_) => RoomMark::Refused,
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is the end of the error")]
fn trouble(err: Error) -> Trouble {
    match err.status() {
        Some(status) if !is_passing(status) => Trouble::Lasting,
        Some(_) | None => Trouble::Passing,
    }
}

/// Whether the same call may work soon. Zero stands for no answer at all.
const fn is_passing(status: u16) -> bool {
    matches!(status, 0 | 408 | 429 | 500..)
}
