//! The task board over HTTP and on the socket, on both sides.

use serde_json::{Value, json};

use crate::live::{Party, Phoenix, Populated, text_of};

impl Populated {
    fn board(&self, side: &str, rest: &str) -> String {
        format!("/api/v1/{side}/chats/{}/{rest}", self.room)
    }

    async fn numbers(&self, who: &Party, path: &str) -> Vec<u64> {
        let list = self.site.get(who, path).await.expect(200);
        list["data"].as_array().unwrap().iter().map(|task| task["number"].as_u64().unwrap()).collect()
    }
}

fn events(history: &Value) -> Vec<&str> {
    history.as_array().unwrap().iter().map(|line| line["event"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_task_goes_its_way_and_everyone_in_the_room_hears_of_it() {
    let p = Populated::start().await;
    let mut sockets = [Phoenix::open(&p.site, &p.ann).await, Phoenix::open(&p.site, &p.helper).await];
    for socket in &mut sockets {
        socket.join(&format!("room_tasks:{}", p.room)).await;
    }
    let body = json!({"subject": " Buy milk ", "detail": "Two litres"});
    let made = p.site.post(&p.helper, &p.board("agent", "tasks"), body).await.expect(201)["data"].clone();
    assert_eq!((&made["number"], &made["subject"]), (&json!(2), &json!("Buy milk")));
    assert_eq!((&made["state"], &made["overall_status"]), (&json!("active"), &json!("pending")));
    assert_eq!(made["assignments"], json!([]), "who makes a task is not assigned");
    assert_eq!(made["created_by"]["handle"], p.helper.handle.as_str());
    assert!(
        made["superseded_by_id"].is_null() && made["started_at"].is_null() && made.get("history").is_none()
    );
    for socket in &mut sockets {
        let push = socket.event("task_created").await;
        assert_eq!((&push[2], &push[4]), (&json!(format!("room_tasks:{}", p.room)), &made));
    }
    let id = text_of(&made["id"]);
    let update = json!({"status": "in_progress", "active_form": "Walking", "comment": "soon back"});
    let done = p.site.post(&p.helper, &p.board("agent", &format!("tasks/{id}")), update).await.expect(200);
    let done = &done["data"];
    assert_eq!(done["overall_status"], "in_progress");
    assert_eq!(done["assignments"][0]["active_form"], "Walking");
    assert_eq!(done["assignments"][0]["assignee"]["id"], p.helper.id.as_str());
    assert!(done["started_at"].is_string() && done["completed_at"].is_null());
    for socket in &mut sockets {
        assert_eq!(&socket.event("task_updated").await[4], done);
    }
    let both = json!({"status": "completed", "state": "archived"});
    let path = p.board("agent", "tasks/2");
    let tidy = p.site.post(&p.helper, &path, both).await.expect(200);
    assert_eq!(
        (&tidy["data"]["state"], &tidy["data"]["overall_status"]),
        (&json!("archived"), &json!("completed"))
    );
    p.site
        .post(&p.helper, &path, json!({"status": "failed"}))
        .await
        .invalid("/status", "the task is archived, not active");
    let shown = p.site.get(&p.helper, &format!("{path}?include=history")).await.expect(200);
    let history = &shown["data"]["history"];
    assert_eq!(events(history), ["created", "status_changed", "commented", "status_changed", "archived"]);
    assert_eq!(history[0]["payload"], json!({"subject": "Buy milk", "detail": "Two litres"}));
    assert_eq!(history[1]["payload"], json!({"status": {"from": null, "to": "in_progress"}}));
    assert_eq!(shown["data"]["history_truncated"], false);
}

#[tokio::test]
async fn the_board_lists_by_state_and_pages_by_number() {
    let p = Populated::start().await;
    for number in 2..=4 {
        let body = json!({"subject": format!("task {number}")});
        p.site.post(&p.ann, &p.board("me", "tasks"), body).await.expect(201);
    }
    p.site.post(&p.ann, &p.board("me", "tasks/2"), json!({"state": "cancelled"})).await.expect(200);
    let body = json!({"subject": "task 5", "supersedes_id": "3"});
    let made = p.site.post(&p.ann, &p.board("me", "tasks"), body).await.expect(201);
    for (query, found) in [
        ("", vec![1, 4, 5]),
        ("?state=cancelled", vec![2]),
        ("?state=superseded", vec![3]),
        ("?state=archived", vec![]),
        ("?state=all", vec![1, 2, 3, 4, 5]),
        ("?limit=1", vec![1]),
    ] {
        for (who, side) in [(&p.helper, "agent"), (&p.ann, "me")] {
            assert_eq!(p.numbers(who, &p.board(side, &format!("tasks{query}"))).await, found, "{query}");
        }
    }
    let page = p.site.get(&p.helper, &p.board("agent", "tasks?limit=2")).await.expect(200);
    let cursor = text_of(&page["metadata"]["next_cursor"]);
    let rest = p.board("agent", &format!("tasks?limit=2&cursor={cursor}"));
    assert_eq!(p.numbers(&p.helper, &rest).await, [5]);
    p.site
        .get(&p.helper, &p.board("agent", &format!("tasks?state=all&cursor={cursor}")))
        .await
        .refused(422, "cursor_filter_mismatch");
    let old = p.site.get(&p.helper, &p.board("agent", "tasks/3")).await.expect(200);
    assert_eq!(old["data"]["superseded_by_id"], made["data"]["id"]);
    for (supersedes, text) in [("3", "is superseded"), ("9", "does not exist")] {
        let body = json!({"subject": "x", "supersedes_id": supersedes});
        p.site.post(&p.ann, &p.board("me", "tasks"), body).await.invalid("/supersedes_id", text);
    }
    let body = json!({"subject": "x", "supersedes_id": "#3"});
    let refused = p.site.post(&p.ann, &p.board("me", "tasks"), body).await.refused(422, "validation_error");
    assert!(refused["details"]["/supersedes_id"].is_array());
}

#[tokio::test]
async fn the_whole_history_is_paged_and_the_embedded_one_is_cut() {
    let p = Populated::start().await;
    let path = p.board("agent", "tasks/1");
    for number in 0..101 {
        p.site.post(&p.helper, &path, json!({"comment": format!("note {number}")})).await.expect(200);
    }
    let shown = p.site.get(&p.helper, &format!("{path}?include=history")).await.expect(200);
    let history = shown["data"]["history"].as_array().unwrap();
    assert_eq!((history.len(), &shown["data"]["history_truncated"]), (100, &json!(true)));
    assert_eq!(history.last().unwrap()["payload"]["text"], "note 100", "the oldest comes first");
    let mut all = Vec::new();
    let mut page = format!("{path}/history?limit=60");
    loop {
        let found = p.site.get(&p.helper, &page).await.expect(200);
        all.extend(found["data"].as_array().unwrap().clone());
        let Some(cursor) = found["metadata"]["next_cursor"].as_str() else { break };
        page = format!("{path}/history?limit=60&cursor={cursor}");
    }
    assert_eq!((all.len(), &all[0]["event"]), (103, &json!("created")));
}

#[tokio::test]
async fn a_goal_is_set_changed_and_heard_of() {
    let p = Populated::start().await;
    let mut ann = Phoenix::open(&p.site, &p.ann).await;
    ann.join(&format!("room_tasks:{}", p.room)).await;
    let path = p.board("agent", "board");
    let shown = p.site.get(&p.helper, &path).await.expect(200);
    assert_eq!(
        (&shown["data"]["goal_title"], &shown["data"]["goal_summary"]),
        (&json!("Tea for all"), &Value::Null)
    );
    let summary = json!({"goal_summary": "Nobody stays thirsty."});
    let set = p.site.put(&p.ann, &p.board("me", "board"), summary).await.expect(200);
    assert_eq!(
        (&set["data"]["goal_title"], &set["data"]["updated_by"]["name"]),
        (&json!("Tea for all"), &json!("Ann Lee"))
    );
    assert_eq!(set["data"]["created_by"]["name"], "Helper");
    assert_eq!(ann.event("board_updated").await[4], set["data"]);
    let shown = p.site.get(&p.helper, &format!("{path}?include=history")).await.expect(200);
    assert_eq!(events(&shown["data"]["history"]), ["goal_set", "goal_edited"]);
    p.site
        .put(&p.helper, &path, json!({}))
        .await
        .invalid("/", "at least one of goal_title and goal_summary is required");
    let empty = format!("/api/v1/agent/chats/{}/board", p.other_room);
    let empty = p.site.get(&p.rival, &empty).await.expect(200);
    let nulls = json!({
        "chat_room_id": p.other_room, "goal_title": null, "goal_summary": null, "created_by": null,
        "updated_by": null, "inserted_at": null, "updated_at": null,
    });
    assert_eq!(empty["data"], nulls);
}

#[tokio::test]
async fn tasks_of_others_do_not_exist() {
    let p = Populated::start().await;
    for rest in ["tasks", "tasks/1", "tasks/1/history", "board"] {
        p.site.get(&p.rival, &p.board("agent", rest)).await.refused(404, "not_found");
        p.site.get(&p.bob, &p.board("me", rest)).await.refused(404, "not_found");
    }
    let body = json!({"subject": "x"});
    p.site.post(&p.rival, &p.board("agent", "tasks"), body.clone()).await.refused(404, "not_found");
    p.site.post(&p.bob, &p.board("me", "tasks/1"), body).await.refused(404, "not_found");
    p.site.put(&p.bob, &p.board("me", "board"), json!({"goal_title": "x"})).await.refused(404, "not_found");
    let first = p.site.get(&p.helper, &p.board("agent", "tasks/1")).await.expect(200);
    let elsewhere = format!("/api/v1/agent/chats/{}/tasks/{}", p.other_room, text_of(&first["data"]["id"]));
    p.site.get(&p.rival, &elsewhere).await.refused(404, "not_found");
    for task in ["0", "2", "one", "%231"] {
        p.site.get(&p.helper, &p.board("agent", &format!("tasks/{task}"))).await.refused(404, "not_found");
    }
}

#[tokio::test]
async fn the_owner_of_an_agent_inside_reads_the_board_and_does_not_change_it() {
    let p = Populated::start().await;
    let path = format!("/api/v1/me/chats/{}/participants/{}", p.room, p.ann.id);
    let owner = json!({"participant": {"participant_id": p.bob.id, "role": "owner"}});
    p.site.post(&p.ann, &format!("/api/v1/me/chats/{}/participants", p.room), owner).await.expect(201);
    p.site.delete(&p.ann, &path).await.expect(200);
    assert_eq!(p.numbers(&p.ann, &p.board("me", "tasks")).await, [1]);
    p.site.post(&p.ann, &p.board("me", "tasks"), json!({"subject": "x"})).await.refused(404, "not_found");
    p.site.put(&p.ann, &p.board("me", "board"), json!({"goal_title": "x"})).await.refused(404, "not_found");
}

#[tokio::test]
async fn who_leaves_drops_their_part_and_a_call_for_attention_names_a_task_that_is_there() {
    let p = Populated::start().await;
    let attention = |task: &str| {
        json!({"event": {
            "content": "which tea?", "message_type": "attention",
            "metadata": {"kind": "question", "task_id": task},
        }})
    };
    let events_path = p.board("agent", "events");
    let first = p.site.get(&p.helper, &p.board("agent", "tasks/1")).await.expect(200);
    let id = text_of(&first["data"]["id"]);
    p.site.post(&p.helper, &events_path, attention(&id)).await.expect(201);
    p.site
        .post(&p.helper, &events_path, attention("9"))
        .await
        .invalid("/event/metadata/task_id", "does not exist");
    let made = p.site.post(&p.ann, "/api/v1/me/chats", json!({"chat": {"task_id": id}})).await.expect(201);
    assert_eq!(made["data"]["task_id"], json!(id));
    p.site
        .post(&p.bob, "/api/v1/me/chats", json!({"chat": {"task_id": id}}))
        .await
        .invalid("/chat/task_id", "does not exist");
    p.site.remove(&p.ann, &p.room, &p.helper).await.expect(200);
    let after = p.site.get(&p.ann, &p.board("me", "tasks/1?include=history")).await.expect(200);
    assert_eq!(
        (&after["data"]["assignments"], &after["data"]["overall_status"]),
        (&json!([]), &json!("pending"))
    );
    let last = after["data"]["history"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["event"], &last["payload"]), (&json!("dropped"), &json!({"reason": "left the room"})));
}
