//! The calls about contacts.

use band_wire::ContactId;
use band_wire::rest::query::SentFilter;
use band_wire::rest::{
    AddContact, AgentContact, Body, ContactRemoval, ContactRequestState, ContactRequestStatus,
    ListedContactRequests, Page, Paged, ReceivedContactRequest, RemoveContact, RespondContact, routes,
};

use super::client::{Call, RestClient};
use super::retry::Policy;
use crate::error::Result;

/// Requests of each direction in a page, where this client walks pages.
const PAGE_SIZE: u64 = 100;
/// Pages walked at most: a list without an end stops here.
const PAGES: u64 = 50;

impl RestClient {
    /// One page of the agent's contacts, from page 1.
    ///
    /// # Errors
    /// As for [`chats`](Self::chats); so for all calls that follow.
    pub async fn contacts(&self, page: u64, page_size: u64) -> Result<Paged<AgentContact, Page>> {
        let call =
            Call::get(routes::AGENT_CONTACTS).query("page", Some(page)).query("page_size", Some(page_size));
        self.ask(call, |answer| answer.json()).await
    }

    /// All contacts; none when there are more than 5,000, which are not read.
    ///
    /// # Errors
    /// Any page that can't be read.
    pub async fn all_contacts(&self) -> Result<Option<Vec<AgentContact>>> {
        let mut contacts = Vec::new();
        for page in 1..=PAGES {
            let found = self.contacts(page, PAGE_SIZE).await?;
            let is_last = found.data.is_empty() || page >= found.metadata.total_pages;
            contacts.extend(found.data);
            if is_last {
                return Ok(Some(contacts));
            }
        }
        Ok(None)
    }

    /// Asks someone to become a contact. Approved at once when they had asked the agent.
    ///
    /// # Errors
    /// 404 when nobody has the handle, 409 for a contact, for oneself, and while a request is pending.
    pub async fn add_contact(&self, contact: &AddContact) -> Result<ContactRequestState> {
        let call = Call::post(routes::AGENT_CONTACTS_ADD, Policy::Unkeyed).json(&Body(contact))?;
        self.ask(call, |answer| answer.data()).await
    }

    /// Ends a contact, for both sides.
    ///
    /// # Errors
    /// 404 when there is none.
    pub async fn remove_contact(
        &self,
        handle: Option<&str>,
        contact: Option<ContactId>,
    ) -> Result<ContactRemoval> {
        let body = RemoveContact { handle: handle.map(str::to_owned), contact_id: contact };
        let call = Call::post(routes::AGENT_CONTACTS_REMOVE, Policy::Unkeyed).json(&Body(&body))?;
        self.ask(call, |answer| answer.data()).await
    }

    /// One page of the requests of each direction, from page 1: what the agent received and has not answered,
    /// and what it sent, by where that stands.
    ///
    /// # Errors
    /// As for [`chats`](Self::chats).
    pub async fn contact_requests(
        &self,
        page: u64,
        page_size: u64,
        sent: SentFilter,
    ) -> Result<ListedContactRequests> {
        let call = Call::get(routes::AGENT_CONTACT_REQUESTS)
            .query("page", Some(page))
            .query("page_size", Some(page_size))
            .query("sent_status", Some(sent.status().map_or("all", ContactRequestStatus::as_str)));
        self.ask(call, |answer| answer.json()).await
    }

    /// All requests that wait for the agent's answer, the oldest first.
    ///
    /// # Errors
    /// Any page that can't be read.
    pub async fn received_contact_requests(&self) -> Result<Vec<ReceivedContactRequest>> {
        let mut requests = Vec::new();
        for page in 1..=PAGES {
            let pending = SentFilter::Only(ContactRequestStatus::Pending);
            let found = self.contact_requests(page, PAGE_SIZE, pending).await?;
            let is_last = found.data.received.is_empty() || page >= found.metadata.received.total_pages;
            requests.extend(found.data.received);
            if is_last {
                break;
            }
        }
        let mut seen = std::collections::BTreeSet::new();
        requests.retain(|request| seen.insert(request.id));
        requests.sort_by_key(|request| request.inserted_at);
        Ok(requests)
    }

    /// Approves, rejects or cancels a request.
    ///
    /// # Errors
    /// 404 when there is no such pending request, 409 when it is settled.
    pub async fn respond_contact_request(&self, response: &RespondContact) -> Result<ContactRequestState> {
        let call =
            Call::post(routes::AGENT_CONTACT_REQUESTS_RESPOND, Policy::Unkeyed).json(&Body(response))?;
        self.ask(call, |answer| answer.data()).await
    }
}
