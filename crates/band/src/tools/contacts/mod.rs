//! The tools for contacts: offered where the adapter chose them, and always in the hub room.

mod args;
mod calls;
mod specs;

use band_core::turn::Effect;
use band_wire::rest::query::SentFilter;
use band_wire::rest::{
    AddContact, AgentContact, ContactAction, ContactRemoval, ContactRequestState, ContactRequestStatus,
    ListedContactRequests, Page, Paged, RemoveContact, RespondContact,
};
use band_wire::{ContactId, ContactRequestId};

use super::RoomTools;
use super::port::{Answer, RestPort};
use crate::contacts::either;
use crate::error::{Error, Result};

pub(super) use specs::specs;

pub(super) const CATEGORY: &str = "contacts";
pub(super) const LIST: &str = "band_list_contacts";
pub(super) const ADD: &str = "band_add_contact";
pub(super) const REMOVE: &str = "band_remove_contact";
pub(super) const LIST_REQUESTS: &str = "band_list_contact_requests";
pub(super) const RESPOND: &str = "band_respond_contact_request";

/// The calls about an agent's contacts.
pub(crate) trait ContactPort: Send + Sync {
    /// Lists a page of the contacts.
    fn contacts(&self, page: u64, page_size: u64) -> Answer<'_, Paged<AgentContact, Page>>;
    /// Asks someone.
    fn add_contact<'a>(&'a self, contact: &'a AddContact) -> Answer<'a, ContactRequestState>;
    /// Ends a contact.
    fn remove_contact<'a>(&'a self, contact: &'a RemoveContact) -> Answer<'a, ContactRemoval>;
    /// Lists a page of the requests of each direction.
    fn contact_requests(
        &self,
        page: u64,
        page_size: u64,
        sent: SentFilter,
    ) -> Answer<'_, ListedContactRequests>;
    /// Settles a request.
    fn respond_contact<'a>(&'a self, response: &'a RespondContact) -> Answer<'a, ContactRequestState>;
}

impl ContactPort for RestPort {
    fn contacts(&self, page: u64, page_size: u64) -> Answer<'_, Paged<AgentContact, Page>> {
        Box::pin(self.rest.contacts(page, page_size))
    }

    fn add_contact<'a>(&'a self, contact: &'a AddContact) -> Answer<'a, ContactRequestState> {
        Box::pin(self.rest.add_contact(contact))
    }

    fn remove_contact<'a>(&'a self, contact: &'a RemoveContact) -> Answer<'a, ContactRemoval> {
        Box::pin(self.rest.remove_contact(contact.handle.as_deref(), contact.contact_id))
    }

    fn contact_requests(
        &self,
        page: u64,
        page_size: u64,
        sent: SentFilter,
    ) -> Answer<'_, ListedContactRequests> {
        Box::pin(self.rest.contact_requests(page, page_size, sent))
    }

    fn respond_contact<'a>(&'a self, response: &'a RespondContact) -> Answer<'a, ContactRequestState> {
        Box::pin(self.rest.respond_contact_request(response))
    }
}

/// Contacts: the agent's, whichever room it is in.
impl RoomTools {
    /// One page of the agent's contacts, from page 1, at most 100 a page.
    ///
    /// # Errors
    /// The platform refused or could not be reached; so for all of them.
    pub async fn list_contacts(&self, page: u64, page_size: u64) -> Result<Paged<AgentContact, Page>> {
        self.shared.port.contacts(page, page_size).await
    }

    /// Asks someone to become a contact: `@name` or `@name/agent`, with a message of at most 500 characters.
    /// Counts as work done.
    ///
    /// # Errors
    /// Nobody has the handle, they are a contact or were asked already, or the turn was asked to end.
    pub async fn add_contact(&self, handle: &str, message: Option<&str>) -> Result<ContactRequestState> {
        let contact = AddContact { handle: handle.to_owned(), message: message.map(str::to_owned) };
        self.act(|| self.shared.port.add_contact(&contact)).await
    }

    /// Ends a contact, named by handle or by the id of the agent's record. Counts as work done.
    ///
    /// # Errors
    /// Neither is given, there is no such contact, or the turn was asked to end.
    pub async fn remove_contact(
        &self,
        handle: Option<&str>,
        contact: Option<ContactId>,
    ) -> Result<ContactRemoval> {
        either(handle.is_some() || contact.is_some(), "contact_id")?;
        let contact = RemoveContact { handle: handle.map(str::to_owned), contact_id: contact };
        self.act(|| self.shared.port.remove_contact(&contact)).await
    }

    /// One page of each direction, from page 1: the open requests that the agent received, and those it sent;
    /// of these, only those that stand there, or all.
    ///
    /// # Errors
    /// As for [`list_contacts`](Self::list_contacts).
    pub async fn list_contact_requests(
        &self,
        page: u64,
        page_size: u64,
        sent: Option<ContactRequestStatus>,
    ) -> Result<ListedContactRequests> {
        let sent = sent.map_or(SentFilter::All, SentFilter::Only);
        self.shared.port.contact_requests(page, page_size, sent).await
    }

    /// Approves or rejects a request that the agent received, or cancels one that it sent; named by the other
    /// side's handle or by its id. Counts as work done.
    ///
    /// # Errors
    /// Neither is given, there is no such open request, it is settled, or the turn was asked to end.
    pub async fn respond_contact_request(
        &self,
        action: ContactAction,
        handle: Option<&str>,
        request: Option<ContactRequestId>,
    ) -> Result<ContactRequestState> {
        either(handle.is_some() || request.is_some(), "request_id")?;
        let response = RespondContact { action, handle: handle.map(str::to_owned), request_id: request };
        self.act(|| self.shared.port.respond_contact(&response)).await
    }

    /// What was done counts for the turn; a turn that was asked to end does nothing more.
    async fn act<'a, T>(&self, work: impl FnOnce() -> Answer<'a, T> + Send) -> Result<T> {
        if self.shared.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let done = work().await?;
        self.shared.ledger().record(Effect::Act);
        Ok(done)
    }
}
