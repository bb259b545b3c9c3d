//! The Python SDK's tools of people, unmodified, against our platform. Those for memories are in `memory_python`.

use serde_json::{Value, json};

use crate::stage::Stage;

fn names(list: &Value) -> Vec<&str> {
    list["data"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn its_persons_tools_look_after_agents_and_the_profile() {
    let stage = Stage::set().await;
    let results = stage
        .python_calls(&json!([
            ["person", "register_my_agent", {"name": "Scout", "description": "Looks around for others."}],
            ["person", "register_my_agent", {"name": "Scout", "description": "Looks around for others."}],
            ["person", "register_my_agent", {"name": "Scout 2", "description": "short"}],
            ["person", "list_my_agents", {"page": 1, "page_size": 10}],
            ["person", "get_my_profile", {}],
            ["person", "update_my_profile", {"last_name": "Lee"}],
            ["person", "list_my_peers", {"not_in_chat": stage.room, "peer_type": "Agent", "page": 1, "page_size": 20}],
        ]))
        .await;
    let issued = &results[0]["data"];
    assert!(issued["credentials"]["api_key"].as_str().unwrap().starts_with("band_a_"), "{issued}");
    assert!(results[1]["text"].as_str().unwrap().contains("has already been taken"), "{}", results[1]);
    assert!(results[2]["text"].as_str().unwrap().contains("/agent/description"), "{}", results[2]);
    assert_eq!(names(&results[3]), ["Scout", "Helper"]);
    assert_eq!(results[3]["metadata"]["total_count"], 2);
    assert_eq!(
        (&results[4]["data"]["handle"], &results[4]["data"]["first_name"]),
        (&json!("ann"), &json!("Ann"))
    );
    assert_eq!(
        (&results[5]["data"]["first_name"], &results[5]["data"]["last_name"]),
        (&json!("Ann"), &json!("Lee"))
    );
    assert_eq!(names(&results[6]), ["Scout"], "the helper is in the room");
}

#[tokio::test]
async fn its_persons_tools_make_rooms_and_write_in_them() {
    let stage = Stage::set().await;
    let bob = stage.served.add_person("Bob").await.unwrap();
    let bob = bob.details().id.to_string();
    let room = json!({"chat_id": "$0.data.id"});
    let in_room = |more: Value| {
        let mut arguments = room.clone();
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let results = stage
        .python_calls(&json!([
            ["person", "create_my_chat_room", {}],
            ["person", "get_my_chat_room", room],
            ["person", "add_my_chat_participant", in_room(json!({"participant_id": bob, "role": "admin"}))],
            ["person", "add_my_chat_participant", in_room(json!({"participant_id": stage.agent.id}))],
            ["person", "list_my_chat_participants", room],
            ["person", "list_my_chat_participants", in_room(json!({"participant_type": "Agent"}))],
            ["person", "send_my_chat_message", in_room(json!({"content": "hello there", "recipients": "helper, bob"}))],
            ["person", "send_my_chat_message", in_room(json!({"content": "hello", "recipients": "nobody"}))],
            ["person", "list_my_chat_messages", in_room(json!({"message_type": "text", "since": "2020-01-01T00:00:00Z"}))],
            ["person", "list_my_chat_messages", in_room(json!({"page": 2, "page_size": 1}))],
            ["person", "remove_my_chat_participant", in_room(json!({"participant_id": bob}))],
            ["person", "list_my_chats", {"page": 1, "page_size": 20}],
            ["person", "get_my_chat_room", {"chat_id": stage.agent.id}],
        ]))
        .await;
    assert_eq!(
        (&results[1]["data"]["title"], &results[1]["data"]["status"]),
        (&json!("New room"), &json!("active"))
    );
    assert_eq!(results[2], format!("Added participant: {bob}"));
    assert_eq!(results[4]["data"].as_array().unwrap().len(), 3);
    assert_eq!(names(&results[5]), ["Helper"]);
    assert_eq!(results[6]["data"]["recipients"].as_array().unwrap().len(), 2, "{}", results[6]);
    assert!(results[7].as_str().unwrap().starts_with("Error: Not found"), "{}", results[7]);
    let said = &results[8]["data"][0];
    assert!(said["content"].as_str().unwrap().ends_with("hello there"), "{said}");
    assert_eq!((&results[9]["data"], &results[9]["metadata"]["total_pages"]), (&json!([]), &json!(1)));
    assert_eq!(results[10], format!("Removed participant: {bob}"));
    let titles: Vec<&Value> =
        results[11]["data"].as_array().unwrap().iter().map(|chat| &chat["title"]).collect();
    assert_eq!(titles, ["hello there", "Kitchen"]);
    assert_eq!(results[12]["status"], 404, "{}", results[12]);
}

#[tokio::test]
async fn its_persons_tools_look_after_contacts() {
    let stage = Stage::set().await;
    let bob = stage.served.add_person("Bob").await.unwrap();
    stage.served.add_person("Cy").await.unwrap();
    bob.ask_for_contact("ann", Some("hi")).await.unwrap();
    let results = stage
        .python_calls(&json!([
            ["person", "resolve_handle", {"handle": "@bob"}],
            ["person", "list_received_contact_requests", {"page": 1, "page_size": 10}],
            ["person", "approve_contact_request", {"request_id": "$1.data.0.id"}],
            ["person", "list_my_contacts", {"page": 1, "page_size": 10}],
            ["person", "create_contact_request", {"recipient_handle": "cy", "message": "hello"}],
            ["person", "list_sent_contact_requests", {"status": "pending", "page": 1, "page_size": 10}],
            ["person", "cancel_contact_request", {"request_id": "$4.data.id"}],
            ["person", "reject_contact_request", {"request_id": "$4.data.id"}],
            ["person", "remove_my_contact", {"handle": "bob"}],
            ["person", "resolve_handle", {"handle": "@nobody"}],
        ]))
        .await;
    assert_eq!((&results[0]["data"]["name"], &results[0]["data"]["type"]), (&json!("Bob"), &json!("User")));
    assert_eq!(results[1]["data"][0]["message"], "hi", "{}", results[1]);
    assert_eq!(results[2]["data"]["status"], "approved");
    assert_eq!(results[3]["data"][0]["user"]["handle"], "bob");
    assert_eq!(results[4]["data"]["status"], "pending", "{}", results[4]);
    assert_eq!(results[5]["data"].as_array().unwrap().len(), 1);
    assert_eq!(results[6]["data"]["status"], "cancelled");
    assert!(matches!(results[7]["status"].as_u64(), Some(403 | 409)), "{}", results[7]);
    assert_eq!(results[8]["data"]["status"], "removed");
    assert_eq!(results[9]["status"], 404);
}
