//! Repeated creating requests, and headers that may be sent once.

use http::Method;
use serde_json::{Value, json};

use crate::live::{Answer, Party, Populated, text_of};

impl Populated {
    async fn keyed(&self, who: &Party, path: &str, key: &str, body: &Value) -> Answer {
        let request = self.site.request(Method::POST, path).header("x-api-key", &who.key);
        Answer::of(request.header("idempotency-key", key).json(body)).await
    }
}

#[tokio::test]
async fn every_creating_route_creates_once_for_a_key_and_tells_another_request_apart() {
    let p = Populated::start().await;
    let participants = |of: &str| format!("/api/v1/{of}/chats/{}/participants", p.room);
    let events = format!("/api/v1/agent/chats/{}/events", p.room);
    let member = |id: &str, role: &str| json!({"participant": {"participant_id": id, "role": role}});
    let chat = |title: &str| json!({"chat": {"title": title}});
    let asked = |handle: &str, message: &str| json!({"handle": handle, "message": message});
    let request =
        |handle: &str, text: &str| json!({"contact_request": {"recipient_handle": handle, "message": text}});
    let event = |text: &str| json!({"event": {"content": text, "message_type": "thought"}});
    let say = |text: &str| json!({"message": {"content": text, "mentions": [{"id": p.helper.id}]}});
    let tasks = |of: &str| format!("/api/v1/{of}/chats/{}/tasks", p.room);
    let task = |text: &str| json!({"subject": text});
    let memory = |text: &str| {
        json!({"memory": {
            "content": text, "system": "working", "type": "episodic", "segment": "tool", "thought": "why not",
        }})
    };
    let messages = format!("/api/v1/me/chats/{}/messages", p.room);
    let table = [
        (&p.helper, "/api/v1/agent/chats".to_owned(), chat("a"), chat("b")),
        (&p.ann, "/api/v1/me/chats".to_owned(), chat("a"), chat("b")),
        (&p.ann, participants("me"), member(&p.scout.id, "member"), member(&p.scout.id, "admin")),
        (
            &p.helper,
            "/api/v1/agent/contacts/add".to_owned(),
            asked(&p.bob.handle, "x"),
            asked(&p.bob.handle, "y"),
        ),
        (
            &p.ann,
            "/api/v1/me/contacts/requests".to_owned(),
            request(&p.rival.handle, "x"),
            request(&p.rival.handle, "y"),
        ),
        (&p.helper, events, event("a"), event("b")),
        (&p.ann, messages, say("a"), say("b")),
        (&p.helper, "/api/v1/agent/memories".to_owned(), memory("a"), memory("b")),
        (&p.helper, tasks("agent"), task("a"), task("b")),
        (&p.ann, tasks("me"), task("a"), task("b")),
    ];
    for (who, path, body, other) in table {
        let first = p.keyed(who, &path, "k-1", &body).await.expect(201);
        let again = p.keyed(who, &path, "k-1", &body).await.expect(201);
        assert_eq!(first, again, "{path}");
        let conflict = p.keyed(who, &path, "k-1", &other).await.refused(409, "idempotency_conflict");
        assert_eq!(conflict["details"]["id"][0], first["data"]["id"], "{path}");
    }
    let rooms = p.site.get(&p.helper, "/api/v1/agent/chats").await.expect(200);
    assert_eq!(rooms["metadata"]["total_count"], 2);
}

#[tokio::test]
async fn a_repeated_registration_makes_one_agent_and_the_key_of_the_last_answer_counts() {
    let p = Populated::start().await;
    let body = json!({"agent": {"name": "Twin", "description": "Is registered more than once."}});
    let register = async || p.keyed(&p.ann, "/api/v1/me/agents/register", "r-1", &body).await;
    let first = register().await.expect(201);
    let second = register().await.expect(201);
    assert_eq!(first["data"]["agent"], second["data"]["agent"]);
    let me = async |answer: &Value| {
        let key = text_of(&answer["data"]["credentials"]["api_key"]);
        let request = p.site.request(Method::GET, "/api/v1/agent/me").header("x-api-key", key);
        Answer::of(request).await
    };
    me(&first).await.refused(401, "unauthorized");
    me(&second).await.expect(200);
    // A key that is in use is not taken away.
    let refused = register().await.refused(409, "idempotency_conflict");
    assert_eq!(refused["details"]["id"][0], first["data"]["agent"]["id"]);
}

#[tokio::test]
async fn a_header_that_decides_is_refused_when_it_is_there_twice() {
    let p = Populated::start().await;
    for name in ["x-api-key", "idempotency-key", "origin"] {
        let request = p.site.request(Method::GET, "/api/v1/me/profile").header("x-api-key", &p.ann.key);
        let twice = request.header(name, "http://a").header(name, "http://b");
        let error = Answer::of(twice).await.refused(400, "bad_request");
        assert!(error["message"].as_str().unwrap().contains(name), "{error}");
    }
}
