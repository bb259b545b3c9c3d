//! Reading who is in a room, on both sides.

use band_core::platform::Principal;
use band_core::platform::page::{Key, List, Scope, Span};
use band_wire::ChatId;
use band_wire::rest::query::MyParticipantsQuery;
use band_wire::rest::{Cursored, Paged, Participant};

use super::{App, AppResult, shape};
use crate::store::View;

impl App {
    /// `GET /agent/chats/{chat_id}/participants`: everyone in the room.
    ///
    /// # Errors
    /// 403 for people, 404 outside the room.
    pub async fn agent_participants(&self, who: Principal, chat: ChatId) -> AppResult<Vec<Participant>> {
        who.agent()?;
        let query = move |view: View<'_>| {
            view.access(who, chat)?.read()?;
            AppResult::Ok(view.members(chat)?)
        };
        let members = self.store().read(query).await?;
        Ok(members.iter().map(|member| shape::for_agents(member, self.is_online(member.id))).collect())
    }

    /// `GET /me/chats/{chat_id}/participants`, also for the owners of agents in the room.
    ///
    /// # Errors
    /// 403 for agents, 404 outside the room, 422 for a bad cursor.
    pub async fn my_participants(
        &self,
        who: Principal,
        chat: ChatId,
        query: MyParticipantsQuery,
    ) -> AppResult<Paged<Participant, Cursored>> {
        who.user()?;
        let span = Span::read(&query.paging, Scope { list: List::MyParticipants, order: 0, filter: 0 })?;
        let page = span.clone();
        let load = move |view: View<'_>| {
            view.access(who, chat)?.read()?;
            let total = if page.counts() { Some(view.count_members(chat, query.kind)?) } else { None };
            AppResult::Ok((view.some_members(chat, query.kind, &page.position, page.wanted())?, total))
        };
        let (members, total) = self.store().read(load).await?;
        let (members, metadata) = span.page(members, total, |member| (Key::Number(0), member.id.uuid()));
        let show = members.iter().map(|member| shape::for_people(member, self.is_online(member.id)));
        Ok(Paged { data: show.collect(), metadata })
    }
}
