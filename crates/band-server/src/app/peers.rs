//! `GET /agent/peers` and `GET /me/peers`.

use band_core::platform::Principal;
use band_core::platform::page::numbered;
use band_wire::ChatId;
use band_wire::rest::query::{AgentPeersQuery, MyPeersQuery, OffsetQuery};
use band_wire::rest::{Page, Paged, Peer, SenderType};

use super::{App, AppResult, shape};
use crate::store::View;

impl App {
    /// Whom the agent may bring into a room, its contacts included.
    ///
    /// # Errors
    /// 403 for people.
    pub async fn agent_peers(&self, who: Principal, query: AgentPeersQuery) -> AppResult<Paged<Peer, Page>> {
        who.agent()?;
        self.peers(who, query.not_in_chat, None, query.page).await
    }

    /// Whom the person may bring into a room, their contacts included.
    ///
    /// # Errors
    /// 403 for agents.
    pub async fn my_peers(&self, who: Principal, query: MyPeersQuery) -> AppResult<Paged<Peer, Page>> {
        who.user()?;
        self.peers(who, query.not_in_chat, query.kind, query.page).await
    }

    /// A room that the caller can't see leaves nobody out: otherwise the list would tell who is in it.
    async fn peers(
        &self,
        who: Principal,
        not_in: Option<ChatId>,
        kind: Option<SenderType>,
        page: OffsetQuery,
    ) -> AppResult<Paged<Peer, Page>> {
        let query = move |view: View<'_>| {
            let not_in = match not_in {
                Some(chat) if view.access(who, chat)?.may_read() => Some(chat),
                _ => None,
            };
            AppResult::Ok(view.peers(who, not_in, kind, page)?)
        };
        let (found, total) = self.store().read(query).await?;
        let show = found.into_iter().map(|peer| {
            let online = self.is_online(peer.candidate.id);
            shape::peer(peer, online)
        });
        Ok(Paged { data: show.collect(), metadata: numbered(page, total) })
    }
}
