//! The Agent API on a populated site.

use http::Method;
use serde_json::{Value, json};

use crate::live::{As, Populated, text_of};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn an_agent_knows_itself() {
    let p = Populated::start().await;
    let me = p.site.get(&p.helper, "/api/v1/agent/me").await.expect(200);
    let me = &me["data"];
    assert_eq!(me["id"], p.helper.id.as_str());
    assert_eq!(me["name"], "Helper");
    assert_eq!(me["owner_uuid"], p.ann.id.as_str());
    assert_eq!(me["handle"], format!("{}/helper", p.ann.handle));
    assert_eq!(
        me["feature_flags"],
        json!({"ff_file_transfer": true, "ff_idempotency_keys": true, "ff_room_tasks": true})
    );
    assert!(me["description"].as_str().is_some_and(|text| !text.is_empty()));
}

#[tokio::test]
async fn an_agent_lists_and_reads_its_rooms() {
    let p = Populated::start().await;
    let list = p.site.get(&p.helper, "/api/v1/agent/chats?include=participants").await.expect(200);
    assert_eq!(list["metadata"], json!({"page": 1, "page_size": 20, "total_count": 1, "total_pages": 1}));
    let room = &list["data"][0];
    assert_eq!(room["id"], p.room.as_str());
    assert_eq!(room["title"], "Tests");
    assert_eq!(room["participant_count"], 2);
    assert_eq!(room["participants_truncated"], false);
    assert_eq!(room["participants"].as_array().unwrap().len(), 2);
    let one = p.site.get(&p.helper, &format!("/api/v1/agent/chats/{}", p.room)).await.expect(200);
    assert_eq!(one["data"]["id"], p.room.as_str());
    assert_eq!(one["data"].get("participants"), None);
    p.site.get(&p.rival, &format!("/api/v1/agent/chats/{}", p.room)).await.refused(404, "not_found");
}

#[tokio::test]
async fn an_agent_that_creates_a_room_owns_it_and_brings_others_in() {
    let p = Populated::start().await;
    let made = p.site.post(&p.helper, "/api/v1/agent/chats", json!({"chat": {}})).await.expect(201);
    let room = text_of(&made["data"]["id"]);
    assert!(made["data"]["title"].is_string());
    let path = format!("/api/v1/agent/chats/{room}/participants");
    let body = json!({"participant": {"participant_id": p.scout.id}});
    let added = p.site.post(&p.helper, &path, body.clone()).await.expect(201);
    assert_eq!((&added["data"]["role"], &added["data"]["status"]), (&json!("member"), &json!("inactive")));
    p.site.post(&p.helper, &path, body).await.refused(409, "conflict");
    let rival = json!({"participant": {"participant_id": p.rival.id}});
    p.site.post(&p.helper, &path, rival).await.refused(403, "forbidden");
    let members = p.site.get(&p.helper, &path).await.expect(200);
    assert_eq!(members["data"].as_array().unwrap().len(), 2);
    assert_eq!(keys(&members), ["data"]);
    let gone = p.site.delete(&p.helper, &format!("{path}/{}", p.scout.id)).await.expect(200);
    assert_eq!(gone["data"]["id"], p.scout.id.as_str());
    p.site.get(&p.scout, &path).await.refused(404, "not_found");
}

#[tokio::test]
async fn an_agent_sees_its_peers() {
    let p = Populated::start().await;
    let all = p.site.get(&p.helper, "/api/v1/agent/peers").await.expect(200);
    let ids: Vec<&str> =
        all["data"].as_array().unwrap().iter().map(|peer| peer["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&p.scout.id.as_str()) && !ids.contains(&p.helper.id.as_str()), "{all}");
    assert!(all["data"][0]["online"].is_boolean());
    let path = format!("/api/v1/agent/peers?not_in_chat={}", p.room);
    let rest = p.site.get(&p.helper, &path).await.expect(200);
    assert!(!rest["data"].to_string().contains(&p.ann.id), "{rest}");
}

#[tokio::test]
async fn an_agent_works_through_its_messages() {
    let p = Populated::start().await;
    let path = |rest: &str| format!("/api/v1/agent/chats/{}/messages{rest}", p.room);
    let next = p.site.get(&p.helper, &path("/next")).await.expect(200);
    assert_eq!(next["data"]["id"], p.waiting.as_str());
    assert_eq!(next["data"]["content"], format!("@[[{}]] second question", p.helper.id));
    assert_eq!(next["data"]["attachments"], json!([]));
    let open = p.site.get(&p.helper, &path("")).await.expect(200);
    assert_eq!(open["data"].as_array().unwrap().len(), 1);
    assert_eq!(open["metadata"], json!({"has_more": false, "limit": 20, "next_cursor": null}));
    let all = p.site.get(&p.helper, &path("?status=all&sort_order=desc")).await.expect(200);
    assert_eq!(all["data"][1]["id"], p.done.as_str());
    assert_eq!(all["metadata"]["status_filter"], "all");

    let mark = |mark: &str| path(&format!("/{}/{mark}", p.waiting));
    let post = async |path: String, body: Value| p.site.post(&p.helper, &path, body).await;
    let first = post(mark("processing"), json!({})).await.expect(200);
    let attempt = json!({"id": p.waiting, "status": "processing", "attempt_number": 1, "success": true});
    assert_eq!(first["data"], attempt);
    assert_eq!(post(mark("processing"), json!({})).await.expect(200)["data"], attempt);
    let failed = post(mark("failed"), json!({"error": "no model"})).await.expect(200);
    assert_eq!(failed["data"]["status"], "failed");
    let error = post(mark("failed"), json!({"error": "again"})).await.refused(422, "validation_error");
    assert!(error["details"]["/processing_attempt"].is_array(), "{error}");
    let again = post(mark("processing"), json!({})).await.expect(200);
    assert_eq!(again["data"]["attempt_number"], 2);
    assert_eq!(post(mark("processed"), json!({})).await.expect(200)["data"]["status"], "processed");
    p.site.get(&p.helper, &path("/next")).await.expect_empty(204);
}

#[tokio::test]
async fn an_agent_answers_and_repeats_an_answer_by_its_key() {
    let p = Populated::start().await;
    let path = format!("/api/v1/agent/chats/{}/messages", p.room);
    let body = json!({"message": {"content": "twice", "mentions": [{"handle": p.ann.handle}]}});
    let send = async || {
        let request = p.site.request(Method::POST, &path).header("x-api-key", &p.helper.key);
        crate::live::Answer::of(request.header("idempotency-key", "m-1:0").json(&body)).await.expect(201)
    };
    let first = send().await;
    assert_eq!(first["data"]["success"], true);
    assert_eq!(first["data"]["recipients"][0]["handle"], p.ann.handle.as_str());
    assert_eq!(send().await, first);
    let other = json!({"message": {"content": "other", "mentions": [{"handle": p.ann.handle}]}});
    let request = p.site.request(Method::POST, &path).header("x-api-key", &p.helper.key);
    let answer = crate::live::Answer::of(request.header("idempotency-key", "m-1:0").json(&other)).await;
    assert_eq!(answer.status.as_u16(), 409, "{}", answer.text());
}

#[tokio::test]
async fn an_agent_posts_events_and_finds_them_in_its_context() {
    let p = Populated::start().await;
    let path = format!("/api/v1/agent/chats/{}/events", p.room);
    let event = json!({"event": {"content": "calls", "message_type": "tool_call", "metadata": {"id": "c1"}}});
    let made = p.site.post(&p.helper, &path, event).await.expect(201);
    assert_eq!(made["data"]["message_type"], "tool_call");
    assert_eq!(made["data"]["success"], true);
    let path = format!("/api/v1/agent/chats/{}/context", p.room);
    let context = p.site.get(&p.helper, &path).await.expect(200);
    let newest = context["data"].as_array().unwrap().last().unwrap();
    assert_eq!(newest["id"], made["data"]["id"]);
    assert_eq!(newest["metadata"]["id"], "c1");
    assert_eq!(context["metadata"], context["meta"]);
    assert_eq!(context["data"].as_array().unwrap().len(), 5);
    let newest_first = p.site.get(&p.helper, &format!("{path}?sort_order=desc&limit=2")).await.expect(200);
    assert_eq!(newest_first["data"][0]["id"], made["data"]["id"]);
    assert_eq!(newest_first["metadata"]["has_more"], true);
}

#[tokio::test]
async fn an_agent_reports_that_it_works() {
    let p = Populated::start().await;
    let path = format!("/api/v1/agent/chats/{}/activity", p.room);
    let on = p.site.post(&p.helper, &path, json!({"working": true})).await.expect(200);
    assert_eq!(on, json!({"data": {"working": true}}));
    let off = p.site.post(&p.helper, &path, json!({"working": false})).await.expect(200);
    assert_eq!(off, json!({"data": {"working": false}}));
    p.site.post(&p.rival, &path, json!({"working": true})).await.refused(404, "not_found");
}

#[tokio::test]
async fn the_deprecated_pages_say_that_they_are() {
    let p = Populated::start().await;
    for path in ["messages", "context"] {
        let path = format!("/api/v1/agent/chats/{}/{path}", p.room);
        let old = p.site.get(&p.helper, &format!("{path}?page=1&page_size=2")).await;
        assert!(old.header("deprecation").is_some() && old.header("sunset").is_some(), "{path}");
        let body = old.expect(200);
        assert_eq!(body["metadata"]["page"], 1, "{body}");
        let new = p.site.get(&p.helper, &format!("{path}?limit=2")).await;
        assert!(new.header("deprecation").is_none());
        assert_eq!(new.expect(200)["metadata"].get("page"), None);
    }
    let chats = p.site.call(As::Key(&p.helper.key), Method::GET, "/api/v1/agent/chats?page=1", None).await;
    assert!(chats.header("deprecation").is_none());
}
