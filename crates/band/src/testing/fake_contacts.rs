//! The contacts of an agent whose platform is made up.

use band_wire::rest::query::SentFilter;
use band_wire::rest::{
    AddContact, AgentContact, ContactAction, ContactRemoval, ContactRequestState, ContactRequestStatus,
    ContactRequests, ContactRequestsPage, DirectionTotal, ListedContactRequests, Page, Paged,
    ReceivedContactRequest, RemoveContact, RespondContact, SenderType, SentContactRequest,
};
use band_wire::{ContactRequestId, Id, Stamp};
use uuid::Uuid;

use super::fake_tools::{Said, answered, locked, not_found};
use crate::tools::{Answer, ContactPort};

/// What the made-up platform knows of contacts.
#[derive(Debug, Default)]
pub(super) struct FakeContacts {
    pub(super) contacts: Vec<AgentContact>,
    received: Vec<ReceivedContactRequest>,
    sent: Vec<SentContactRequest>,
}

impl FakeContacts {
    pub(super) fn ask(&mut self, handle: &str, name: &str, message: Option<&str>) -> ContactRequestId {
        let id = Id::new(Uuid::new_v4());
        self.received.push(ReceivedContactRequest {
            id,
            from_handle: Some(bare(handle).to_owned()),
            from_name: Some(name.to_owned()),
            message: message.map(str::to_owned),
            status: ContactRequestStatus::Pending.into(),
            inserted_at: Stamp::from_micros(0),
        });
        id
    }

    /// Takes back or answers a request; what it is then.
    fn settle(
        &mut self,
        action: ContactAction,
        id: Option<ContactRequestId>,
        handle: Option<&str>,
    ) -> Option<ContactRequestState> {
        let is_it = |one: ContactRequestId, whose: Option<&str>| match id {
            Some(id) => one == id,
            None => handle.is_some() && whose == handle.map(bare),
        };
        if action == ContactAction::Cancel {
            let at = self.sent.iter().position(|one| is_it(one.id, one.to_handle.as_deref()))?;
            let status = ContactRequestStatus::Cancelled.into();
            return Some(ContactRequestState { id: self.sent.remove(at).id, status });
        }
        let at = self.received.iter().position(|one| is_it(one.id, one.from_handle.as_deref()))?;
        let request = self.received.remove(at);
        if action == ContactAction::Reject {
            return Some(ContactRequestState {
                id: request.id,
                status: ContactRequestStatus::Rejected.into(),
            });
        }
        self.contacts.push(AgentContact {
            id: Id::new(Uuid::new_v4()),
            kind: SenderType::User.into(),
            handle: request.from_handle,
            name: request.from_name,
            description: None,
            is_external: None,
            listed_in_directory: None,
            tags: None,
            online: None,
            inserted_at: request.inserted_at,
        });
        Some(ContactRequestState { id: request.id, status: ContactRequestStatus::Approved.into() })
    }

    fn send(&mut self, contact: &AddContact) -> ContactRequestState {
        if let Some(state) = self.settle(ContactAction::Approve, None, Some(&contact.handle)) {
            return state;
        }
        let (id, status) = (Id::new(Uuid::new_v4()), ContactRequestStatus::Pending);
        self.sent.push(SentContactRequest {
            id,
            to_handle: Some(bare(&contact.handle).to_owned()),
            to_name: None,
            message: contact.message.clone(),
            status: status.into(),
            inserted_at: Stamp::from_micros(0),
        });
        ContactRequestState { id, status: status.into() }
    }
}

/// All fit on the first page.
impl ContactPort for Said {
    fn contacts(&self, page: u64, page_size: u64) -> Answer<'_, Paged<AgentContact, Page>> {
        let contacts = locked(&self.contacts).contacts.clone();
        let (total_count, total_pages) = (count(&contacts), 1);
        let data = if page > 1 { Vec::new() } else { contacts };
        answered(Paged { data, metadata: Page { page, page_size, total_count, total_pages } })
    }

    fn add_contact<'a>(&'a self, contact: &'a AddContact) -> Answer<'a, ContactRequestState> {
        self.refused().unwrap_or_else(|| answered(locked(&self.contacts).send(contact)))
    }

    fn remove_contact<'a>(&'a self, contact: &'a RemoveContact) -> Answer<'a, ContactRemoval> {
        if let Some(refused) = self.refused() {
            return refused;
        }
        let handle = contact.handle.as_deref().map(bare);
        let mut known = locked(&self.contacts);
        let found = known.contacts.iter().position(|one| {
            contact.contact_id == Some(one.id) || (handle.is_some() && one.handle.as_deref() == handle)
        });
        match found {
            Some(at) => {
                known.contacts.remove(at);
                answered(ContactRemoval::default())
            }
            None => not_found(),
        }
    }

    fn contact_requests(
        &self,
        page: u64,
        page_size: u64,
        _: SentFilter,
    ) -> Answer<'_, ListedContactRequests> {
        let known = locked(&self.contacts);
        let data = if page > 1 {
            ContactRequests::default()
        } else {
            ContactRequests { received: known.received.clone(), sent: known.sent.clone() }
        };
        let total = |total| DirectionTotal { total, total_pages: 1 };
        let (received, sent) = (total(count(&known.received)), total(count(&known.sent)));
        answered(ListedContactRequests {
            data,
            metadata: ContactRequestsPage { page, page_size, received, sent },
        })
    }

    fn respond_contact<'a>(&'a self, response: &'a RespondContact) -> Answer<'a, ContactRequestState> {
        if let Some(refused) = self.refused() {
            return refused;
        }
        let settled =
            locked(&self.contacts).settle(response.action, response.request_id, response.handle.as_deref());
        settled.map_or_else(not_found, answered)
    }
}

fn bare(handle: &str) -> &str {
    handle.strip_prefix('@').unwrap_or(handle)
}

fn count<T>(list: &[T]) -> u64 {
    u64::try_from(list.len()).unwrap_or(u64::MAX)
}
