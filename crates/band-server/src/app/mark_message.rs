//! `POST /agent/chats/{chat_id}/messages/{id}/processing`, `…/processed`, `…/failed`.

use band_core::platform::delivery::Mark;
use band_core::platform::{Principal, Refusal, marks};
use band_wire::rest::{FailMark, MessageMark};
use band_wire::{ChatId, MessageId};

use super::{App, AppResult};
use crate::store::Scope;

impl App {
    /// The agent begins with a message. While an attempt is open, the same one is answered. Marks do
    /// and answer nothing while the agent is stopped there.
    ///
    /// # Errors
    /// 403 for people, 404 outside the room and for a message that isn't in it.
    pub async fn mark_processing(
        &self,
        who: Principal,
        chat: ChatId,
        message: MessageId,
    ) -> AppResult<Option<MessageMark>> {
        self.mark(who, chat, message, Mark::Processing).await
    }

    /// The agent is done with a message.
    ///
    /// # Errors
    /// As [`App::mark_processing`]; 422 under `/processing_attempt` when no attempt is open.
    pub async fn mark_processed(
        &self,
        who: Principal,
        chat: ChatId,
        message: MessageId,
    ) -> AppResult<Option<MessageMark>> {
        self.mark(who, chat, message, Mark::Processed).await
    }

    /// The agent failed with a message.
    ///
    /// # Errors
    /// As [`App::mark_processed`].
    pub async fn mark_failed(
        &self,
        who: Principal,
        chat: ChatId,
        message: MessageId,
        request: FailMark,
    ) -> AppResult<Option<MessageMark>> {
        self.mark(who, chat, message, Mark::Failed(request.error)).await
    }

    async fn mark(
        &self,
        who: Principal,
        chat: ChatId,
        message: MessageId,
        mark: Mark,
    ) -> AppResult<Option<MessageMark>> {
        let (agent, _) = who.agent()?;
        let command = move |scope: &mut Scope<'_>| {
            let room = scope.room(chat)?.ok_or_else(Refusal::not_found)?;
            if room.member(who)?.is_stopped() {
                return Ok(None);
            }
            let stored = scope.view().message(chat, message)?.ok_or_else(Refusal::not_found)?;
            let deliveries = scope.view().deliveries(stored.seq)?;
            let facts = marks::Facts { chat, message: stored.message, deliveries, now: scope.now() };
            Ok(Some(scope.carry_out(marks::mark(facts, agent, mark)?)?))
        };
        self.store().write(command).await
    }
}
