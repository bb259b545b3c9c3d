//! Contacts of the simulated site: people ask agents, and agents settle what they were asked.

use band_core::platform::contacts::{self, Asking, Settling};
use band_core::platform::page;
use band_core::platform::plan::ContactRequestRow;
use band_core::platform::{Principal, Refusal};
use band_wire::rest::query::AgentContactRequestsQuery;
use band_wire::rest::{
    ContactRequestState, ContactRequestStatus, ContactRequests, ContactRequestsPage, DirectionTotal,
    ListedContactRequests, ReceivedContactRequest, RespondContact,
};
use band_wire::{AgentId, ContactRequestId, ParticipantId, UserId};

use super::Platform;
use super::answer::{self, Answer, Answered};

impl Platform {
    /// Somebody whom nobody knows yet asks an agent to be a contact.
    pub(crate) fn ask(&mut self, agent: AgentId, owner: UserId) -> Result<ContactRequestId, Refusal> {
        let guest = self.add_person(&format!("Guest {}", self.ids))?;
        let requester = self.candidate(Principal::User(guest)).ok_or_else(Refusal::not_found)?;
        let to = Principal::Agent { id: agent, owner };
        let recipient = self.candidate(to).ok_or_else(Refusal::not_found)?;
        let (id, records, now) = (self.id(), (self.id(), self.id()), self.stamp());
        let facts = Asking {
            requester: &requester,
            recipient: &recipient,
            are_contacts: false,
            sent: None,
            received: None,
            id,
            records,
            now,
        };
        let plan = contacts::ask(&facts, Some("May I?".to_owned()))?;
        Ok(self.commit(plan).id)
    }

    /// Whether nobody has settled a request yet.
    pub(crate) fn is_pending(&self, request: ContactRequestId) -> bool {
        self.store.requests.get(&request).is_some_and(|row| row.status == ContactRequestStatus::Pending)
    }
}

/// What an agent was asked and has not settled. It asks nobody itself.
pub(super) fn requests(platform: &Platform, agent: AgentId, query: &AgentContactRequestsQuery) -> Answer {
    let who = ParticipantId::from(agent);
    let open = |row: &&ContactRequestRow| row.recipient == who && row.status == ContactRequestStatus::Pending;
    let all: Vec<&ContactRequestRow> = platform.store.requests.values().filter(open).collect();
    let (total, paging) = (all.len() as u64, query.page);
    let skip = usize::try_from(page::skipped(paging)).unwrap_or(usize::MAX);
    let most = usize::try_from(paging.page_size).unwrap_or(usize::MAX);
    let received = all.into_iter().skip(skip).take(most).map(|row| {
        let from = platform.store.user(row.requester.cast());
        ReceivedContactRequest {
            id: row.id,
            from_handle: from.map(|from| from.handle.clone()),
            from_name: from.map(band_core::platform::plan::User::full_name),
            message: row.message.clone(),
            status: row.status.into(),
            inserted_at: row.inserted_at,
        }
    });
    let data = ContactRequests { received: received.collect(), sent: Vec::new() };
    let pages = |total| DirectionTotal { total, total_pages: page::numbered(paging, total).total_pages };
    let metadata = ContactRequestsPage {
        page: paging.page,
        page_size: paging.page_size,
        received: pages(total),
        sent: pages(0),
    };
    answer::whole(&ListedContactRequests { data, metadata })
}

/// An agent settles a request.
pub(super) fn respond(platform: &mut Platform, who: Principal, response: &RespondContact) -> Answered {
    let found = response.request_id.and_then(|id| platform.store.requests.get(&id)).cloned();
    let request = found.ok_or_else(Refusal::not_found)?;
    let asker = Principal::User(request.requester.cast());
    let requester = platform.candidate(asker).ok_or_else(Refusal::not_found)?;
    let recipient = platform.candidate(who).ok_or_else(Refusal::not_found)?;
    let (records, now) = ((platform.id(), platform.id()), platform.stamp());
    let facts = Settling { request: &request, requester: &requester, recipient: &recipient, records, now };
    let plan = contacts::settle(&facts, who, response.action)?;
    let row = platform.commit(plan);
    Ok(answer::ok(ContactRequestState { id: row.id, status: row.status.into() }))
}
