//! The tools for contacts, called by name.

use serde_json::{Value, json};

use super::super::RoomTools;
use super::super::dispatch::{ToolOutcome, invalid, outcome};
use super::args::{Add, List, ListRequests, Remove, Respond};
use super::{ADD, LIST, LIST_REQUESTS, REMOVE, RESPOND};
use crate::error::Result;

impl RoomTools {
    /// Calls one of these tools; none when it is another.
    pub(in super::super) async fn call_contacts(&self, name: &str, args: Value) -> Option<ToolOutcome> {
        let read = match name {
            LIST => match List::read(args) {
                Ok(page) => Ok(self.list_contacts(page.page, page.page_size).await.map(|list| json!(list))),
                Err(problems) => Err(problems),
            },
            ADD => match Add::read(args) {
                Ok(add) => Ok(self.add(&add).await),
                Err(problems) => Err(problems),
            },
            REMOVE => match Remove::read(args) {
                Ok(remove) => Ok(self.remove(&remove).await),
                Err(problems) => Err(problems),
            },
            LIST_REQUESTS => match ListRequests::read(args) {
                Ok(asked) => Ok(self.requests(&asked).await),
                Err(problems) => Err(problems),
            },
            RESPOND => match Respond::read(args) {
                Ok(response) => Ok(self.respond(&response).await),
                Err(problems) => Err(problems),
            },
            _ => return None,
        };
        Some(match read {
            Ok(result) => outcome(name, result),
            Err(problems) => invalid(name, &problems),
        })
    }

    async fn add(&self, add: &Add) -> Result<Value> {
        self.add_contact(&add.handle, add.message.as_deref()).await.map(|state| json!(state))
    }

    async fn remove(&self, remove: &Remove) -> Result<Value> {
        self.remove_contact(remove.handle.as_deref(), remove.contact).await.map(|removal| json!(removal))
    }

    async fn requests(&self, asked: &ListRequests) -> Result<Value> {
        let (page, page_size) = (asked.list.page, asked.list.page_size);
        self.list_contact_requests(page, page_size, asked.sent.status()).await.map(|list| json!(list))
    }

    async fn respond(&self, response: &Respond) -> Result<Value> {
        let handle = response.handle.as_deref();
        self.respond_contact_request(response.action, handle, response.request)
            .await
            .map(|state| json!(state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::FakeTools;

    async fn told(room: &RoomTools, name: &str, args: Value) -> String {
        room.call(name, args).await.to_model_text()
    }

    #[tokio::test]
    async fn a_tool_that_is_not_offered_is_refused_even_by_its_right_name() {
        let fake = FakeTools::new();
        let request = fake.ask_for_contact("bob", "Bob", None);
        let args = json!({ "action": "approve", "request_id": request });
        let elsewhere = fake.tools();
        let text = told(&elsewhere, RESPOND, args.clone()).await;
        assert_eq!(text, "Unknown tool: band_respond_contact_request");
        assert!(fake.contacts().is_empty() && !elsewhere.is_complete());

        let fake = fake.in_hub_room();
        let hub = fake.tools();
        assert_eq!(hub.specs().iter().filter(|spec| spec.category == "contacts").count(), 5);
        let done = hub.call(RESPOND, args).await;
        assert_eq!(done.to_model_text(), json!({ "id": request, "status": "approved" }).to_string());
        assert_eq!(fake.contacts()[0].handle.as_deref(), Some("bob"));
        assert!(hub.is_complete() && !hub.replied(), "an act, no reply");
    }

    #[tokio::test]
    async fn lists_settle_nothing_and_have_the_platforms_shape() {
        let fake = FakeTools::new().in_hub_room();
        fake.ask_for_contact("bob", "Bob", Some("hello"));
        let room = fake.tools();
        let ToolOutcome::Done(list) = room.call(LIST_REQUESTS, Value::Null).await else { panic!("refused") };
        assert_eq!(list["data"]["received"][0]["from_handle"], "bob");
        assert_eq!(list["metadata"]["page_size"], 50);
        let ToolOutcome::Done(list) = room.call(LIST, json!({ "page": "2", "page_size": 10.0 })).await else {
            panic!("refused")
        };
        assert_eq!((&list["metadata"]["page"], &list["metadata"]["page_size"]), (&json!(2), &json!(10)));
        assert!(!room.is_complete());
    }

    #[tokio::test]
    async fn a_contact_is_asked_for_and_removed() {
        let fake = FakeTools::new().in_hub_room();
        let room = fake.tools();
        let ToolOutcome::Done(asked) = room.call(ADD, json!({ "handle": "@eve" })).await else {
            panic!("refused")
        };
        assert_eq!(asked["status"], "pending");
        fake.ask_for_contact("bob", "Bob", None);
        let ToolOutcome::Done(asked) = room.call(ADD, json!({ "handle": "@bob" })).await else {
            panic!("refused")
        };
        assert_eq!(asked["status"], "approved", "each asked the other");
        assert_eq!(told(&room, REMOVE, json!({ "handle": "bob" })).await, r#"{"status":"removed"}"#);
        assert!(fake.contacts().is_empty());
    }

    #[tokio::test]
    async fn one_of_two_names_must_be_given_and_empty_ones_are_none() {
        let fake = FakeTools::new().in_hub_room();
        let room = fake.tools();
        let table = [
            (REMOVE, json!({}), "contact_id"),
            (REMOVE, json!({ "handle": " ", "contact_id": "" }), "contact_id"),
            (RESPOND, json!({ "action": "reject", "handle": null }), "request_id"),
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
        let outcome = fake.tools().call(RESPOND, json!({ "action": "approve", "handle": "bob" })).await;
        assert!(matches!(outcome, ToolOutcome::TurnOver(_)));
        assert!(fake.contacts().is_empty());
    }
}
