//! The Python SDK's memory tools, unmodified, against our platform.

use serde_json::{Value, json};

use crate::stage::Stage;

fn contents(list: &Value) -> Vec<&str> {
    list["data"].as_array().unwrap().iter().map(|memory| memory["content"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn its_agents_tools_store_find_and_put_memories_away() {
    let stage = Stage::set().await;
    let memory = |content: &str, scope: &str| {
        json!({
            "content": content, "system": "long_term", "type": "semantic", "segment": "user", "thought": "to test",
            "scope": scope,
        })
    };
    let ann = stage.person.details().id.to_string();
    let mut about = memory("Ann likes tea", "subject");
    about["subject_id"] = json!(ann);
    about["metadata"] = json!({"tags": ["tea"]});
    let mut unpaired = memory("x", "agent");
    unpaired["type"] = json!("iconic");
    let results = stage
        .python_calls(&json!([
            ["agent", "band_store_memory", memory("Water boils", "agent")],
            ["agent", "band_store_memory", memory("Shops close", "organization")],
            ["agent", "band_store_memory", about],
            ["agent", "band_list_memories", {}],
            ["agent", "band_list_memories", {"content_query": "tea", "scope": "all", "page_size": 10}],
            ["agent", "band_get_memory", {"memory_id": "$0.id"}],
            ["agent", "band_archive_memory", {"memory_id": "$0.id"}],
            ["agent", "band_supersede_memory", {"memory_id": "$1.id"}],
            ["agent", "band_list_memories", {"status": "archived"}],
            ["agent", "band_store_memory", unpaired],
            ["agent", "band_get_memory", {"memory_id": ann}],
            ["agent_rest", "agent_api_memories.list_agent_memories", {"memory_scope": "org", "status": "all"}],
        ]))
        .await;
    let organization = &results[1]["organization_id"];
    assert!(organization.is_string() && results[0]["organization_id"].is_null(), "{results:#?}");
    assert_eq!((&results[2]["subject_id"], &results[2]["metadata"]["tags"]), (&json!(ann), &json!(["tea"])));
    assert_eq!(contents(&results[3]), ["Ann likes tea", "Shops close", "Water boils"]);
    assert_eq!(contents(&results[4]), ["Ann likes tea"]);
    assert_eq!(results[5], results[0]);
    assert_eq!((&results[6]["status"], &results[7]["status"]), (&json!("archived"), &json!("superseded")));
    assert_eq!(contents(&results[8]), ["Water boils"]);
    assert!(results[9].as_str().unwrap().contains("iconic"), "{}", results[9]);
    assert!(results[10].as_str().unwrap().contains("404"), "{}", results[10]);
    assert_eq!(contents(&results[11]), ["Shops close"]);
}

#[tokio::test]
async fn its_persons_tools_look_after_memories() {
    let stage = Stage::set().await;
    let about = json!({
        "content": "Ann likes tea", "system": "working", "type": "episodic", "segment": "user",
        "thought": "to test", "scope": "subject", "subject_id": stage.person.details().id,
    });
    let one = json!({"memory_id": "$0.id"});
    let results = stage
        .python_calls(&json!([
            ["agent", "band_store_memory", about],
            ["person", "list_user_memories", {"scope": "about_me"}],
            ["person", "get_user_memory", one],
            ["person", "archive_user_memory", one],
            ["person", "restore_user_memory", one],
            ["person", "restore_user_memory", one],
            ["person", "supersede_user_memory", one],
            ["person", "delete_user_memory", one],
            ["person", "get_user_memory", one],
        ]))
        .await;
    assert_eq!(contents(&results[1]), ["Ann likes tea"]);
    let shown = &results[2]["data"];
    assert_eq!((&shown["subject_name"], &shown["source_agent_name"]), (&json!("Ann"), &json!("Helper")));
    let statuses: Vec<&Value> = [3, 4, 6].map(|index| &results[index]["data"]["status"]).into();
    assert_eq!(statuses, ["archived", "active", "superseded"]);
    assert_eq!(results[5]["status"], 422, "{}", results[5]);
    assert_eq!(results[7]["deleted"], true);
    assert_eq!(results[8]["status"], 404);
}
