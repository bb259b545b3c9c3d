//! Stop, play and interrupt over HTTP, and what an agent sees of them.

use http::Method;
use serde_json::{Value, json};

use crate::live::{Answer, As, Party, Phoenix, Populated};

impl Populated {
    async fn control(&self, who: &Party, path: &str) -> Answer {
        self.site.call(As::Key(&who.key), Method::POST, path, None).await
    }

    fn of_room(&self, mode: &str) -> String {
        format!("/api/v1/me/chats/{}/agents/{mode}", self.room)
    }

    fn at(&self, rest: &str) -> String {
        format!("/api/v1/agent/chats/{}{rest}", self.room)
    }

    async fn mark(&self, mark: &str) -> Answer {
        let path = self.at(&format!("/messages/{}/{mark}", self.waiting));
        self.site.call(As::Key(&self.helper.key), Method::POST, &path, Some(json!({}))).await
    }
}

#[tokio::test]
async fn a_stopped_agent_gets_nothing_marks_nothing_and_says_nothing_until_it_may_go_on() {
    let p = Populated::start().await;
    p.mark("processing").await.expect(200);
    let sent = p.control(&p.ann, &p.of_room("stop")).await.expect(200);
    let execution =
        json!({"id": p.execution, "agent_id": p.helper.id, "chat_room_id": p.room, "status": "stopped"});
    assert_eq!(sent["data"], json!({"success": true, "mode": "stop", "executions": [execution]}));

    p.site.get(&p.helper, &p.at("/messages/next")).await.expect_empty(204);
    p.mark("processed").await.expect_empty(204);
    p.mark("processing").await.expect_empty(204);
    let failed = p.at(&format!("/messages/{}/failed", p.waiting));
    p.site.post(&p.helper, &failed, json!({"error": "x"})).await.expect_empty(204);
    let body = json!({"message": {"content": "hm", "mentions": [{"id": p.ann.id}]}});
    let refused = p.site.post(&p.helper, &p.at("/messages"), body.clone()).await.refused(403, "forbidden");
    assert!(refused["message"].as_str().unwrap().contains("execution is stopped"), "{refused}");
    let event = json!({"event": {"content": "hm", "message_type": "thought"}});
    let refused = p.site.post(&p.helper, &p.at("/events"), event).await.refused(403, "forbidden");
    assert!(refused["message"].as_str().unwrap().contains("execution is stopped"), "{refused}");
    let report = json!({"working": true});
    let state = p.site.post(&p.helper, &p.at("/activity"), report.clone()).await.expect(200);
    assert_eq!(state["data"], json!({"working": false}));
    p.site.get(&p.helper, &p.at("/context")).await.expect(200);
    p.site.say(&p.ann, &p.room, &p.helper, "meanwhile").await;

    p.control(&p.ann, &p.of_room("play")).await.expect(200);
    let next = p.site.get(&p.helper, &p.at("/messages/next")).await.expect(200);
    assert_eq!(next["data"]["id"], p.waiting.as_str(), "what was left is served again, the oldest first");
    let open = p.site.get(&p.helper, &p.at("/messages?status=processing")).await.expect(200);
    assert_eq!(open["data"].as_array().unwrap().len(), 1, "the attempt stayed open");
    p.mark("processed").await.expect(200);
    p.site.post(&p.helper, &p.at("/messages"), body).await.expect(201);
    let state = p.site.post(&p.helper, &p.at("/activity"), report).await.expect(200);
    assert_eq!(state["data"], json!({"working": true}));
}

#[tokio::test]
async fn each_signal_is_pushed_after_it_is_stored_with_an_id_of_its_own() {
    let p = Populated::start().await;
    let mut agent = Phoenix::open(&p.site, &p.helper).await;
    agent.join(&format!("agent_control:{}", p.helper.id)).await;
    let mut seen = Vec::new();
    for mode in ["stop", "stop", "interrupt", "play"] {
        p.control(&p.ann, &p.of_room(mode)).await.expect(200);
        let push = agent.event("agent.control").await;
        let keys: Vec<&String> = push[4].as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            ["agent_id", "correlation_id", "execution_id", "mode", "reason", "room_id", "scope", "type"]
        );
        assert_eq!((&push[4]["mode"], &push[4]["scope"]), (&json!(mode), &json!("room")));
        assert_eq!((&push[4]["room_id"], &push[4]["execution_id"]), (&json!(p.room), &json!(p.execution)));
        seen.push(push[4]["correlation_id"].clone());
    }
    seen.dedup();
    assert_eq!(seen.len(), 4);
}

#[tokio::test]
async fn a_stop_takes_the_indicator_away() {
    let p = Populated::start().await;
    let mut person = Phoenix::open(&p.site, &p.ann).await;
    person.join(&format!("room_activity:{}", p.room)).await;
    p.site.post(&p.helper, &p.at("/activity"), json!({"working": true})).await.expect(200);
    person.event("agent_activity_started").await;
    p.control(&p.ann, &p.of_room("stop")).await.expect(200);
    assert_eq!(person.event("agent_activity_stopped").await[4]["agent_id"], p.helper.id.as_str());
}

#[tokio::test]
async fn one_agent_of_a_room_is_stopped_and_another_goes_on() {
    let p = Populated::start().await;
    p.site.add(&p.ann, &p.room, &p.scout).await.expect(201);
    let one = |mode: &str| format!("/api/v1/me/chats/{}/agents/{}/{mode}", p.room, p.helper.id);
    p.control(&p.ann, &one("stop")).await.expect(200);
    let thought = json!({"event": {"content": "hm", "message_type": "thought"}});
    p.site.post(&p.scout, &p.at("/events"), thought.clone()).await.expect(201);
    p.site.post(&p.helper, &p.at("/events"), thought.clone()).await.refused(403, "forbidden");
    p.control(&p.ann, &one("interrupt")).await.expect(200);
    p.site.post(&p.helper, &p.at("/events"), thought.clone()).await.refused(403, "forbidden");
    p.control(&p.ann, &one("play")).await.expect(200);
    p.site.post(&p.helper, &p.at("/events"), thought).await.expect(201);
}

#[tokio::test]
async fn an_owner_stops_an_agent_in_all_its_rooms_with_one_signal() {
    let p = Populated::start().await;
    let second = p.site.room(&p.ann, &[&p.helper]).await;
    let mut agent = Phoenix::open(&p.site, &p.helper).await;
    agent.join(&format!("agent_control:{}", p.helper.id)).await;
    let path = |rest: &str| format!("/api/v1/me/agents/{}/executions{rest}", p.helper.id);
    let stop = path(&format!("/{}/stop", p.execution));
    let sent = p.control(&p.ann, &stop).await.expect(200);
    assert_eq!(sent["data"]["executions"].as_array().unwrap().len(), 2);
    let push = agent.event("agent.control").await;
    assert_eq!((&push[4]["scope"], &push[4]["room_id"]), (&json!("agent"), &Value::Null));
    for room in [&p.room, &second] {
        let next = format!("/api/v1/agent/chats/{room}/messages/next");
        p.site.get(&p.helper, &next).await.expect_empty(204);
    }
    let list = p.site.get(&p.ann, &path("")).await.expect(200);
    for execution in list["data"].as_array().unwrap() {
        assert_eq!(
            (&execution["status"], &execution["stop_reason"]),
            (&json!("stopped"), &json!("user_requested"))
        );
        assert!(execution["stopped_at"].is_string());
    }
    p.control(&p.ann, &path(&format!("/{}/play", p.execution))).await.expect(200);
    let list = p.site.get(&p.ann, &path("")).await.expect(200);
    assert_eq!(
        (&list["data"][0]["status"], &list["data"][0]["stopped_at"]),
        (&json!("running"), &Value::Null)
    );
    p.control(&p.ann, &path(&format!("/{}/stop", p.room))).await.refused(404, "not_found");
}

#[tokio::test]
async fn whoever_has_nothing_to_do_with_an_agent_can_not_stop_it() {
    let p = Populated::start().await;
    let one = format!("/api/v1/me/chats/{}/agents/{}/stop", p.room, p.helper.id);
    let everywhere = format!("/api/v1/me/agents/{}/executions/{}/stop", p.helper.id, p.execution);
    p.control(&p.bob, &p.of_room("stop")).await.refused(404, "not_found");
    p.control(&p.bob, &one).await.refused(404, "not_found");
    p.control(&p.bob, &everywhere).await.refused(403, "forbidden");
    let list = format!("/api/v1/me/agents/{}/executions", p.helper.id);
    p.site.get(&p.bob, &list).await.refused(403, "forbidden");
    p.site.get(&p.helper, &p.at("/messages/next")).await.expect(200);
}

#[tokio::test]
async fn a_stop_outlives_the_agents_leaving() {
    let p = Populated::start().await;
    p.control(&p.ann, &p.of_room("stop")).await.expect(200);
    p.site.remove(&p.ann, &p.room, &p.helper).await.expect(200);
    p.site.add(&p.ann, &p.room, &p.helper).await.expect(201);
    p.site.get(&p.helper, &p.at("/messages/next")).await.expect_empty(204);
    p.control(&p.ann, &p.of_room("play")).await.expect(200);
    p.site.get(&p.helper, &p.at("/messages/next")).await.expect(200);
}
