//! The calls of the Agent API.

use std::time::Duration;

use band_wire::rest::{
    ActivityState, AddParticipant, AgentChat, AgentMe, Body, CreateChat, CreateEvent, Cursored, Data,
    DeliveryStatus, EventCreated, EventType, FailMark, Message, MessageSent, Page, Paged, Participant, Peer,
    ReportActivity, Role, SendMessage, routes,
};
use band_wire::{ChatId, MessageId, ParticipantId};

use super::answer::Answer;
use super::client::{Call, RestClient, is_empty};
use super::gate::Lane;
use super::mark::{self, Mark};
use super::retry::Policy;
use crate::error::Result;

/// Items of a page where this client walks pages.
const PAGE_SIZE: u64 = 100;
/// Pages walked at least, however few the platform announces.
const MIN_PAGES: u64 = 50;
/// Pages walked beyond what the platform announced when the walk began: rooms may come while it goes on.
const MORE_PAGES: u64 = 5;
/// How often a list of rooms that changes while it is read is read.
const WALKS: u32 = 3;

/// Which part of a room's past to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContextQuery {
    /// From the page before.
    pub cursor: Option<String>,
    /// Items of the page; the platform's default is 50, its maximum 100.
    pub limit: Option<u32>,
    /// Newest first. A platform that does not know this answers 422.
    pub newest_first: bool,
}

/// Which messages of a room to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessagesQuery {
    /// Only those that stand here for the agent; those short of processed when none.
    pub status: Option<DeliveryStatus>,
    /// From the page before.
    pub cursor: Option<String>,
    /// Items of the page; the platform's default is 20, its maximum 100.
    pub limit: Option<u32>,
}

impl RestClient {
    /// Who the key belongs to. One attempt: the retries of a start are its owner's to decide.
    ///
    /// # Errors
    /// [`Unauthorized`](crate::Error::Unauthorized) for a wrong key; every other refusal or lost connection.
    pub async fn me(&self) -> Result<AgentMe> {
        let answer = self.call(Call::get(routes::AGENT_ME).once().in_lane(Lane::Starts)).await?;
        let me: AgentMe = answer.data()?;
        self.learn_keys(me.honours_idempotency_keys());
        Ok(me)
    }

    /// One page of the agent's rooms, from page 1.
    ///
    /// # Errors
    /// A refusal or a lost connection that outlasted the retries; so for all calls that follow.
    pub async fn chats(&self, page: u64) -> Result<Paged<AgentChat, Page>> {
        let call =
            Call::get(routes::AGENT_CHATS).query("page", Some(page)).query("page_size", Some(PAGE_SIZE));
        self.ask(call, |answer| answer.json()).await
    }

    /// All of the agent's rooms, each once, in the platform's order. A room that goes while the pages are read
    /// moves another one from a page that is to come to one that was read; so pages whose count of all rooms changes
    /// on the way are read again, a few times.
    ///
    /// # Errors
    /// Any page that can't be read: half a list would look like rooms that are gone.
    pub async fn all_chats(&self) -> Result<Vec<AgentChat>> {
        let mut walks = 1;
        loop {
            let (chats, is_steady) = self.walk_chats().await?;
            if is_steady || walks == WALKS {
                return Ok(chats);
            }
            walks += 1;
        }
    }

    /// Reads the pages of rooms once. Gives also whether all of them told the same count of rooms.
    async fn walk_chats(&self) -> Result<(Vec<AgentChat>, bool)> {
        let mut seen = std::collections::BTreeSet::new();
        let mut chats = Vec::new();
        let mut last = MIN_PAGES;
        let mut number = 1;
        let mut totals = std::collections::BTreeSet::new();
        while number <= last {
            let page = self.chats(number).await?;
            totals.insert(page.metadata.total_count);
            if number == 1 {
                last = MIN_PAGES.max(page.metadata.total_pages.saturating_add(MORE_PAGES));
            }
            let known = chats.len();
            chats.extend(page.data.into_iter().filter(|chat| seen.insert(chat.id)));
            if chats.len() == known || number >= page.metadata.total_pages {
                break;
            }
            number += 1;
        }
        Ok((chats, totals.len() <= 1))
    }

    /// One room.
    ///
    /// # Errors
    /// As for [`chats`](Self::chats); 404 when the agent is not in it.
    pub async fn chat(&self, chat: ChatId) -> Result<AgentChat> {
        self.ask(Call::get(routes::agent_chat(chat)), |answer| answer.data()).await
    }

    /// Creates a room that the agent owns. Repeated after a broken connection only with a key.
    ///
    /// # Errors
    /// As for [`chats`](Self::chats).
    pub async fn create_chat(&self, chat: &CreateChat, idempotency_key: Option<&str>) -> Result<AgentChat> {
        let call =
            Call::post(routes::AGENT_CHATS, Policy::Unkeyed).keyed(idempotency_key)?.json(&Body(chat))?;
        self.ask(call, |answer| answer.data()).await
    }

    /// Who is in a room.
    ///
    /// # Errors
    /// As for [`chats`](Self::chats).
    pub async fn participants(&self, chat: ChatId) -> Result<Vec<Participant>> {
        self.ask(Call::get(routes::agent_participants(chat)), |answer| answer.data()).await
    }

    /// Brings someone into a room.
    ///
    /// # Errors
    /// As for [`chats`](Self::chats); 409 when they are in it.
    pub async fn add_participant(&self, chat: ChatId, who: ParticipantId, role: Role) -> Result<Participant> {
        let body = AddParticipant { participant_id: who, role };
        let call =
            Call::post(routes::agent_participants(chat), Policy::Unkeyed).keyed(Some(&self.fresh_key()))?;
        let call = call.json(&Body(&body))?;
        self.ask(call, |answer| answer.data()).await
    }

    /// Takes someone out of a room.
    ///
    /// # Errors
    /// As for [`chats`](Self::chats).
    pub async fn remove_participant(&self, chat: ChatId, who: ParticipantId) -> Result<Participant> {
        self.ask(Call::delete(routes::agent_participant(chat, who)), |answer| answer.data()).await
    }

    /// One page of whom the agent may bring into a room, from page 1.
    ///
    /// # Errors
    /// As for [`chats`](Self::chats).
    pub async fn peers(
        &self,
        not_in_chat: Option<ChatId>,
        page: u64,
        page_size: u64,
    ) -> Result<Paged<Peer, Page>> {
        let call = Call::get(routes::AGENT_PEERS)
            .query("not_in_chat", not_in_chat)
            .query("page", Some(page))
            .query("page_size", Some(page_size));
        self.ask(call, |answer| answer.json()).await
    }

    /// The oldest message of a room that is short of processed, or none; none too while the execution is
    /// stopped.
    ///
    /// # Errors
    /// As for [`chats`](Self::chats).
    pub async fn next(&self, chat: ChatId) -> Result<Option<Message>> {
        let read = |answer: Answer| if is_empty(&answer) { Ok(None) } else { answer.data().map(Some) };
        self.ask(Call::get(routes::agent_next(chat)), read).await
    }

    /// One page of the messages for the agent, oldest first.
    ///
    /// # Errors
    /// As for [`chats`](Self::chats).
    pub async fn messages(&self, chat: ChatId, query: &MessagesQuery) -> Result<Paged<Message, Cursored>> {
        let call = Call::get(routes::agent_messages(chat))
            .query("status", query.status.map(DeliveryStatus::as_str))
            .query("cursor", query.cursor.as_deref())
            .query("limit", query.limit);
        self.ask(call, |answer| answer.json()).await
    }

    /// One page of what the agent may know of a room's past.
    ///
    /// # Errors
    /// As for [`chats`](Self::chats).
    pub async fn context(&self, chat: ChatId, query: &ContextQuery) -> Result<Paged<Message, Cursored>> {
        let call = Call::get(routes::agent_context(chat))
            .query("cursor", query.cursor.as_deref())
            .query("limit", query.limit)
            .query("sort_order", query.newest_first.then_some("desc"));
        self.ask(call, |answer| answer.json()).await
    }

    /// Claims a message: opens an attempt, or finds one open.
    ///
    /// # Errors
    /// No valid key; what else can go wrong is a [`Mark`].
    pub async fn mark_processing(&self, chat: ChatId, message: MessageId) -> Result<Mark> {
        self.mark(Call::post(routes::agent_mark(chat, message, "processing"), Policy::Repeatable)).await
    }

    /// Ends the open attempt: the message is done.
    ///
    /// # Errors
    /// As for [`mark_processing`](Self::mark_processing).
    pub async fn mark_processed(&self, chat: ChatId, message: MessageId) -> Result<Mark> {
        self.mark(Call::post(routes::agent_mark(chat, message, "processed"), Policy::Repeatable)).await
    }

    /// Ends the open attempt: it failed. A blank text is told as `Unknown error`.
    ///
    /// # Errors
    /// As for [`mark_processing`](Self::mark_processing).
    pub async fn mark_failed(&self, chat: ChatId, message: MessageId, error: &str) -> Result<Mark> {
        let error = match error.trim() {
            "" => "Unknown error",
            text => text,
        };
        let call = Call::post(routes::agent_mark(chat, message, "failed"), Policy::Repeatable);
        self.mark(call.json(&Body(&FailMark { error: error.to_owned() }))?).await
    }

    async fn mark(&self, call: Call) -> Result<Mark> {
        mark::read(self.call(call.within(self.0.mark_timeout)).await)
    }

    /// Posts a message. With an idempotency key it is sent again whenever the answer is not known; without
    /// one only when the platform can't have stored it. Either is done for five minutes, so that no message is lost
    /// because a platform is started anew: whoever has less time drops the future.
    ///
    /// # Errors
    /// As for [`chats`](Self::chats). An error with a status in the 200s says: stored, the answer can't be
    /// read, do not send it again.
    pub async fn send_message(
        &self,
        chat: ChatId,
        message: &SendMessage,
        idempotency_key: Option<&str>,
    ) -> Result<MessageSent> {
        let call = Call::post(routes::agent_messages(chat), Policy::Unkeyed)
            .keyed(idempotency_key)?
            .patient()
            .json(&Body(message))?;
        self.ask(call, |answer| answer.data()).await
    }

    /// Posts an event. Keys work as for [`send_message`](Self::send_message); so does the patience, for an event
    /// that tells of an error. Others are tried as any call is.
    ///
    /// # Errors
    /// As for [`send_message`](Self::send_message).
    pub async fn send_event(
        &self,
        chat: ChatId,
        event: &CreateEvent,
        idempotency_key: Option<&str>,
    ) -> Result<EventCreated> {
        let call = Call::post(routes::agent_events(chat), Policy::Unkeyed)
            .keyed(idempotency_key)?
            .json(&Body(event))?;
        // Steps of the work can be done without; that it failed is what people get in place of an answer.
        let call = if event.message_type == EventType::Error { call.patient() } else { call };
        self.ask(call, |answer| answer.data()).await
    }

    /// Tells whether the agent is at work in a room: one attempt, within `limit` in all. Gives what holds
    /// after the call; false after a report of true means that the execution is stopped.
    ///
    /// # Errors
    /// Any refusal, any lost connection, no answer in time. None of them is worth holding up a turn.
    pub async fn report_activity(
        &self,
        chat: ChatId,
        report: &ReportActivity,
        limit: Duration,
    ) -> Result<bool> {
        let call = Call::post(routes::agent_activity(chat), Policy::Once).json(&Body(report))?;
        let answer = self.call_within(call.in_lane(Lane::Reports).within(limit), limit).await?;
        Ok(answer.json::<Data<ActivityState>>()?.data.working)
    }
}
