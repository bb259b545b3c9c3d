//! `GET /me/chats` and `GET /me/chats/{id}`.

use std::collections::BTreeMap;

use band_core::platform::page::{Key, List, Scope, Span};
use band_core::platform::{Member, Principal, Refusal};
use band_wire::rest::query::{ChatInclude, ChatSort, MyChatQuery, MyChatsQuery};
use band_wire::rest::{Cursored, MemberStatus, Membership, Message, MyChat, MyMembership, Paged};
use band_wire::{AgentId, ChatId, UserId};
use uuid::Uuid;

use super::agent_messages::number;
use super::shape::{self, SHOWN_MEMBERS};
use super::{App, AppError, AppResult};
use crate::store::{ChatFilter, ChatRow, StoreError, View};

impl App {
    /// The person's rooms; those of their agents too, if they ask for them.
    ///
    /// # Errors
    /// 403 for agents, 422 for a bad cursor, or one that was made with or without the rooms of agents.
    pub async fn my_chats(&self, who: Principal, query: MyChatsQuery) -> AppResult<Paged<MyChat, Cursored>> {
        let user = who.user()?;
        let agent_rooms = query.includes(ChatInclude::AgentRooms);
        let kind = match query.sort {
            ChatSort::Inserted => 0,
            ChatSort::Updated => 2,
        };
        let order = kind + number(query.order);
        let span =
            Span::read(&query.paging, Scope { list: List::MyChats, order, filter: agent_rooms.into() })?;
        let filter = ChatFilter { status: query.status, kind: query.kind, agent_rooms };
        let load = move |view: View<'_>| {
            let first = query.includes(ChatInclude::TotalCount) && span.is_first();
            let total = if span.counts() || first { Some(view.count_my_chats(user, filter)?) } else { None };
            let rows =
                view.my_chats(user, filter, (query.sort, query.order), &span.position, span.wanted())?;
            let (rows, metadata) = span.page(rows, total, |row| key(row, query.sort));
            let extras = Extras::load(view, user, &rows, &query)?;
            Ok((rows, extras, metadata))
        };
        let (rows, mut extras, metadata) = self.store().read::<_, AppError>(load).await?;
        let data = rows.into_iter().map(|row| extras.add(self, row)).collect();
        Ok(Paged { data, metadata })
    }

    /// One room, also for the owners of agents in it.
    ///
    /// # Errors
    /// 403 for agents, 404 outside the room.
    pub async fn my_chat(&self, who: Principal, chat: ChatId, query: MyChatQuery) -> AppResult<MyChat> {
        who.user()?;
        let load = move |view: View<'_>| {
            view.access(who, chat)?.read()?;
            let mut room = shape::my_chat(view.chat(chat)?.ok_or_else(Refusal::not_found)?);
            if query.message_counts {
                room.message_counts = Some(view.message_counts(chat)?);
            }
            Ok(room)
        };
        self.store().read(load).await
    }
}

fn key(row: &ChatRow, sort: ChatSort) -> (Key, Uuid) {
    let at = match sort {
        ChatSort::Inserted => row.chat.inserted_at,
        ChatSort::Updated => row.chat.updated_at,
    };
    (Key::Number(at.as_micros()), row.chat.id.uuid())
}

/// What a list shows of each room besides, looked up for all of them at once.
#[derive(Default)]
struct Extras {
    members: Option<BTreeMap<ChatId, (Vec<Member>, u64)>>,
    last: Option<BTreeMap<ChatId, Message>>,
    agents: Option<BTreeMap<ChatId, Vec<AgentId>>>,
}

impl Extras {
    fn load(
        view: View<'_>,
        user: UserId,
        rows: &[ChatRow],
        query: &MyChatsQuery,
    ) -> Result<Self, StoreError> {
        let chats: Vec<ChatId> = rows.iter().map(|row| row.chat.id).collect();
        let mut extras = Self::default();
        if query.includes(ChatInclude::Participants) {
            extras.members = Some(view.first_members(&chats, SHOWN_MEMBERS)?);
        }
        if query.includes(ChatInclude::LastMessage) {
            let last = view.complete(view.last_messages(&chats)?)?;
            extras.last = Some(last.into_iter().filter_map(|m| Some((m.chat_room_id?, m))).collect());
        }
        if query.includes(ChatInclude::Membership) {
            extras.agents = Some(view.own_agents_in(user, &chats)?);
        }
        Ok(extras)
    }

    fn add(&mut self, app: &App, row: ChatRow) -> MyChat {
        let own = row.own;
        let mut room = shape::my_chat(row);
        if let Some(members) = &mut self.members {
            let (first, count) = members.remove(&room.id).unwrap_or_default();
            let first = first.iter().map(|member| shape::for_people(member, app.is_online(member.id)));
            room.participants = Some(first.collect());
            room.participant_count = Some(count);
            room.participants_truncated = Some(count > SHOWN_MEMBERS);
        }
        if let Some(last) = &mut self.last {
            room.last_message = Some(last.remove(&room.id));
        }
        if let Some(agents) = &mut self.agents {
            let is_participant = own.is_some_and(|own| own.status == MemberStatus::Active);
            let way = if is_participant { Membership::Participant } else { Membership::ViaAgent };
            room.membership = Some(MyMembership {
                membership: way.into(),
                my_role: own.map(|own| own.role.into()),
                my_status: own.map(|own| own.status.into()),
                via_agent_ids: agents.remove(&room.id).unwrap_or_default(),
            });
        }
        room
    }
}
