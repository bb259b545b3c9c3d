//! `GET /agent/chats/{chat_id}/messages`.

use band_core::platform::Principal;
use band_core::platform::page::{Key, List, Scope, Span};
use band_wire::ChatId;
use band_wire::rest::query::{AgentMessagesQuery, Order};
use band_wire::rest::{Cursored, Message, Paged};

use super::{App, AppResult};
use crate::store::{StoredMessage, View};

impl App {
    /// The messages that mention the agent, by where they stand for it.
    ///
    /// # Errors
    /// 403 for people, 404 outside the room, 422 for a bad cursor.
    pub async fn agent_messages(
        &self,
        who: Principal,
        chat: ChatId,
        query: AgentMessagesQuery,
    ) -> AppResult<Paged<Message, Cursored>> {
        let (agent, _) = who.agent()?;
        let AgentMessagesQuery { paging, status, order } = query;
        let span = Span::read(&paging, Scope { list: List::AgentMessages, order: number(order), filter: 0 })?;
        let load = move |view: View<'_>| {
            view.access(who, chat)?.read()?;
            let total =
                if span.counts() { Some(view.count_agent_messages(agent, chat, status)?) } else { None };
            let found = view.agent_messages((agent, chat), status, order, &span.position, span.wanted())?;
            let (found, metadata) = span.page(found, total, place);
            Ok(Paged { data: view.complete(found)?, metadata })
        };
        let mut page: Paged<Message, Cursored> = self.store().read::<_, super::AppError>(load).await?;
        page.metadata.status_filter = status.as_str().map(str::to_owned);
        Ok(page)
    }
}

/// A message's place in a timeline, for a cursor.
pub(super) fn place(stored: &StoredMessage) -> (Key, uuid::Uuid) {
    (Key::Number(stored.seq), stored.message.id.uuid())
}

/// An order, for a cursor.
pub(super) const fn number(order: Order) -> u8 {
    match order {
        Order::Asc => 0,
        Order::Desc => 1,
    }
}
