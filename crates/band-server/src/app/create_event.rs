//! `POST /agent/chats/{chat_id}/events`.

use band_core::platform::{Principal, Refusal, post, send};
use band_wire::rest::{CreateEvent, EventCreated};
use band_wire::{ChatId, MessageId};
use uuid::Uuid;

use super::idempotency::Once;
use super::tasks::knows_task;
use super::{App, AppResult};
use crate::store::Scope;

impl App {
    /// Stores an event, and pushes it to the people of the room.
    ///
    /// # Errors
    /// 403 for people and while the agent is stopped, 404 outside the room, 409 for a repeated key with another event, 422 by the rules of
    /// events.
    pub async fn create_event(
        &self,
        who: Principal,
        chat: ChatId,
        request: CreateEvent,
        idempotency_key: Option<String>,
    ) -> AppResult<EventCreated> {
        who.agent()?;
        let once = Once::read(who, format!("events:{chat}"), idempotency_key, &request)?;
        let create = move |scope: &mut Scope<'_>| {
            let room = scope.room(chat)?.ok_or_else(Refusal::not_found)?;
            let id = MessageId::new(Uuid::now_v7());
            let has_task = match post::named_task(&request) {
                Some(task) => knows_task(scope.view(), who, Some(chat), task)?,
                None => false,
            };
            let facts = send::Facts { room: &room, id, files: &[], has_task, now: scope.now() };
            Ok(scope.carry_out(post::post(&facts, who, request)?)?)
        };
        self.once(once, |created: &EventCreated| created.id.uuid(), create).await
    }
}
