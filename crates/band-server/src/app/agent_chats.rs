//! `GET /agent/chats` and `GET /agent/chats/{id}`.

use band_core::platform::page::numbered;
use band_core::platform::{Principal, Refusal};
use band_wire::ChatId;
use band_wire::rest::query::AgentChatsQuery;
use band_wire::rest::{AgentChat, Page, Paged};

use super::shape::{self, SHOWN_MEMBERS};
use super::{App, AppResult};
use crate::store::View;

impl App {
    /// The agent's rooms, the newest first.
    ///
    /// # Errors
    /// 403 for people.
    pub async fn agent_chats(
        &self,
        who: Principal,
        query: AgentChatsQuery,
    ) -> AppResult<Paged<AgentChat, Page>> {
        let (agent, _) = who.agent()?;
        let load = move |view: View<'_>| {
            let rows = view.agent_chats(agent, query.page)?;
            let total = view.count_agent_chats(agent)?;
            let ids: Vec<ChatId> = rows.iter().map(|row| row.chat.id).collect();
            let members = if query.participants {
                view.first_members(&ids, SHOWN_MEMBERS)?
            } else {
                Default::default()
            };
            AppResult::Ok((rows, members, total))
        };
        let (rows, mut members, total) = self.store().read(load).await?;
        let show = |row: crate::store::ChatRow| {
            let mut chat = shape::agent_chat(row.chat);
            if query.participants {
                let (first, count) = members.remove(&chat.id).unwrap_or_default();
                let first = first.iter().map(|member| shape::for_agents(member, self.is_online(member.id)));
                chat.participants = Some(first.collect());
                chat.participant_count = Some(count);
                chat.participants_truncated = Some(count > SHOWN_MEMBERS);
            }
            chat
        };
        Ok(Paged { data: rows.into_iter().map(show).collect(), metadata: numbered(query.page, total) })
    }

    /// One room of the agent.
    ///
    /// # Errors
    /// 403 for people, 404 outside the room.
    pub async fn agent_chat(&self, who: Principal, chat: ChatId) -> AppResult<AgentChat> {
        who.agent()?;
        let query = move |view: View<'_>| {
            view.access(who, chat)?.read()?;
            let row = view.chat(chat)?.ok_or_else(Refusal::not_found)?;
            Ok(shape::agent_chat(row.chat))
        };
        self.store().read(query).await
    }
}
