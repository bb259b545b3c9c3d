//! The Python SDK's task-board tools, unmodified, against our platform; and what its REST client does with rooms.

use band_testkit::PATIENCE;
use band_wire::phx::Topic;
use serde_json::{Value, json};

use crate::stage::Stage;

fn events(history: &Value) -> Vec<&str> {
    history.as_array().unwrap().iter().map(|line| line["event"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn its_agents_tools_work_on_the_board() {
    let stage = Stage::set().await;
    let mut watcher = stage.person.watch().await.unwrap();
    watcher.join(Topic::RoomTasks(stage.room)).await.unwrap();
    let results = stage
        .python_calls(&json!([
            ["agent", "band_create_task", {"subject": "Make tea", "detail": "Green"}],
            ["agent", "band_update_task", {"id": "#1", "status": "in_progress", "active_form": "Boiling water"}],
            ["agent", "band_update_task", {"id": "1", "comment": "it takes a while"}],
            ["agent", "band_create_task", {"subject": "Make coffee", "supersedes_id": "#1"}],
            ["agent", "band_list_tasks", {}],
            ["agent", "band_list_tasks", {"state": "all", "limit": 1}],
            ["agent", "band_get_task", {"id": "$0.id", "include": "history"}],
            ["agent", "band_get_task_history", {"id": "1", "limit": 2}],
            ["agent", "band_update_task", {"id": "1", "status": "completed"}],
            ["agent", "band_update_task", {"id": "2", "status": "completed", "state": "archived"}],
            ["agent", "band_update_task", {"id": "2", "state": "active"}],
            ["agent", "band_get_task", {"id": "9"}],
            ["agent", "band_get_board", {}],
            ["agent", "band_set_board", {"goal_title": "Tea for all"}],
            ["agent", "band_get_board", {"include": "history"}],
        ]))
        .await;
    assert_eq!((&results[0]["number"], &results[0]["overall_status"]), (&json!(1), &json!("pending")));
    assert_eq!(results[1]["assignments"][0]["active_form"], "Boiling water", "{}", results[1]);
    assert_eq!(results[3]["number"], 2, "{}", results[3]);
    assert_eq!(results[4]["data"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&results[5]["metadata"]["has_more"], &results[5]["data"][0]["number"]),
        (&json!(true), &json!(1))
    );
    assert_eq!(results[6]["superseded_by_id"], results[3]["id"]);
    assert_eq!(events(&results[6]["history"]), ["created", "status_changed", "commented", "superseded"]);
    assert_eq!(events(&results[7]["data"]), ["created", "status_changed"]);
    assert!(results[8].as_str().unwrap().contains("422"), "{}", results[8]);
    assert_eq!((&results[9]["state"], &results[10]["state"]), (&json!("archived"), &json!("active")));
    assert!(results[11].as_str().unwrap().contains("404"), "{}", results[11]);
    assert_eq!(
        (&results[12]["goal_title"], &results[13]["goal_title"]),
        (&Value::Null, &json!("Tea for all"))
    );
    assert_eq!(events(&results[14]["history"]), ["goal_set"]);
    for name in ["task_created", "task_updated", "board_updated"] {
        watcher.until(name, PATIENCE, |seen| (seen.event == name).then_some(())).await.unwrap();
    }
}

#[tokio::test]
async fn its_rest_client_renames_deletes_many_and_asks_for_a_token() {
    let stage = Stage::set().await;
    let waiting = stage.say("hello").await;
    let results = stage
        .python_calls(&json!([
            ["agent_rest", "agent_api_chats.create_agent_chat", {"chat": {}}],
            ["agent_rest", "agent_api_chats.rename_agent_chat", {"id": "$0.data.id", "chat": {"title": "Lab"}}],
            ["agent_rest", "agent_api_chats.rename_agent_chat", {"id": stage.room, "chat": {"title": "Lab"}}],
            ["person_rest", "human_api_bulk_deletions.bulk_delete_my_chats", {"ids": ["$0.data.id", stage.agent.id]}],
            ["person_rest", "human_api_bulk_deletions.show_my_bulk_deletion", {"id": "$3.data.id"}],
            ["agent_rest", "agent_api_chats.get_agent_chat", {"id": "$0.data.id"}],
            ["agent_rest", "agent_api_delegation.exchange_delegated_token", {
                "audience": stage.room, "message_id": waiting,
            }],
            ["agent", "band_create_chatroom", {}],
            ["person_rest", "human_api_bulk_deletions.bulk_delete_my_agents", {"ids": [stage.agent.id], "force": true}],
            ["agent_rest", "agent_api_identity.get_agent_me", {}],
        ]))
        .await;
    assert_eq!(results[1]["data"]["title"], "Lab", "{}", results[1]);
    assert_eq!(results[2]["status"], 403, "{}", results[2]);
    let statuses: Vec<&Value> =
        results[3]["data"]["results"].as_array().unwrap().iter().map(|item| &item["status"]).collect();
    assert_eq!(statuses, ["succeeded", "failed"]);
    assert_eq!(results[4], results[3]);
    assert_eq!((&results[5]["status"], &results[6]["status"]), (&json!(404), &json!(403)));
    assert!(results[7].is_string(), "{}", results[7]);
    assert_eq!(results[8]["data"]["succeeded"], 1, "{}", results[8]);
    assert_eq!(results[9]["status"], 401, "{}", results[9]);
}
