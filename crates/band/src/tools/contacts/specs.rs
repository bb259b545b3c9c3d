//! The tools for contacts, as a model is told of them.

use serde_json::{Map, Value, json};

use super::super::catalog::ToolSpec;
use super::{ADD, CATEGORY, LIST, LIST_REQUESTS, REMOVE, RESPOND};

/// In the order in which they are advertised.
pub(in super::super) fn specs() -> [ToolSpec; 5] {
    [list(), add(), remove(), list_requests(), respond()]
}

fn spec(name: &'static str, description: &'static str, properties: Value, required: &[&str]) -> ToolSpec {
    let mut parameters =
        Map::from_iter([("type".to_owned(), "object".into()), ("properties".to_owned(), properties)]);
    if !required.is_empty() {
        parameters.insert("required".to_owned(), json!(required));
    }
    let parameters = Value::Object(parameters);
    ToolSpec { name, category: CATEGORY, description, parameters }
}

fn list() -> ToolSpec {
    let properties = json!({ "page": page(), "page_size": page_size() });
    spec(LIST, "List your contacts, page by page, with their ids and handles.", properties, &[])
}

fn add() -> ToolSpec {
    let properties = json!({
        "handle": { "type": "string", "description": "Whom to ask: @user for a person, @user/agent for an agent." },
        "message": maybe("What to say to them with it, in 500 characters at most."),
    });
    let description = "Ask someone to become your contact. It waits for their answer; if they have asked you \
                       already, you are contacts at once.";
    spec(ADD, description, properties, &["handle"])
}

fn remove() -> ToolSpec {
    let properties = json!({
        "handle": maybe("The contact's handle."),
        "contact_id": maybe("The contact's id, from band_list_contacts."),
    });
    spec(REMOVE, "End a contact, for both of you. Give its handle or its id.", properties, &[])
}

fn list_requests() -> ToolSpec {
    let properties = json!({
        "page": page(),
        "page_size": page_size(),
        "sent_status": {
            "type": "string",
            "enum": ["pending", "approved", "rejected", "cancelled", "all"],
            "default": "pending",
            "description": "Which of those that you sent. Of those that you received, the open ones are listed.",
        },
    });
    let description = "List contact requests: those that wait for your answer, and those that you sent.";
    spec(LIST_REQUESTS, description, properties, &[])
}

fn respond() -> ToolSpec {
    let properties = json!({
        "action": {
            "type": "string",
            "enum": ["approve", "reject", "cancel"],
            "description": "approve or reject one that you received; cancel one that you sent.",
        },
        "handle": maybe("The other side's handle: who asked you, or whom you asked."),
        "request_id": maybe("The request's id. Safer than the handle."),
    });
    let description = "Settle a contact request. Give its id or the other side's handle.";
    spec(RESPOND, description, properties, &["action"])
}

fn maybe(description: &str) -> Value {
    json!({ "anyOf": [{ "type": "string" }, { "type": "null" }], "default": null, "description": description })
}

fn page() -> Value {
    json!({ "type": "integer", "default": 1, "description": "Which page, from 1." })
}

fn page_size() -> Value {
    json!({ "type": "integer", "default": 50, "description": "Entries a page, 100 at most." })
}
