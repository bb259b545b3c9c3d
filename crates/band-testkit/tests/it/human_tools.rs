//! Every tool of a person, against the platform, where there is something to see.

use std::collections::{BTreeMap, BTreeSet};

use band::Capability;
use band::rest::{RestClient, RestConfig};
use band::tools::{HumanTool, HumanTools, ToolOutcome};
use band_testkit::{Person, Platform};
use band_wire::rest::routes;
use secrecy::SecretString;
use serde_json::{Value, json};

/// Ann's tools, and the ids that calls have brought.
struct Hands {
    tools: HumanTools,
    known: BTreeMap<&'static str, String>,
    called: BTreeSet<String>,
}

impl Hands {
    fn of(person: &Person) -> Self {
        let config =
            RestConfig::new(person.api().base_url(), SecretString::from(person.api().key().to_owned()));
        let tools =
            HumanTools::new(RestClient::new(config).unwrap(), Capability::Contacts | Capability::Memory);
        Self { tools, known: BTreeMap::new(), called: BTreeSet::new() }
    }

    /// A call that works. `{name}` in its arguments stands for a known id; what stands at `at` becomes one.
    async fn does(&mut self, name: &str, args: Value, saves: Option<(&'static str, &str)>) -> Value {
        let filled = self
            .known
            .iter()
            .fold(args.to_string(), |text, (name, id)| text.replace(&format!("{{{name}}}"), id));
        let args: Value = serde_json::from_str(&filled).unwrap();
        self.called.insert(name.to_owned());
        let outcome = self.tools.call(name, args.clone()).await;
        let ToolOutcome::Done(value) = outcome else { panic!("{name} {args}: {outcome:?}") };
        if let Some((known, at)) = saves {
            let id = value.pointer(at).and_then(Value::as_str).unwrap_or_else(|| panic!("{name}: {value}"));
            self.known.insert(known, id.to_owned());
        }
        value
    }

    async fn fails(&self, name: &str, args: Value) -> String {
        let outcome = self.tools.call(name, args).await;
        assert!(!outcome.is_ok(), "{name}: {outcome:?}");
        outcome.to_model_text()
    }
}

async fn rooms(ann: &mut Hands) {
    ann.does(
        "band_register_my_agent",
        json!({ "name": "Cook", "description": "Cooks what is asked." }),
        Some(("cook", "/data/agent/id")),
    )
    .await;
    let agents = ann.does("band_list_my_agents", json!({}), None).await;
    assert_eq!(agents["data"][0]["name"], "Cook");
    ann.does("band_create_my_chat_room", json!({}), Some(("chat", "/data/id"))).await;
    assert_eq!(
        ann.does("band_list_my_chats", json!({ "page": 1 }), None).await["data"][0]["id"],
        ann.known["chat"].as_str()
    );
    ann.does("band_get_my_chat_room", json!({ "chat_id": "{chat}" }), None).await;
    let added = ann
        .does(
            "band_add_my_chat_participant",
            json!({ "chat_id": "{chat}", "participant_id": "{cook}" }),
            None,
        )
        .await;
    assert_eq!(added, format!("Added participant: {}", ann.known["cook"]));
    let listed = json!({ "chat_id": "{chat}", "participant_type": "Agent" });
    assert_eq!(ann.does("band_list_my_chat_participants", listed, None).await["data"][0]["name"], "Cook");
    let said = json!({ "chat_id": "{chat}", "content": "soup, please", "recipients": "cook" });
    assert_eq!(ann.does("band_send_my_chat_message", said, None).await["data"]["success"], true);
    let read = json!({ "chat_id": "{chat}", "message_type": "text", "since": "2020-01-01T00:00:00Z", "page": 1, "page_size": 5 });
    let messages = ann.does("band_list_my_chat_messages", read, None).await;
    assert!(messages["data"][0]["content"].as_str().unwrap().ends_with("soup, please"), "{messages}");
    ann.does("band_list_my_peers", json!({ "not_in_chat": "{chat}", "peer_type": "Agent" }), None).await;
    let gone = ann
        .does(
            "band_remove_my_chat_participant",
            json!({ "chat_id": "{chat}", "participant_id": "{cook}" }),
            None,
        )
        .await;
    assert_eq!(gone, format!("Removed participant: {}", ann.known["cook"]));
    let profile = ann.does("band_get_my_profile", json!({}), None).await;
    assert_eq!(profile["data"]["handle"], "ann");
    let renamed = ann.does("band_update_my_profile", json!({ "last_name": "Lee" }), None).await;
    assert_eq!(renamed["data"]["last_name"], "Lee");
}

async fn contacts(ann: &mut Hands, bob: &Person) {
    assert_eq!(
        ann.does("band_resolve_handle", json!({ "handle": "@bob" }), None).await["data"]["handle"],
        "bob"
    );
    ann.does(
        "band_create_contact_request",
        json!({ "recipient_handle": "@bob", "message": "hi" }),
        Some(("asked", "/data/id")),
    )
    .await;
    let sent = ann.does("band_list_sent_contact_requests", json!({ "status": "pending" }), None).await;
    assert_eq!(sent["data"][0]["id"], ann.known["asked"].as_str());
    ann.does("band_cancel_contact_request", json!({ "request_id": "{asked}" }), None).await;
    bob.ask_for_contact("ann", None).await.unwrap();
    ann.does("band_list_received_contact_requests", json!({}), Some(("got", "/data/0/id"))).await;
    ann.does("band_reject_contact_request", json!({ "request_id": "{got}" }), None).await;
    let again = bob.ask_for_contact("ann", None).await.unwrap();
    ann.known.insert("again", again.to_string());
    ann.does("band_approve_contact_request", json!({ "request_id": "{again}" }), None).await;
    assert_eq!(ann.does("band_list_my_contacts", json!({}), None).await["data"][0]["user"]["handle"], "bob");
    ann.does("band_remove_my_contact", json!({ "handle": "bob" }), None).await;
    assert!(bob.contacts().await.unwrap().is_empty());
}

async fn memories(ann: &mut Hands) {
    let found = ann
        .does(
            "band_list_user_memories",
            json!({ "content_query": "tea", "memory_type": "semantic" }),
            Some(("memory", "/data/0/id")),
        )
        .await;
    assert_eq!(found["data"][0]["content"], "Ann likes tea");
    ann.does("band_get_user_memory", json!({ "memory_id": "{memory}" }), None).await;
    let archived = ann.does("band_archive_user_memory", json!({ "memory_id": "{memory}" }), None).await;
    assert_eq!(archived["data"]["status"], "archived");
    let restored = ann.does("band_restore_user_memory", json!({ "memory_id": "{memory}" }), None).await;
    assert_eq!(restored["data"]["status"], "active");
    ann.does("band_supersede_user_memory", json!({ "memory_id": "{memory}" }), None).await;
    let deleted = ann.does("band_delete_user_memory", json!({ "memory_id": "{memory}" }), None).await;
    assert_eq!(deleted, json!({ "deleted": true, "id": ann.known["memory"] }));
}

#[tokio::test]
async fn every_tool_of_a_person_works_where_there_is_something_to_see() {
    let platform = Platform::start().await.unwrap();
    let ann = platform.add_person("Ann").await.unwrap();
    let bob = platform.add_person("Bob").await.unwrap();
    let mut hands = Hands::of(&ann);
    rooms(&mut hands).await;
    contacts(&mut hands, &bob).await;
    let agent = ann.register("Librarian", "Remembers what it is told.").await.unwrap();
    let memory = json!({ "memory": { "content": "Ann likes tea", "system": "long_term", "type": "semantic",
        "segment": "user", "thought": "she said so", "scope": "subject", "subject_id": ann.details().id } });
    ann.api_of(&agent).unwrap().post::<Value>(routes::AGENT_MEMORIES, memory).await.unwrap();
    memories(&mut hands).await;
    let all: BTreeSet<String> = HumanTool::ALL.iter().map(|tool| tool.name().to_owned()).collect();
    assert_eq!(hands.called, all);

    let nobody = "00000000-0000-0000-0000-000000000000";
    for (name, args, told) in [
        ("band_get_my_chat_room", json!({ "chat_id": nobody }), "status_code: 404"),
        ("band_get_user_memory", json!({ "memory_id": nobody }), "status_code: 404"),
        ("band_resolve_handle", json!({ "handle": "nobody" }), "status_code: 404"),
        (
            "band_register_my_agent",
            json!({ "name": "Cook", "description": "Cooks once more." }),
            "status_code: 422",
        ),
        (
            "band_send_my_chat_message",
            json!({ "chat_id": hands.known["chat"], "content": "x", "recipients": "eve" }),
            "Not found: eve",
        ),
        ("band_cancel_contact_request", json!({ "request_id": "../x" }), "ID must contain only"),
    ] {
        let text = hands.fails(name, args).await;
        assert!(text.contains(told), "{name}: {text}");
    }
}
