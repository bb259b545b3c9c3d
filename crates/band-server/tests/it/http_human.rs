//! The Human API on a populated site.

use serde_json::{Value, json};

use crate::live::{As, Populated, text_of};

#[tokio::test]
async fn a_person_reads_and_changes_their_profile() {
    let p = Populated::start().await;
    let me = p.site.get(&p.ann, "/api/v1/me/profile").await.expect(200);
    assert_eq!(me["data"]["id"], p.ann.id.as_str());
    assert_eq!((&me["data"]["first_name"], &me["data"]["last_name"]), (&json!("Ann"), &json!("Lee")));
    let body = json!({"user": {"first_name": "Anna"}});
    let who = As::Key(&p.ann.key);
    let changed = p.site.call(who, http::Method::PUT, "/api/v1/me/profile", Some(body)).await.expect(200);
    assert_eq!(
        (&changed["data"]["first_name"], &changed["data"]["last_name"]),
        (&json!("Anna"), &json!("Lee"))
    );
}

#[tokio::test]
async fn a_person_registers_lists_and_deletes_agents() {
    let p = Populated::start().await;
    let spare = p.site.agent(&p.ann, "Spare").await;
    let body = json!({"agent": {"name": "Spare", "description": "Has a name that is taken."}});
    let error =
        p.site.post(&p.ann, "/api/v1/me/agents/register", body).await.refused(422, "validation_error");
    assert_eq!(error["details"]["name"], json!(["has already been taken"]));
    let list = p.site.get(&p.ann, "/api/v1/me/agents?name=SPARE&sort=name&order=asc").await.expect(200);
    assert_eq!(list["data"][0]["id"], spare.id.as_str());
    assert_eq!(list["data"].as_array().unwrap().len(), 1);
    assert_eq!(list["metadata"]["limit"], 20);
    let path = format!("/api/v1/me/agents/{}", spare.id);
    p.site.delete(&p.bob, &path).await.refused(403, "forbidden");
    let gone = p.site.delete(&p.ann, &path).await.expect(200);
    assert_eq!((&gone["data"]["id"], &gone["data"]["executions_deleted"]), (&json!(spare.id), &json!(0)));
    p.site.get(&spare, "/api/v1/agent/me").await.refused(401, "unauthorized");
    let path = format!("/api/v1/me/agents/{}", p.helper.id);
    p.site.delete(&p.ann, &path).await.refused(422, "validation_error");
    p.site.delete(&p.ann, &format!("{path}?force=true")).await.expect(200);
    p.site.get(&p.helper, "/api/v1/agent/me").await.refused(401, "unauthorized");
}

#[tokio::test]
async fn a_person_sees_their_peers() {
    let p = Populated::start().await;
    let path = format!("/api/v1/me/peers?type=Agent&not_in_chat={}", p.room);
    let peers = p.site.get(&p.ann, &path).await.expect(200);
    let ids: Vec<&Value> = peers["data"].as_array().unwrap().iter().map(|peer| &peer["id"]).collect();
    assert_eq!(ids, [&json!(p.scout.id)]);
    assert_eq!(peers["metadata"]["total_count"], 1);
}

#[tokio::test]
async fn a_person_lists_and_reads_their_rooms() {
    let p = Populated::start().await;
    let second = p.site.room(&p.ann, &[]).await;
    let list = p.site.get(&p.ann, "/api/v1/me/chats?include=last_message,participants").await.expect(200);
    assert_eq!(list["data"][0]["id"], second.as_str());
    assert_eq!(list["data"][0]["last_message"], Value::Null);
    assert_eq!(list["data"][1]["last_message"]["id"], p.waiting.as_str());
    assert_eq!(list["data"][1]["participant_count"], 2);
    let first = p.site.get(&p.ann, "/api/v1/me/chats?limit=1").await.expect(200);
    assert_eq!(first["metadata"]["has_more"], true);
    let cursor = text_of(&first["metadata"]["next_cursor"]);
    let next = p.site.get(&p.ann, &format!("/api/v1/me/chats?limit=1&cursor={cursor}")).await.expect(200);
    assert_eq!(next["data"][0]["id"], p.room.as_str());
    let one = p.site.get(&p.ann, &format!("/api/v1/me/chats/{}", p.room)).await.expect(200);
    assert_eq!((&one["data"]["type"], &one["data"]["status"]), (&json!("direct"), &json!("active")));
    p.site.get(&p.bob, &format!("/api/v1/me/chats/{}", p.room)).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_person_reads_the_timeline_from_any_place() {
    let p = Populated::start().await;
    let path = |query: &str| format!("/api/v1/me/chats/{}/messages?{query}", p.room);
    let all = p.site.get(&p.ann, &path("")).await.expect(200);
    let kinds: Vec<&Value> = all["data"].as_array().unwrap().iter().map(|one| &one["message_type"]).collect();
    assert_eq!(kinds, ["text", "thought", "text", "text"]);
    assert_eq!(all["data"][3]["metadata"]["delivery_status"][&p.helper.id]["status"], "processed");
    let after = p.site.get(&p.ann, &path(&format!("after={}", p.done))).await.expect(200);
    assert_eq!(after["data"].as_array().unwrap().len(), 3);
    assert_eq!(after["data"][2]["id"], p.waiting.as_str());
    let before = p.site.get(&p.ann, &path(&format!("before={}&limit=1", p.waiting))).await.expect(200);
    assert_eq!(before["data"][0]["message_type"], "thought");
    assert_eq!(before["metadata"]["next_cursor"], Value::Null);
    let thoughts = p.site.get(&p.ann, &path("message_types=thought,error")).await.expect(200);
    assert_eq!(thoughts["data"].as_array().unwrap().len(), 1);
    p.site.get(&p.ann, &path(&format!("after={}", p.room))).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_person_manages_the_participants_of_their_room() {
    let p = Populated::start().await;
    let path = format!("/api/v1/me/chats/{}/participants", p.room);
    let added = p.site.add(&p.ann, &p.room, &p.scout).await.expect(201);
    assert_eq!(added["data"]["type"], "Agent");
    let list = p.site.get(&p.ann, &format!("{path}?participant_type=Agent&limit=1")).await.expect(200);
    assert_eq!(list["metadata"]["has_more"], true);
    assert_eq!(list["data"][0]["connection_status"], "disconnected");
    let gone = p.site.remove(&p.ann, &p.room, &p.scout).await.expect(200);
    assert_eq!(gone["data"]["id"], p.scout.id.as_str());
    p.site.remove(&p.ann, &p.room, &p.scout).await.refused(404, "not_found");
    p.site.remove(&p.ann, &p.room, &p.ann).await.refused(403, "cannot_remove_sole_owner");
    p.site.add(&p.ann, &p.room, &p.rival).await.refused(403, "forbidden");
}

#[tokio::test]
async fn the_owner_of_an_agent_reads_its_rooms_and_writes_nothing_in_them() {
    let p = Populated::start().await;
    let made =
        p.site.post(&p.helper, "/api/v1/agent/chats", json!({"chat": {"title": "Alone"}})).await.expect(201);
    let path = format!("/api/v1/me/chats/{}/messages", text_of(&made["data"]["id"]));
    assert_eq!(p.site.get(&p.ann, &path).await.expect(200)["data"], json!([]));
    let body = json!({"message": {"content": "hi", "mentions": [{"id": p.helper.id}]}});
    p.site.post(&p.ann, &path, body).await.refused(404, "not_found");
    p.site.get(&p.bob, &path).await.refused(404, "not_found");
}
