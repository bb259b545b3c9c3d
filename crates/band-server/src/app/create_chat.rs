//! `POST /agent/chats` and `POST /me/chats`.

use band_core::platform::{Chat, Principal, Refusal, rooms};
use band_wire::ChatId;
use band_wire::rest::{AgentChat, CreateChat, MyChat};
use uuid::Uuid;

use super::idempotency::Once;
use super::tasks::knows_task;
use super::{App, AppResult, shape};
use crate::store::{ChatRow, Scope};

/// What a repeated request is known under.
const ROUTE: &str = "chats";

impl App {
    /// A new room that the agent owns.
    ///
    /// # Errors
    /// 403 for people, 409 for a repeated key with another request, 422 by the rules of rooms.
    pub async fn create_agent_chat(
        &self,
        who: Principal,
        request: CreateChat,
        idempotency_key: Option<String>,
    ) -> AppResult<AgentChat> {
        who.agent()?;
        let once = Once::read(who, ROUTE.to_owned(), idempotency_key, &request)?;
        let create = move |scope: &mut Scope<'_>| create(scope, who, request).map(shape::agent_chat);
        self.once(once, |chat: &AgentChat| chat.id.uuid(), create).await
    }

    /// A new room that the person owns.
    ///
    /// # Errors
    /// 403 for agents, 409 for a repeated key with another request, 422 by the rules of rooms.
    pub async fn create_my_chat(
        &self,
        who: Principal,
        request: CreateChat,
        idempotency_key: Option<String>,
    ) -> AppResult<MyChat> {
        who.user()?;
        let once = Once::read(who, ROUTE.to_owned(), idempotency_key, &request)?;
        let create = move |scope: &mut Scope<'_>| {
            let chat = create(scope, who, request)?;
            Ok(shape::my_chat(ChatRow { chat, last_message_at: None, own: None }))
        };
        self.once(once, |chat: &MyChat| chat.id.uuid(), create).await
    }
}

fn create(scope: &mut Scope<'_>, who: Principal, request: CreateChat) -> AppResult<Chat> {
    let creator = scope.view().candidate(who.participant())?.ok_or_else(Refusal::not_found)?;
    let task = request.task_id.as_ref().and_then(|task| task.parse().ok());
    let has_task = match task {
        Some(task) => knows_task(scope.view(), who, None, task)?,
        None => false,
    };
    let facts = rooms::Facts {
        creator: &creator,
        id: ChatId::new(Uuid::now_v7()),
        execution: Uuid::now_v7(),
        has_task,
        now: scope.now(),
    };
    Ok(scope.carry_out(rooms::create(&facts, request)?)?)
}
