//! The tools for contacts: offered where the adapter chose them, and always in the hub room.

use band_wire::rest::query::SentFilter;
use band_wire::rest::{
    AddContact, AgentContact, ContactAction, ContactRemoval, ContactRequestState, ContactRequestStatus,
    ListedContactRequests, Page, Paged, RemoveContact, RespondContact,
};
use band_wire::tools::args::{
    ListContactRequestsArgs, RemoveContactArgs, RespondContactRequestArgs, SentStatus, Settlement, given,
};
use band_wire::{ContactId, ContactRequestId};
use serde_json::Value;

use super::RoomTools;
use super::dispatch::{number, told};
use super::port::{Answer, RestPort};
use crate::contacts::either;
use crate::error::Result;

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
}

/// Calls of models.
impl RoomTools {
    pub(super) async fn do_remove_contact(&self, args: RemoveContactArgs) -> Result<Value> {
        told(self.remove_contact(given(args.handle.as_deref()), id(args.contact_id.as_deref())).await)
    }

    pub(super) async fn do_list_contact_requests(&self, args: ListContactRequestsArgs) -> Result<Value> {
        let status = match args.sent_status {
            SentStatus::Pending => Some(ContactRequestStatus::Pending),
            SentStatus::Approved => Some(ContactRequestStatus::Approved),
            SentStatus::Rejected => Some(ContactRequestStatus::Rejected),
            SentStatus::Cancelled => Some(ContactRequestStatus::Cancelled),
            SentStatus::All => None,
        };
        told(self.list_contact_requests(number(args.page), number(args.page_size), status).await)
    }

    pub(super) async fn do_respond_contact_request(&self, args: RespondContactRequestArgs) -> Result<Value> {
        let action = match args.action {
            Settlement::Approve => ContactAction::Approve,
            Settlement::Reject => ContactAction::Reject,
            Settlement::Cancel => ContactAction::Cancel,
        };
        let (handle, request) = (given(args.handle.as_deref()), id(args.request_id.as_deref()));
        told(self.respond_contact_request(action, handle, request).await)
    }
}

/// What is no id was refused before.
fn id<T: std::str::FromStr>(text: Option<&str>) -> Option<T> {
    given(text)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::FakeTools;
    use crate::tools::ToolOutcome;

    async fn told(room: &RoomTools, name: &str, args: Value) -> String {
        room.call(name, args).await.to_model_text()
    }

    #[tokio::test]
    async fn a_tool_that_is_not_offered_is_refused_even_by_its_right_name() {
        let fake = FakeTools::new();
        let request = fake.ask_for_contact("bob", "Bob", None);
        let args = json!({ "action": "approve", "request_id": request });
        let elsewhere = fake.tools();
        let text = told(&elsewhere, "band_respond_contact_request", args.clone()).await;
        assert_eq!(text, "Unknown tool: band_respond_contact_request");
        assert!(fake.contacts().is_empty() && !elsewhere.is_complete());

        let fake = fake.in_hub_room();
        let hub = fake.tools();
        assert_eq!(
            hub.tool_set()
                .definitions()
                .filter(|tool| tool.group == band_wire::tools::Group::Contacts)
                .count(),
            5
        );
        let done = hub.call("band_respond_contact_request", args).await;
        assert_eq!(done.to_model_text(), json!({ "id": request, "status": "approved" }).to_string());
        assert_eq!(fake.contacts()[0].handle.as_deref(), Some("bob"));
        assert!(hub.is_complete() && !hub.replied(), "an act, no reply");
    }

    #[tokio::test]
    async fn lists_settle_nothing_and_have_the_platforms_shape() {
        let fake = FakeTools::new().in_hub_room();
        fake.ask_for_contact("bob", "Bob", Some("hello"));
        let room = fake.tools();
        let ToolOutcome::Done(list) = room.call("band_list_contact_requests", Value::Null).await else {
            panic!("refused")
        };
        assert_eq!(list["data"]["received"][0]["from_handle"], "bob");
        assert_eq!(list["metadata"]["page_size"], 50);
        let ToolOutcome::Done(list) =
            room.call("band_list_contacts", json!({ "page": "2", "page_size": 10.0 })).await
        else {
            panic!("refused")
        };
        assert_eq!((&list["metadata"]["page"], &list["metadata"]["page_size"]), (&json!(2), &json!(10)));
        assert!(!room.is_complete());
    }

    #[tokio::test]
    async fn a_contact_is_asked_for_and_removed() {
        let fake = FakeTools::new().in_hub_room();
        let room = fake.tools();
        let ToolOutcome::Done(asked) = room.call("band_add_contact", json!({ "handle": "@eve" })).await
        else {
            panic!("refused")
        };
        assert_eq!(asked["status"], "pending");
        fake.ask_for_contact("bob", "Bob", None);
        let ToolOutcome::Done(asked) = room.call("band_add_contact", json!({ "handle": "@bob" })).await
        else {
            panic!("refused")
        };
        assert_eq!(asked["status"], "approved", "each asked the other");
        assert_eq!(
            told(&room, "band_remove_contact", json!({ "handle": "bob" })).await,
            r#"{"status":"removed"}"#
        );
        assert!(fake.contacts().is_empty());
    }

    #[tokio::test]
    async fn one_of_two_names_must_be_given_and_empty_ones_are_none() {
        let fake = FakeTools::new().in_hub_room();
        let room = fake.tools();
        let table = [
            ("band_remove_contact", json!({}), "contact_id"),
            ("band_remove_contact", json!({ "handle": " ", "contact_id": "" }), "contact_id"),
            ("band_respond_contact_request", json!({ "action": "reject", "handle": null }), "request_id"),
        ];
        for (name, args, id) in table {
            let text = format!("Error executing {name}: Either handle or {id} must be provided");
            assert_eq!(told(&room, name, args).await, text);
        }
        assert!(!room.is_complete());
    }

    #[tokio::test]
    async fn a_turn_that_was_asked_to_end_changes_no_contacts() {
        let fake = FakeTools::new().in_hub_room();
        fake.ask_for_contact("bob", "Bob", None);
        fake.cancel();
        let outcome = fake
            .tools()
            .call("band_respond_contact_request", json!({ "action": "approve", "handle": "bob" }))
            .await;
        assert!(matches!(outcome, ToolOutcome::TurnOver(_)));
        assert!(fake.contacts().is_empty());
    }
}
