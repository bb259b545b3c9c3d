//! `GET /me/chats/{chat_id}/messages`.

use band_core::platform::page::{List, Scope, Span};
use band_core::platform::{Principal, Refusal};
use band_wire::rest::query::{Anchor, MyMessagesQuery, Paging, TypeFilter};
use band_wire::rest::{Cursored, Message, Paged};
use band_wire::{ChatId, MessageId};

use super::agent_messages::place;
use super::context::slice;
use super::{App, AppResult};
use crate::store::{Direction, Slice, StoredMessage, TypesWanted, View};

impl App {
    /// A room's timeline, the newest first, also for the owners of agents in it.
    ///
    /// # Errors
    /// 403 for agents, 404 outside the room and for an anchor that isn't in it, 422 for a bad cursor.
    pub async fn my_messages(
        &self,
        who: Principal,
        chat: ChatId,
        query: MyMessagesQuery,
    ) -> AppResult<Paged<Message, Cursored>> {
        who.user()?;
        let MyMessagesQuery { paging, types, since, anchor } = query;
        let span = Span::read(&paging, Scope { list: List::MyMessages, order: 0, filter: 0 })?;
        let wanted = match types {
            None => TypesWanted { since, ..TypesWanted::default() },
            Some(TypeFilter::Only(only)) => TypesWanted { only: Some(only), since, ..TypesWanted::default() },
            Some(TypeFilter::Except(except)) => TypesWanted { except, since, ..TypesWanted::default() },
        };
        let load = move |view: View<'_>| {
            view.access(who, chat)?.read()?;
            let (found, metadata) = match anchor {
                None => by_cursor(view, chat, &wanted, &span)?,
                Some(anchor) => by_anchor(view, chat, &wanted, anchor, limit(&paging))?,
            };
            Ok(Paged { data: view.complete(found)?, metadata })
        };
        self.store().read(load).await
    }
}

type Found = (Vec<StoredMessage>, Cursored);

fn by_cursor(view: View<'_>, chat: ChatId, wanted: &TypesWanted, span: &Span) -> AppResult<Found> {
    let total = if span.counts() { Some(view.count_timeline(chat, wanted)?) } else { None };
    let found = view.timeline(chat, wanted, slice(span, Direction::Older))?;
    Ok(span.page(found, total, place))
}

const fn limit(paging: &Paging) -> u64 {
    match paging {
        Paging::Cursor { limit, .. } => *limit,
        Paging::Offset(offset) => offset.page_size,
    }
}

fn by_anchor(
    view: View<'_>,
    chat: ChatId,
    wanted: &TypesWanted,
    anchor: Anchor,
    limit: u64,
) -> AppResult<Found> {
    let part = |direction, message, limit| -> AppResult<(Vec<StoredMessage>, bool)> {
        let from = Some(seq(view, chat, message)?);
        let slice = Slice { direction, from, skip: 0, limit: limit + 1 };
        let mut found = view.timeline(chat, wanted, slice)?;
        let kept = usize::try_from(limit).unwrap_or(usize::MAX);
        let has_more = found.len() > kept;
        found.truncate(kept);
        Ok((found, has_more))
    };
    let (found, has_more, sides) = match anchor {
        Anchor::After(message) => {
            let (found, has_more) = part(Direction::Newer, message, limit)?;
            (found, has_more, None)
        }
        Anchor::Before(message) => {
            let (found, has_more) = part(Direction::Older, message, limit)?;
            (found, has_more, None)
        }
        Anchor::Around(message) => {
            let centre = view.message(chat, message)?.ok_or_else(Refusal::not_found)?;
            let around = limit.saturating_sub(1);
            let (older, has_older) = part(Direction::Older, message, around.div_ceil(2))?;
            let (newer, has_newer) = part(Direction::Newer, message, around / 2)?;
            let is_wanted = view.is_wanted(chat, wanted, centre.seq)?;
            let found = newer.into_iter().rev().chain(is_wanted.then_some(centre)).chain(older).collect();
            (found, has_older, Some((has_older, has_newer)))
        }
    };
    let metadata = Cursored {
        has_more,
        limit,
        has_older: sides.map(|(older, _)| older),
        has_newer: sides.map(|(_, newer)| newer),
        ..Cursored::default()
    };
    Ok((found, metadata))
}

/// The place of an anchor.
fn seq(view: View<'_>, chat: ChatId, message: MessageId) -> AppResult<i64> {
    Ok(view.message(chat, message)?.ok_or_else(Refusal::not_found)?.seq)
}
