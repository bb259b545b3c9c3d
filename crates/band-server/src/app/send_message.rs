//! `POST …/messages`, for people and agents.

use band_core::platform::{Principal, Refusal, send};
use band_wire::rest::{MessageSent, SendMessage};
use band_wire::{ChatId, FileId, MessageId};
use uuid::Uuid;

use super::idempotency::Once;
use super::{App, AppResult};
use crate::store::Scope;

impl App {
    /// Stores a text message, and pushes it to the people of the room and the agents it mentions.
    ///
    /// # Errors
    /// 404 outside the room, 403 while the agent is stopped, 409 for a repeated key with another message or an
    /// answer that is lost, 422 by the rules of messages.
    pub async fn send_message(
        &self,
        who: Principal,
        chat: ChatId,
        request: SendMessage,
        idempotency_key: Option<String>,
    ) -> AppResult<MessageSent> {
        let once = Once::read(who, format!("messages:{chat}"), idempotency_key, &request)?;
        let create = move |scope: &mut Scope<'_>| {
            let room = scope.room(chat)?.ok_or_else(Refusal::not_found)?;
            let id = MessageId::new(Uuid::now_v7());
            let wanted: Vec<FileId> =
                request.attachment_ids.iter().filter_map(|id| id.parse().ok()).collect();
            let files =
                if wanted.is_empty() { Vec::new() } else { scope.view().some_files(chat, &wanted)? };
            let facts = send::Facts { room: &room, id, files: &files, has_task: false, now: scope.now() };
            let plan = send::send(&facts, who, &request, |agent| scope.is_listening(agent, chat))?;
            Ok(scope.carry_out(plan)?)
        };
        self.once(once, |sent: &MessageSent| sent.id.uuid(), create).await
    }
}
