//! What a callback may do about contacts.

use band_wire::rest::query::SentFilter;
use band_wire::rest::{
    AddContact, AgentContact, ContactAction, ContactRemoval, ContactRequestState, ContactRequestStatus,
    ListedContactRequests, Page, Paged, RespondContact,
};
use band_wire::{ContactId, ContactRequestId};

use crate::error::Result;
use crate::rest::RestClient;
use crate::tools::ToolError;

/// What a callback for contact events may do about contacts, as the agent. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ContactTools {
    rest: RestClient,
}

impl ContactTools {
    /// With an agent's client.
    pub const fn new(rest: RestClient) -> Self {
        Self { rest }
    }

    /// One page of the agent's contacts, from page 1, at most 100 a page.
    ///
    /// # Errors
    /// The platform refused or could not be reached; so for all of them.
    pub async fn list_contacts(&self, page: u64, page_size: u64) -> Result<Paged<AgentContact, Page>> {
        self.rest.contacts(page, page_size).await
    }

    /// Asks someone to become a contact: `@name` or `@name/agent`, with a message of at most 500 characters.
    ///
    /// # Errors
    /// Nobody has the handle, or they are a contact or were asked already.
    pub async fn add_contact(&self, handle: &str, message: Option<&str>) -> Result<ContactRequestState> {
        let message = message.map(str::to_owned);
        self.rest.add_contact(&AddContact { handle: handle.to_owned(), message }).await
    }

    /// Ends a contact, named by handle or by the id of the agent's record.
    ///
    /// # Errors
    /// Neither is given, or there is no such contact.
    pub async fn remove_contact(
        &self,
        handle: Option<&str>,
        contact: Option<ContactId>,
    ) -> Result<ContactRemoval> {
        either(handle.is_some() || contact.is_some(), "contact_id")?;
        self.rest.remove_contact(handle, contact).await
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
        self.rest.contact_requests(page, page_size, sent).await
    }

    /// Approves or rejects a request that the agent received, or cancels one that it sent; named by the other
    /// side's handle or by its id.
    ///
    /// # Errors
    /// Neither is given, there is no such open request, or it is settled.
    pub async fn respond_contact_request(
        &self,
        action: ContactAction,
        handle: Option<&str>,
        request: Option<ContactRequestId>,
    ) -> Result<ContactRequestState> {
        either(handle.is_some() || request.is_some(), "request_id")?;
        let handle = handle.map(str::to_owned);
        self.rest.respond_contact_request(&RespondContact { action, handle, request_id: request }).await
    }
}

/// One of two names must be given: a handle or an id.
pub(crate) fn either(given: bool, id: &'static str) -> Result<()> {
    if given { Ok(()) } else { Err(ToolError::NoSelector(id).into()) }
}
