//! Contacts, on both sides: asking, answering, ending.

use band_core::platform::contacts::{self, Asking, Settling};
use band_core::platform::membership::Candidate;
use band_core::platform::plan::{ContactRequestRow, ContactRow};
use band_core::platform::{Principal, Refusal};
use band_wire::rest::{
    AddContact, ContactAction, ContactRemoval, ContactRequestState, CreateContactRequest, MyContactRequest,
    RemoveContact, ResolveHandle, ResolvedEntity, RespondContact,
};
use band_wire::{ContactId, ContactRequestId};
use uuid::Uuid;

use super::idempotency::Once;
use super::{App, AppResult};
use crate::store::{Scope, View};

impl App {
    /// `POST /agent/contacts/add`: the agent asks someone to be its contact.
    ///
    /// # Errors
    /// 400, 404 and 409 by the rules of contacts; 403 for people.
    pub async fn add_contact(
        &self,
        who: Principal,
        request: AddContact,
        key: Option<String>,
    ) -> AppResult<ContactRequestState> {
        who.agent()?;
        let once = Once::read(who, "contacts".to_owned(), key, &request)?;
        let AddContact { handle, message } = request;
        let create = move |scope: &mut Scope<'_>| Ok(state(&ask(scope, who, &handle, message)?));
        self.once(once, |state: &ContactRequestState| state.id.uuid(), create).await
    }

    /// `POST /me/contacts/requests`: the person asks someone to be their contact.
    ///
    /// # Errors
    /// As [`App::add_contact`]; 403 for agents.
    pub async fn create_contact_request(
        &self,
        who: Principal,
        request: CreateContactRequest,
        key: Option<String>,
    ) -> AppResult<MyContactRequest> {
        who.user()?;
        let once = Once::read(who, "contacts".to_owned(), key, &request)?;
        let CreateContactRequest { recipient_handle, message } = request;
        let create = move |scope: &mut Scope<'_>| {
            let row = ask(scope, who, &recipient_handle, message)?;
            let view = scope.view();
            let (requester, recipient) = (view.candidate(row.requester)?, view.candidate(row.recipient)?);
            Ok(contacts::request_view(&row, requester.as_ref(), recipient.as_ref()))
        };
        self.once(once, |request: &MyContactRequest| request.id.uuid(), create).await
    }

    /// `POST /agent/contacts/requests/respond`.
    ///
    /// # Errors
    /// 400 when no request is named; 403, 404 and 409 by the rules of contacts.
    pub async fn respond_contact(
        &self,
        who: Principal,
        request: RespondContact,
    ) -> AppResult<ContactRequestState> {
        who.agent()?;
        let RespondContact { action, handle, request_id } = request;
        let command = move |scope: &mut Scope<'_>| {
            let view = scope.view();
            let found = match (request_id, handle) {
                (Some(request), _) => view.contact_request(request)?,
                (None, Some(handle)) => {
                    let Some(other) = named(view, &handle)? else { return Err(Refusal::not_found().into()) };
                    let own = who.participant();
                    match action {
                        ContactAction::Cancel => view.open_request(own, other.id)?,
                        ContactAction::Approve | ContactAction::Reject => view.open_request(other.id, own)?,
                    }
                }
                (None, None) => return Err(contacts::bad("Name the request by handle or request_id").into()),
            };
            settle(scope, who, found, action)
        };
        self.store().write(command).await
    }

    /// `POST /me/contacts/requests/{id}/approve`, `…/reject`, and `DELETE /me/contacts/requests/{id}`.
    ///
    /// # Errors
    /// 403, 404 and 409 by the rules of contacts.
    pub async fn settle_contact_request(
        &self,
        who: Principal,
        request: ContactRequestId,
        action: ContactAction,
    ) -> AppResult<ContactRequestState> {
        who.user()?;
        let command = move |scope: &mut Scope<'_>| {
            let found = scope.view().contact_request(request)?;
            settle(scope, who, found, action)
        };
        self.store().write(command).await
    }

    /// `POST …/contacts/remove`, on both sides. The contact ends for both.
    ///
    /// # Errors
    /// 400 when no contact is named, 404 when there is none.
    pub async fn remove_contact(&self, who: Principal, request: RemoveContact) -> AppResult<ContactRemoval> {
        let command = move |scope: &mut Scope<'_>| {
            let (view, own) = (scope.view(), who.participant());
            let record = match (request.contact_id, &request.handle) {
                (Some(record), _) => view.contact_record(own, record)?,
                (None, Some(handle)) => {
                    named(view, handle)?.map_or(Ok(None), |other| view.contact(own, other.id))?
                }
                (None, None) => return Err(contacts::bad("Name the contact by handle or contact_id").into()),
            };
            let record = record.ok_or_else(Refusal::not_found)?;
            let other = view.contact(record.contact, own)?;
            let records: Vec<ContactRow> = std::iter::once(record).chain(other).collect();
            scope.carry_out(contacts::remove(&records))?;
            AppResult::Ok(ContactRemoval::default())
        };
        self.store().write(command).await
    }

    /// `POST /me/contacts/resolve`: whom a handle names.
    ///
    /// # Errors
    /// 400 for what is no handle, 403 for agents, 404 when nobody has it.
    pub async fn resolve_handle(&self, who: Principal, request: ResolveHandle) -> AppResult<ResolvedEntity> {
        who.user()?;
        let query = move |view: View<'_>| {
            let found = named(view, &request.handle)?.ok_or_else(Refusal::not_found)?;
            let Candidate { kind, name, handle, .. } = found;
            AppResult::Ok(ResolvedEntity { kind: kind.into(), name: Some(name), handle: Some(handle) })
        };
        self.store().read(query).await
    }
}

fn named(view: View<'_>, handle: &str) -> AppResult<Option<Candidate>> {
    let (user, slug) = contacts::handle(handle)?;
    Ok(view.by_handle(&user, slug.as_deref())?)
}

fn ask(
    scope: &mut Scope<'_>,
    who: Principal,
    handle: &str,
    message: Option<String>,
) -> AppResult<ContactRequestRow> {
    let view = scope.view();
    let recipient = named(view, handle)?.ok_or_else(Refusal::not_found)?;
    let requester = view.candidate(who.participant())?.ok_or_else(Refusal::not_found)?;
    let (own, other) = (requester.id, recipient.id);
    let (sent, received) = (view.open_request(own, other)?, view.open_request(other, own)?);
    let facts = Asking {
        requester: &requester,
        recipient: &recipient,
        are_contacts: view.contact(own, other)?.is_some(),
        sent: sent.as_ref(),
        received: received.as_ref(),
        id: ContactRequestId::new(Uuid::now_v7()),
        records: new_records(),
        now: scope.now(),
    };
    Ok(scope.carry_out(contacts::ask(&facts, message)?)?)
}

fn settle(
    scope: &mut Scope<'_>,
    who: Principal,
    found: Option<ContactRequestRow>,
    action: ContactAction,
) -> AppResult<ContactRequestState> {
    let request = found.ok_or_else(Refusal::not_found)?;
    let view = scope.view();
    // The requests of whoever is deleted are over, so both sides of an open one are there.
    let (requester, recipient) = (view.candidate(request.requester)?, view.candidate(request.recipient)?);
    let (Some(requester), Some(recipient)) = (requester, recipient) else {
        return Err(Refusal::not_found().into());
    };
    let facts = Settling {
        request: &request,
        requester: &requester,
        recipient: &recipient,
        records: new_records(),
        now: scope.now(),
    };
    Ok(state(&scope.carry_out(contacts::settle(&facts, who, action)?)?))
}

fn new_records() -> (ContactId, ContactId) {
    (ContactId::new(Uuid::now_v7()), ContactId::new(Uuid::now_v7()))
}

fn state(row: &ContactRequestRow) -> ContactRequestState {
    ContactRequestState { id: row.id, status: row.status.into() }
}
