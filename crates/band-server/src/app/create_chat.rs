//! `POST /agent/chats` and `POST /me/chats`.

use band_core::platform::{Chat, Principal, Refusal, rooms};
use band_wire::ChatId;
use band_wire::rest::{AgentChat, CreateChat, MyChat};
use uuid::Uuid;

use super::{App, AppResult, shape};
use crate::store::{ChatRow, Scope};

impl App {
    /// A new room that the agent owns.
    ///
    /// # Errors
    /// 403 for people, 422 by the rules of rooms.
    pub async fn create_agent_chat(&self, who: Principal, request: CreateChat) -> AppResult<AgentChat> {
        who.agent()?;
        self.create_chat(who, request).await.map(shape::agent_chat)
    }

    /// A new room that the person owns.
    ///
    /// # Errors
    /// 403 for agents, 422 by the rules of rooms.
    pub async fn create_my_chat(&self, who: Principal, request: CreateChat) -> AppResult<MyChat> {
        who.user()?;
        let chat = self.create_chat(who, request).await?;
        Ok(shape::my_chat(ChatRow { chat, last_message_at: None, own: None }))
    }

    async fn create_chat(&self, who: Principal, request: CreateChat) -> AppResult<Chat> {
        let command = move |scope: &mut Scope<'_>| {
            let creator = scope.view().candidate(who.participant())?.ok_or_else(Refusal::not_found)?;
            let facts = rooms::Facts {
                creator: &creator,
                id: ChatId::new(Uuid::now_v7()),
                execution: Uuid::now_v7(),
                now: scope.now(),
            };
            Ok(scope.carry_out(rooms::create(&facts, request)?)?)
        };
        self.store().write(command).await
    }
}
