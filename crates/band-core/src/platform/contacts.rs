//! Contacts: who may reach whom across owners.
//!
//! | request | act | by | next |
//! | --- | --- | --- | --- |
//! | – | add | anyone, for themselves | pending; approved, if the other side has asked already |
//! | pending | approve | the recipient, or its owner | approved, and a record for each side |
//! | pending | reject | the recipient, or its owner | rejected |
//! | pending | cancel | the requester, or its owner | cancelled |
//! | pending | one side is deleted | the platform | expired |
//! | any other | any | – | 409 |
//!
//! | add | refusal |
//! | --- | --- |
//! | the handle is none | 400 |
//! | nobody has it | 404 |
//! | oneself, a contact already, asked already | 409 |
//!
//! Whoever has nothing to do with a request gets 404, who is on its other side 403. Both sides hear of every
//! change of a request, then of the contact, each of its own record. Owner and agents, siblings and the people
//! of the site reach each other without any of this; they may be contacts all the same.

use band_wire::event::{emit, name};
use band_wire::phx::Topic;
use band_wire::rest::{
    ContactAction, ContactParty, ContactRequestStatus, MyContactRequest, SenderType, code,
};
use band_wire::{ContactId, ContactRequestId, ParticipantId, Stamp};
use serde::Serialize;

use super::membership::Candidate;
use super::plan::{ContactRequestRow, ContactRow, Plan, Write};
use super::{Audience, Principal, Push, Refusal, announce, handles};

/// The longest handle that is looked up, in characters.
const MAX_HANDLE: usize = 200;

/// The form of a handle in which it is looked up: `ann`, or `ann/echo` as its two parts.
///
/// # Errors
/// 400 when it can be nobody's.
pub fn handle(text: &str) -> Result<(String, Option<String>), Refusal> {
    let canonical = handles::canonical(text);
    let mut parts = canonical.split('/');
    let (user, slug, more) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    let is_word = |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c == '@');
    let fits = canonical.chars().count() <= MAX_HANDLE && more.is_none();
    if !fits || !is_word(user) || !slug.is_none_or(is_word) {
        return Err(bad("A handle is @name or @name/agent"));
    }
    Ok((user.to_owned(), slug.map(str::to_owned)))
}

/// 400, for a request that does not say whom it means.
pub fn bad(text: &'static str) -> Refusal {
    Refusal::new(400, code::BAD_REQUEST, text)
}

/// What is known when someone asks to be someone's contact.
#[derive(Debug)]
pub struct Asking<'a> {
    /// Who asks.
    pub requester: &'a Candidate,
    /// Who is asked.
    pub recipient: &'a Candidate,
    /// Whether they are contacts.
    pub are_contacts: bool,
    /// The open request of the same direction.
    pub sent: Option<&'a ContactRequestRow>,
    /// The open request of the other direction.
    pub received: Option<&'a ContactRequestRow>,
    /// The id of the request, if it is new.
    pub id: ContactRequestId,
    /// The ids of the records, if they become contacts: the asker's, then the other's.
    pub records: (ContactId, ContactId),
    /// Now.
    pub now: Stamp,
}

/// Plans a request. Where the other side has asked already, that request is approved instead.
///
/// # Errors
/// 409, as this module's table says.
pub fn ask(facts: &Asking<'_>, message: Option<String>) -> Result<Plan<ContactRequestRow>, Refusal> {
    let Asking { requester, recipient, .. } = *facts;
    let conflict = |text: &'static str| Err(Refusal::new(409, code::CONFLICT, text));
    if requester.id == recipient.id {
        return conflict("You can't be your own contact");
    }
    if facts.are_contacts {
        return conflict("You are contacts already");
    }
    if facts.sent.is_some() {
        return conflict("A contact request to them is pending already");
    }
    if let Some(received) = facts.received {
        let records = (facts.records.1, facts.records.0);
        return Ok(settled(
            received,
            (recipient, requester),
            ContactRequestStatus::Approved,
            records,
            facts.now,
        ));
    }
    let row = ContactRequestRow {
        id: facts.id,
        requester: requester.id,
        requester_kind: requester.kind,
        recipient: recipient.id,
        recipient_kind: recipient.kind,
        message,
        status: ContactRequestStatus::Pending,
        inserted_at: facts.now,
        responded_at: None,
    };
    let pushes = vec![received(&row, requester, recipient)];
    Ok(Plan { writes: vec![Write::AddContactRequest(row.clone())], pushes, answer: row })
}

/// What is known when a request is settled.
#[derive(Debug)]
pub struct Settling<'a> {
    /// The request.
    pub request: &'a ContactRequestRow,
    /// Who asked.
    pub requester: &'a Candidate,
    /// Who was asked.
    pub recipient: &'a Candidate,
    /// The ids of the records, if they become contacts: the requester's, then the recipient's.
    pub records: (ContactId, ContactId),
    /// Now.
    pub now: Stamp,
}

/// Plans the end of a request.
///
/// # Errors
/// 404 for whoever has nothing to do with it, 403 for the wrong side, 409 when it is over already.
pub fn settle(
    facts: &Settling<'_>,
    who: Principal,
    action: ContactAction,
) -> Result<Plan<ContactRequestRow>, Refusal> {
    let (asked, answers) = (acts_for(who, facts.requester), acts_for(who, facts.recipient));
    let (may, status) = match action {
        ContactAction::Approve => (answers, ContactRequestStatus::Approved),
        ContactAction::Reject => (answers, ContactRequestStatus::Rejected),
        ContactAction::Cancel => (asked, ContactRequestStatus::Cancelled),
    };
    if !asked && !answers {
        return Err(Refusal::not_found());
    }
    if !may {
        return Err(Refusal::forbidden(match action {
            ContactAction::Cancel => "Only who sent a contact request may cancel it",
            ContactAction::Approve | ContactAction::Reject => {
                "Only who received a contact request may approve or reject it"
            }
        }));
    }
    if facts.request.status != ContactRequestStatus::Pending {
        let text = format!("The contact request is {} already", facts.request.status);
        return Err(Refusal::new(409, code::CONFLICT, text));
    }
    Ok(settled(facts.request, (facts.requester, facts.recipient), status, facts.records, facts.now))
}

/// Whether the caller is someone, or owns it.
fn acts_for(who: Principal, party: &Candidate) -> bool {
    let owner = party.owner.map(ParticipantId::from);
    who.participant() == party.id || matches!(who, Principal::User(user) if owner == Some(user.into()))
}

fn settled(
    request: &ContactRequestRow,
    (requester, recipient): (&Candidate, &Candidate),
    status: ContactRequestStatus,
    records: (ContactId, ContactId),
    now: Stamp,
) -> Plan<ContactRequestRow> {
    let answer = ContactRequestRow { status, responded_at: Some(now), ..request.clone() };
    let mut writes = vec![Write::SettleContactRequest { request: request.id, status, at: now }];
    let mut pushes = updated(&answer);
    if status == ContactRequestStatus::Approved {
        for (id, owner, contact) in [(records.0, requester, recipient), (records.1, recipient, requester)] {
            let row = ContactRow {
                id,
                owner: owner.id,
                owner_kind: owner.kind,
                contact: contact.id,
                contact_kind: contact.kind,
                inserted_at: now,
            };
            writes.push(Write::AddContact(row));
            pushes.push(push((owner.id, owner.kind), name::CONTACT_ADDED, &added(&row, contact)));
        }
    }
    Plan { writes, pushes, answer }
}

/// Plans the end of a contact, for both sides: the caller's record and the other's.
pub fn remove(records: &[ContactRow]) -> Plan<()> {
    let mut plan = Plan::answer(());
    for row in records {
        plan.writes.push(Write::RemoveContact(row.id));
        let gone = emit::ContactRemoved { id: row.id };
        plan.pushes.push(push((row.owner, row.owner_kind), name::CONTACT_REMOVED, &gone));
    }
    plan
}

/// Plans what a deletion leaves of someone's contacts and open requests: nothing. The others are told.
pub fn forget(
    who: ParticipantId,
    contacts: &[ContactRow],
    open: &[ContactRequestRow],
    now: Stamp,
) -> Plan<()> {
    let mut plan = remove(contacts);
    for request in open {
        let status = ContactRequestStatus::Expired;
        plan.writes.push(Write::SettleContactRequest { request: request.id, status, at: now });
        plan.pushes.extend(updated(&ContactRequestRow { status, ..request.clone() }));
    }
    let (users, agents) = (Topic::UserContacts(who.cast()), Topic::AgentContacts(who.cast()));
    plan.pushes.retain(|push| push.topic != users && push.topic != agents);
    plan
}

/// A request as people see it. A side that is gone has no name any more.
pub fn request_view(
    row: &ContactRequestRow,
    requester: Option<&Candidate>,
    recipient: Option<&Candidate>,
) -> MyContactRequest {
    MyContactRequest {
        id: row.id,
        status: row.status.into(),
        message: row.message.clone(),
        requester_id: row.requester,
        requester_type: row.requester_kind.into(),
        recipient_id: row.recipient,
        recipient_type: row.recipient_kind.into(),
        requester: requester.map(party),
        recipient: recipient.map(party),
        responded_at: row.responded_at,
        inserted_at: row.inserted_at,
    }
}

fn party(candidate: &Candidate) -> ContactParty {
    ContactParty {
        id: candidate.id,
        handle: Some(candidate.handle.clone()),
        name: Some(candidate.name.clone()),
    }
}

/// `contact_request_received`: flat for agents, the REST view for people.
fn received(row: &ContactRequestRow, requester: &Candidate, recipient: &Candidate) -> Push {
    let to = (recipient.id, recipient.kind);
    match recipient.kind {
        SenderType::User => {
            let payload = request_view(row, Some(requester), Some(recipient));
            push(to, name::CONTACT_REQUEST_RECEIVED, &payload)
        }
        SenderType::Agent => {
            let payload = emit::ContactRequest {
                id: row.id,
                from_handle: requester.handle.clone(),
                from_name: Some(requester.name.clone()),
                message: row.message.clone(),
                status: row.status.to_string(),
                inserted_at: row.inserted_at,
            };
            push(to, name::CONTACT_REQUEST_RECEIVED, &payload)
        }
    }
}

/// `contact_request_updated`, to both sides.
fn updated(row: &ContactRequestRow) -> Vec<Push> {
    let payload = emit::ContactRequestUpdate { id: row.id, status: row.status.to_string() };
    [(row.requester, row.requester_kind), (row.recipient, row.recipient_kind)]
        .map(|side| push(side, name::CONTACT_REQUEST_UPDATED, &payload))
        .into()
}

/// `contact_added`, as the owner of the record sees the contact.
fn added(row: &ContactRow, contact: &Candidate) -> emit::Contact {
    let is_agent = contact.kind == SenderType::Agent;
    emit::Contact {
        id: row.id,
        handle: Some(contact.handle.clone()),
        name: Some(contact.name.clone()),
        kind: contact.kind,
        description: contact.description.clone(),
        is_remote: is_agent.then_some(true),
        is_external: is_agent.then_some(true),
        listed_in_directory: is_agent.then_some(contact.listed_in_directory),
        tags: is_agent.then(|| contact.tags.clone()),
        inserted_at: row.inserted_at,
    }
}

fn push((id, kind): (ParticipantId, SenderType), event: &'static str, payload: &impl Serialize) -> Push {
    let topic = match kind {
        SenderType::User => Topic::UserContacts(id.cast()),
        SenderType::Agent => Topic::AgentContacts(id.cast()),
    };
    announce::push(topic, Audience::Everyone, event, payload)
}

#[cfg(test)]
mod tests;
