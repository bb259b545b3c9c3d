//! Reading contacts and requests, on both sides.

use std::collections::BTreeMap;

use band_core::platform::membership::Candidate;
use band_core::platform::page::numbered;
use band_core::platform::plan::{ContactRequestRow, ContactRow};
use band_core::platform::{Principal, contacts};
use band_wire::ParticipantId;
use band_wire::rest::query::{
    AgentContactRequestsQuery, ContactsQuery, OffsetQuery, SentContactRequestsQuery,
};
use band_wire::rest::{
    AgentContact, ContactRequests, ContactRequestsPage, ContactUser, DirectionTotal, ListedContactRequests,
    MyContact, MyContactRequest, Page, Paged, ReceivedContactRequest, SenderType, SentContactRequest,
};

use super::{App, AppResult};
use crate::store::{StoreError, View};

type Known = BTreeMap<ParticipantId, Candidate>;

impl App {
    /// `GET /agent/contacts`.
    ///
    /// # Errors
    /// 403 for people.
    pub async fn agent_contacts(
        &self,
        who: Principal,
        query: ContactsQuery,
    ) -> AppResult<Paged<AgentContact, Page>> {
        who.agent()?;
        let (rows, known, total) = self.contact_rows(who, query.page).await?;
        let show =
            rows.iter().map(|row| agent_contact(row, known.get(&row.contact), self.is_online(row.contact)));
        Ok(Paged { data: show.collect(), metadata: numbered(query.page, total) })
    }

    /// `GET /me/contacts`.
    ///
    /// # Errors
    /// 403 for agents.
    pub async fn my_contacts(
        &self,
        who: Principal,
        query: ContactsQuery,
    ) -> AppResult<Paged<MyContact, Page>> {
        who.user()?;
        let (rows, known, total) = self.contact_rows(who, query.page).await?;
        let ids: Vec<ParticipantId> =
            rows.iter().filter(|row| row.contact_kind == SenderType::User).map(|row| row.contact).collect();
        let load = move |view: View<'_>| {
            let mut mails = BTreeMap::new();
            for id in ids {
                mails.extend(view.user(id.cast())?.map(|user| (id, user.email)));
            }
            AppResult::Ok(mails)
        };
        let mut mails = self.store().read(load).await?;
        let show = rows.iter().map(|row| {
            let online = self.is_online(row.contact);
            my_contact(row, known.get(&row.contact), mails.remove(&row.contact), online)
        });
        Ok(Paged { data: show.collect(), metadata: numbered(query.page, total) })
    }

    /// `GET /agent/contacts/requests`: a page of each direction.
    ///
    /// # Errors
    /// 403 for people.
    pub async fn agent_contact_requests(
        &self,
        who: Principal,
        query: AgentContactRequestsQuery,
    ) -> AppResult<ListedContactRequests> {
        who.agent()?;
        let AgentContactRequestsQuery { page, sent } = query;
        let load = move |view: View<'_>| {
            let received = view.received_requests(who.participant(), page)?;
            let sent = view.sent_requests(who.participant(), sent, page)?;
            let others = received.0.iter().map(|row| row.requester);
            let known = view.candidates(others.chain(sent.0.iter().map(|row| row.recipient)))?;
            AppResult::Ok((received, sent, known))
        };
        let ((received, of_received), (sent, of_sent), known) = self.store().read(load).await?;
        let total = |total| {
            let Page { total_pages, .. } = numbered(page, total);
            DirectionTotal { total, total_pages }
        };
        let metadata = ContactRequestsPage {
            page: page.page,
            page_size: page.page_size,
            received: total(of_received),
            sent: total(of_sent),
        };
        let received = received.into_iter().map(|row| received_request(row, &known)).collect();
        let sent = sent.into_iter().map(|row| sent_request(row, &known)).collect();
        Ok(ListedContactRequests { data: ContactRequests { received, sent }, metadata })
    }

    /// `GET /me/contacts/requests`: the open ones that the person, or an agent of theirs, received.
    ///
    /// # Errors
    /// 403 for agents.
    pub async fn received_contact_requests(
        &self,
        who: Principal,
        query: ContactsQuery,
    ) -> AppResult<Paged<MyContactRequest, Page>> {
        who.user()?;
        let page = query.page;
        self.my_requests(page, move |view| view.received_requests(who.participant(), page)).await
    }

    /// `GET /me/contacts/requests/sent`.
    ///
    /// # Errors
    /// 403 for agents.
    pub async fn sent_contact_requests(
        &self,
        who: Principal,
        query: SentContactRequestsQuery,
    ) -> AppResult<Paged<MyContactRequest, Page>> {
        who.user()?;
        let SentContactRequestsQuery { page, status } = query;
        self.my_requests(page, move |view| view.sent_requests(who.participant(), status, page)).await
    }

    async fn my_requests(
        &self,
        page: OffsetQuery,
        find: impl FnOnce(View<'_>) -> Result<(Vec<ContactRequestRow>, u64), StoreError> + Send + 'static,
    ) -> AppResult<Paged<MyContactRequest, Page>> {
        let load = move |view: View<'_>| {
            let (rows, total) = find(view)?;
            let known = view.candidates(rows.iter().flat_map(|row| [row.requester, row.recipient]))?;
            AppResult::Ok((rows, total, known))
        };
        let (rows, total, known) = self.store().read(load).await?;
        let show = rows
            .iter()
            .map(|row| contacts::request_view(row, known.get(&row.requester), known.get(&row.recipient)));
        Ok(Paged { data: show.collect(), metadata: numbered(page, total) })
    }

    async fn contact_rows(
        &self,
        who: Principal,
        page: OffsetQuery,
    ) -> AppResult<(Vec<ContactRow>, Known, u64)> {
        let load = move |view: View<'_>| {
            let (rows, total) = view.contacts(who.participant(), page)?;
            let known = view.candidates(rows.iter().map(|row| row.contact))?;
            AppResult::Ok((rows, known, total))
        };
        self.store().read(load).await
    }
}

fn agent_contact(row: &ContactRow, contact: Option<&Candidate>, online: bool) -> AgentContact {
    let agent = contact.filter(|contact| contact.kind == SenderType::Agent);
    AgentContact {
        id: row.id,
        kind: row.contact_kind.into(),
        // Released clients want a text.
        handle: Some(contact.map_or_else(String::new, |contact| contact.handle.clone())),
        name: contact.map(|contact| contact.name.clone()),
        description: contact.and_then(|contact| contact.description.clone()),
        is_external: agent.map(|_| true),
        listed_in_directory: agent.map(|agent| agent.listed_in_directory),
        tags: agent.map(|agent| agent.tags.clone()),
        online: Some(online),
        inserted_at: row.inserted_at,
    }
}

fn my_contact(
    row: &ContactRow,
    contact: Option<&Candidate>,
    email: Option<String>,
    online: bool,
) -> MyContact {
    let agent = contact.filter(|contact| contact.kind == SenderType::Agent);
    let user = ContactUser {
        id: row.contact,
        handle: contact.map(|contact| contact.handle.clone()),
        name: contact.map(|contact| contact.name.clone()),
        email,
        listed_in_directory: agent.map(|agent| agent.listed_in_directory),
        tags: agent.map(|agent| agent.tags.clone()),
    };
    MyContact {
        id: row.id,
        contact_id: row.contact,
        contact_type: row.contact_kind.into(),
        status: "active".to_owned(),
        source: "request".to_owned(),
        online,
        user,
        inserted_at: row.inserted_at,
    }
}

fn received_request(row: ContactRequestRow, known: &Known) -> ReceivedContactRequest {
    let from = known.get(&row.requester);
    ReceivedContactRequest {
        id: row.id,
        from_handle: from.map(|from| from.handle.clone()),
        from_name: from.map(|from| from.name.clone()),
        message: row.message,
        status: row.status.into(),
        inserted_at: row.inserted_at,
    }
}

fn sent_request(row: ContactRequestRow, known: &Known) -> SentContactRequest {
    let to = known.get(&row.recipient);
    SentContactRequest {
        id: row.id,
        to_handle: to.map(|to| to.handle.clone()),
        to_name: to.map(|to| to.name.clone()),
        message: row.message,
        status: row.status.into(),
        inserted_at: row.inserted_at,
    }
}
