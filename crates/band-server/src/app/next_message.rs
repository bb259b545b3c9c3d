//! `GET /agent/chats/{chat_id}/messages/next`.

use band_core::platform::Principal;
use band_wire::ChatId;
use band_wire::rest::Message;

use super::{App, AppResult};

impl App {
    /// The oldest message that mentions the agent and is not processed; the same one until it is. None while
    /// the agent is stopped there.
    ///
    /// # Errors
    /// 403 for people, 404 outside the room.
    pub async fn next_message(&self, who: Principal, chat: ChatId) -> AppResult<Option<Message>> {
        let (agent, _) = who.agent()?;
        let query = move |view: crate::store::View<'_>| {
            view.access(who, chat)?.read()?;
            if view.is_stopped(agent, chat)? {
                return Ok(None);
            }
            let next = view.next_message(agent, chat)?;
            Ok(view.complete(next.into_iter().collect())?.into_iter().next())
        };
        self.store().read(query).await
    }
}
