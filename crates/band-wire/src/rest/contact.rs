//! Contacts and the requests that lead to them, as agents and people see them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::message::SenderType;
use super::strict::{FromBody, Issues, ObjectReader};
use crate::word::{Open, words};
use crate::{ContactId, ContactRequestId, ParticipantId, Stamp};

/// The longest message of a request, in characters.
pub const MAX_CONTACT_MESSAGE: usize = 500;

words! {
    /// Where a request stands. All but pending are final.
    pub enum ContactRequestStatus {
        /// Nobody has answered.
        Pending = "pending",
        /// The recipient agreed.
        Approved = "approved",
        /// The recipient declined.
        Rejected = "rejected",
        /// The platform ended it.
        Expired = "expired",
        /// The requester took it back.
        Cancelled = "cancelled",
    }
}

words! {
    /// What to do with a request.
    pub enum ContactAction {
        /// Agree to one that was received.
        Approve = "approve",
        /// Decline one that was received.
        Reject = "reject",
        /// Take back one that was sent.
        Cancel = "cancel",
    }
}

/// An entry of `GET /agent/contacts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentContact {
    /// The agent's record of the contact.
    pub id: ContactId,
    /// Which of the two.
    #[serde(rename = "type")]
    pub kind: Open<SenderType>,
    /// Without `@`. Null on some servers.
    pub handle: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// What an agent does.
    pub description: Option<String>,
    /// Of agents: whether its loop runs outside the platform.
    pub is_external: Option<bool>,
    /// Whether the public directory lists it.
    pub listed_in_directory: Option<bool>,
    /// Free labels.
    pub tags: Option<Vec<String>>,
    /// Presence. Absent or null on some servers.
    #[serde(default)]
    pub online: Option<bool>,
    /// When it came to be.
    pub inserted_at: Stamp,
}

/// Body of `POST /agent/contacts/add`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AddContact {
    /// With or without `@`.
    pub handle: String,
    /// At most [`MAX_CONTACT_MESSAGE`] characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl FromBody for AddContact {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let handle = fields.string("handle");
        let message = contact_message(&mut fields);
        fields.finish()?;
        Ok(Self { handle: handle.unwrap_or_default(), message })
    }
}

fn contact_message(fields: &mut ObjectReader) -> Option<String> {
    let message = fields.nullable_string("message")?;
    if message.chars().count() > MAX_CONTACT_MESSAGE {
        fields.issue("message", format!("should be at most {MAX_CONTACT_MESSAGE} character(s)"));
    }
    Some(message).filter(|message| !message.trim().is_empty())
}

/// Answer to adding, approving, rejecting and cancelling: the request, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactRequestState {
    /// The request.
    pub id: ContactRequestId,
    /// Where it stands.
    pub status: Open<ContactRequestStatus>,
}

/// Body of `POST /agent/contacts/remove` and `POST /me/contacts/remove`: one of the two says which contact.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RemoveContact {
    /// With or without `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// The caller's record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_id: Option<ContactId>,
}

impl FromBody for RemoveContact {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let handle = fields.opt_string("handle");
        let contact_id = fields.opt_string("contact_id");
        let contact_id = fields.parse_id("contact_id", contact_id);
        fields.finish()?;
        Ok(Self { handle, contact_id })
    }
}

/// Answer to a removal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactRemoval {
    /// `removed`.
    pub status: String,
}

impl Default for ContactRemoval {
    fn default() -> Self {
        Self { status: "removed".to_owned() }
    }
}

/// Body of `POST /agent/contacts/requests/respond`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RespondContact {
    /// What to do.
    pub action: ContactAction,
    /// The other side, with or without `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// The request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<ContactRequestId>,
}

impl FromBody for RespondContact {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let action = fields.string("action");
        let action = fields.parse("action", action, ContactAction::parse);
        let handle = fields.opt_string("handle");
        let request_id = fields.opt_string("request_id");
        let request_id = fields.parse_id("request_id", request_id);
        fields.finish()?;
        Ok(Self { action: action.ok_or_else(Issues::new)?, handle, request_id })
    }
}

/// A request that the agent received and has not answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceivedContactRequest {
    /// The request.
    pub id: ContactRequestId,
    /// Who asks, without `@`.
    pub from_handle: Option<String>,
    /// Who asks, by name.
    pub from_name: Option<String>,
    /// What they write.
    pub message: Option<String>,
    /// Where it stands.
    pub status: Open<ContactRequestStatus>,
    /// When it was made.
    pub inserted_at: Stamp,
}

/// A request that the agent sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentContactRequest {
    /// The request.
    pub id: ContactRequestId,
    /// Who is asked, without `@`.
    pub to_handle: Option<String>,
    /// Who is asked, by name.
    pub to_name: Option<String>,
    /// What the agent wrote.
    pub message: Option<String>,
    /// Where it stands.
    pub status: Open<ContactRequestStatus>,
    /// When it was made.
    pub inserted_at: Stamp,
}

/// `GET /agent/contacts/requests`: a page of each direction.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactRequests {
    /// Those that wait for the agent's answer.
    #[serde(default)]
    pub received: Vec<ReceivedContactRequest>,
    /// Those that it sent.
    #[serde(default)]
    pub sent: Vec<SentContactRequest>,
}

/// The answer of `GET /agent/contacts/requests`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedContactRequests {
    /// A page of each direction.
    pub data: ContactRequests,
    /// Where the page stands.
    pub metadata: ContactRequestsPage,
}

/// Where a page of requests stands: the page is one for both directions, the totals are not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactRequestsPage {
    /// From 1.
    pub page: u64,
    /// Requests of each direction a page.
    pub page_size: u64,
    /// Of the received ones.
    pub received: DirectionTotal,
    /// Of the sent ones.
    pub sent: DirectionTotal,
}

/// How many requests there are in one direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DirectionTotal {
    /// Requests.
    pub total: u64,
    /// Pages of them.
    pub total_pages: u64,
}

/// An entry of `GET /me/contacts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MyContact {
    /// The person's record of the contact.
    pub id: ContactId,
    /// The contact: a user or an agent.
    pub contact_id: ParticipantId,
    /// Which of the two.
    pub contact_type: Open<SenderType>,
    /// `active`.
    pub status: String,
    /// `request`.
    pub source: String,
    /// Presence.
    #[serde(default)]
    pub online: bool,
    /// Who it is.
    pub user: ContactUser,
    /// When it came to be.
    pub inserted_at: Stamp,
}

/// The contact of an entry of `GET /me/contacts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactUser {
    /// A user or an agent.
    pub id: ParticipantId,
    /// Without `@`.
    pub handle: Option<String>,
    /// Its name.
    pub name: Option<String>,
    /// Of people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Whether the public directory lists it.
    pub listed_in_directory: Option<bool>,
    /// Free labels.
    pub tags: Option<Vec<String>>,
}

/// A request as people see it; also what their sockets get as `contact_request_received`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MyContactRequest {
    /// The request.
    pub id: ContactRequestId,
    /// Where it stands.
    pub status: Open<ContactRequestStatus>,
    /// What the requester writes.
    pub message: Option<String>,
    /// Who asks.
    pub requester_id: ParticipantId,
    /// A user or an agent.
    pub requester_type: Open<SenderType>,
    /// Who is asked.
    pub recipient_id: ParticipantId,
    /// A user or an agent.
    pub recipient_type: Open<SenderType>,
    /// Who asks.
    pub requester: Option<ContactParty>,
    /// Who is asked.
    pub recipient: Option<ContactParty>,
    /// When it was settled.
    pub responded_at: Option<Stamp>,
    /// When it was made.
    pub inserted_at: Stamp,
}

/// One side of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactParty {
    /// A user or an agent.
    pub id: ParticipantId,
    /// Without `@`.
    pub handle: Option<String>,
    /// Its name.
    pub name: Option<String>,
}

/// Body of `POST /me/contacts/requests`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CreateContactRequest {
    /// With or without `@`.
    pub recipient_handle: String,
    /// At most [`MAX_CONTACT_MESSAGE`] characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl FromBody for CreateContactRequest {
    const WRAPPER: Option<&'static str> = Some("contact_request");

    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let recipient_handle = fields.string("recipient_handle");
        let message = contact_message(&mut fields);
        fields.finish()?;
        Ok(Self { recipient_handle: recipient_handle.unwrap_or_default(), message })
    }
}

/// Body of `POST /me/contacts/resolve`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResolveHandle {
    /// With or without `@`.
    pub handle: String,
}

impl FromBody for ResolveHandle {
    fn from_body(body: Value) -> Result<Self, Issues> {
        let mut fields = ObjectReader::body::<Self>(body)?;
        let handle = fields.string("handle");
        fields.finish()?;
        Ok(Self { handle: handle.unwrap_or_default() })
    }
}

/// Whom a handle names. Id and mail are not told before there is a contact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResolvedEntity {
    /// Which of the two.
    #[serde(rename = "type")]
    pub kind: Open<SenderType>,
    /// Its name.
    pub name: Option<String>,
    /// Without `@`.
    pub handle: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_measured_in_characters_and_a_blank_one_is_none() {
        let body = |message: &str| json!({"handle": "@ann", "message": message});
        let longest = "é".repeat(MAX_CONTACT_MESSAGE);
        assert_eq!(AddContact::from_body(body(&longest)).unwrap().message, Some(longest.clone()));
        assert_eq!(AddContact::from_body(body("  ")).unwrap().message, None);
        assert_eq!(AddContact::from_body(json!({"handle": "a", "message": null})).unwrap().message, None);
        let issues = AddContact::from_body(body(&format!("{longest}x"))).unwrap_err().into_map();
        assert_eq!(issues["/message"], ["should be at most 500 character(s)"]);
    }

    #[test]
    fn a_selector_may_be_absent_but_not_null() {
        assert_eq!(RemoveContact::from_body(json!({})).unwrap(), RemoveContact::default());
        let issues = RemoveContact::from_body(json!({"handle": null, "contact_id": "7"})).unwrap_err();
        assert_eq!(issues.into_map().into_keys().collect::<Vec<_>>(), ["/contact_id", "/handle"]);
        let issues = RespondContact::from_body(json!({"action": "ignore", "request_id": null})).unwrap_err();
        assert_eq!(issues.into_map().into_keys().collect::<Vec<_>>(), ["/action", "/request_id"]);
    }

    #[test]
    fn a_contact_without_handle_or_presence_is_read() {
        let contact: AgentContact = serde_json::from_value(json!({
            "id": "00000000-0000-0000-0000-000000000001", "type": "Robot", "handle": null, "name": null,
            "inserted_at": "2026-07-01T10:00:00Z",
        }))
        .unwrap();
        assert_eq!((contact.kind.as_str(), contact.online), ("Robot", None));
    }
}
