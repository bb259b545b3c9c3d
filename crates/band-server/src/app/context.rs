//! `GET /agent/chats/{chat_id}/context`.

use band_core::platform::Principal;
use band_core::platform::page::{Key, List, Position, Scope, Span};
use band_wire::ChatId;
use band_wire::rest::query::ContextQuery;
use band_wire::rest::{ContextPage, Cursored, Message, Paged};

use super::agent_messages::{number, place};
use super::{App, AppError, AppResult};
use crate::store::{Direction, Slice, View};

impl App {
    /// What an agent may know of a room's past: all that it sent, and the texts that mention it.
    ///
    /// # Errors
    /// 403 for people, 404 outside the room, 422 for a bad cursor.
    pub async fn context(
        &self,
        who: Principal,
        chat: ChatId,
        query: ContextQuery,
    ) -> AppResult<ContextPage<Message>> {
        let (agent, _) = who.agent()?;
        let ContextQuery { paging, order } = query;
        let span = Span::read(&paging, Scope { list: List::Context, order: number(order), filter: 0 })?;
        let load = move |view: View<'_>| {
            view.access(who, chat)?.read()?;
            let total = if span.counts() { Some(view.count_context(agent, chat)?) } else { None };
            let found = view.context(agent, chat, slice(&span, order.into()))?;
            let (found, metadata) = span.page(found, total, place);
            Ok(Paged { data: view.complete(found)?, metadata })
        };
        let page: Paged<Message, Cursored> = self.store().read::<_, AppError>(load).await?;
        Ok(page.into())
    }
}

/// The part of a timeline that a page looks up.
pub(super) const fn slice(span: &Span, direction: Direction) -> Slice {
    let (from, skip) = match span.position {
        Position::After(Key::Number(seq), _) => (Some(seq), 0),
        Position::Skip(skip) => (None, skip),
        Position::Start | Position::After(Key::Text(_), _) => (None, 0),
    };
    Slice { direction, from, skip, limit: span.wanted() }
}
