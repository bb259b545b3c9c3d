//! Contacts over HTTP and on the sockets.

use http::Method;
use serde_json::{Value, json};

use crate::live::{As, Party, Phoenix, Populated, text_of};

const ADD: &str = "/api/v1/agent/contacts/add";
const REMOVE: &str = "/api/v1/agent/contacts/remove";
const RESPOND: &str = "/api/v1/agent/contacts/requests/respond";
const REQUESTS: &str = "/api/v1/agent/contacts/requests";
const MINE: &str = "/api/v1/me/contacts";

impl Populated {
    async fn listens(&self, who: &Party, topic: &str) -> Phoenix {
        let mut socket = Phoenix::open(&self.site, who).await;
        socket.join(&format!("{topic}:{}", who.id)).await;
        socket
    }

    /// Asks by handle and gives the request's id.
    async fn asks(&self, who: &Party, other: &Party) -> String {
        let made = self.site.post(who, ADD, json!({"handle": format!("@{}", other.handle)})).await;
        text_of(&made.expect(201)["data"]["id"])
    }
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_request_is_told_approved_and_makes_a_contact_of_each_side() {
    let p = Populated::start().await;
    let mut rival = p.listens(&p.rival, "agent_contacts").await;
    let mut ann = p.listens(&p.ann, "user_contacts").await;
    let body = json!({"contact_request": {"recipient_handle": p.rival.handle, "message": "hi"}});
    let made = p.site.post(&p.ann, "/api/v1/me/contacts/requests", body).await.expect(201);
    let request = text_of(&made["data"]["id"]);
    assert_eq!(
        (&made["data"]["status"], &made["data"]["recipient"]["name"]),
        (&json!("pending"), &json!("Rival"))
    );

    let push = rival.event("contact_request_received").await;
    assert_eq!(push[2], format!("agent_contacts:{}", p.rival.id));
    let keys: Vec<&String> = push[4].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["from_handle", "from_name", "id", "inserted_at", "message", "status"]);
    assert_eq!((&push[4]["id"], &push[4]["message"]), (&json!(request), &json!("hi")));

    let answer = json!({"action": "approve", "request_id": request});
    let done = p.site.post(&p.rival, RESPOND, answer.clone()).await.expect(200);
    assert_eq!(done["data"], json!({"id": request, "status": "approved"}));
    for socket in [&mut rival, &mut ann] {
        let events: Vec<String> =
            [socket.next().await, socket.next().await].iter().map(|frame| text_of(&frame[3])).collect();
        assert_eq!(events, ["contact_request_updated", "contact_added"], "the update comes first");
    }
    p.site.post(&p.rival, RESPOND, answer).await.refused(409, "conflict");

    let of_ann = p.site.get(&p.ann, MINE).await.expect(200);
    let contact = &of_ann["data"][0];
    assert_eq!((&contact["contact_id"], &contact["contact_type"]), (&json!(p.rival.id), &json!("Agent")));
    assert_eq!((&contact["status"], &contact["source"]), (&json!("active"), &json!("request")));
    assert!(contact["online"].is_boolean() && contact["user"]["name"] == "Rival");
    let of_rival = p.site.get(&p.rival, "/api/v1/agent/contacts?page_size=100").await.expect(200);
    let record =
        of_rival["data"].as_array().unwrap().iter().find(|row| row["handle"] == p.ann.handle.as_str());
    let record = record.expect("Ann is a contact");
    assert_eq!((&record["type"], record["online"].is_boolean()), (&json!("User"), true));
    assert_ne!(record["id"], contact["id"], "each side has a record of its own");
}

#[tokio::test]
async fn what_was_added_says_who_it_is_in_the_form_that_clients_check() {
    let p = Populated::start().await;
    let mut bob = p.listens(&p.bob, "user_contacts").await;
    let path = format!("{MINE}/requests/{}/approve", open_request(&p, &p.bob).await);
    p.site.call(As::Key(&p.bob.key), Method::POST, &path, None).await.expect(200);
    let push = bob.event("contact_added").await;
    assert_eq!(push[4]["handle"], p.scout.handle.as_str());
    assert_eq!((&push[4]["type"], &push[4]["is_external"]), (&json!("Agent"), &json!(true)));
    assert!(push[4]["description"].is_string() && push[4]["tags"].is_array());
}

/// The first request that a person received.
async fn open_request(p: &Populated, who: &Party) -> String {
    let list = p.site.get(who, &format!("{MINE}/requests")).await.expect(200);
    text_of(&list["data"][0]["id"])
}

#[tokio::test]
async fn requests_are_listed_by_direction_and_status() {
    let p = Populated::start().await;
    let list = p.site.get(&p.helper, REQUESTS).await.expect(200);
    assert_eq!(list["data"]["received"][0]["from_handle"], p.rival.handle.as_str());
    assert_eq!(list["data"]["received"][0]["message"], "hello");
    let metadata = json!({
        "page": 1, "page_size": 20,
        "received": {"total": 1, "total_pages": 1}, "sent": {"total": 0, "total_pages": 0},
    });
    assert_eq!(list["metadata"], metadata);
    let sent = p.site.get(&p.rival, &format!("{REQUESTS}?sent_status=all&page_size=1")).await.expect(200);
    assert_eq!(sent["metadata"]["sent"], json!({"total": 2, "total_pages": 2}));
    assert_eq!(sent["data"]["sent"].as_array().unwrap().len(), 1);
    let pending = p.site.get(&p.rival, REQUESTS).await.expect(200);
    assert_eq!(pending["data"]["sent"][0]["to_handle"], p.helper.handle.as_str());
    let approved = p.site.get(&p.rival, &format!("{REQUESTS}?sent_status=approved")).await.expect(200);
    assert_eq!(approved["data"]["sent"][0]["to_name"], "Scout");
    p.site.get(&p.rival, &format!("{REQUESTS}?sent_status=expired")).await.refused(422, "validation_error");
    p.site.get(&p.rival, &format!("{REQUESTS}?sent_status=mine")).await.refused(422, "validation_error");

    let mine = p.site.get(&p.ann, &format!("{MINE}/requests")).await.expect(200);
    assert_eq!(mine["metadata"]["total_count"], 2, "her own and that of her agent");
    assert!(ids(&mine["data"]).contains(&p.request.as_str()));
    let sent = p.site.get(&p.bob, &format!("{MINE}/requests/sent?status=pending")).await.expect(200);
    assert_eq!(ids(&sent["data"]), [p.request.as_str()]);
    let none = p.site.get(&p.bob, &format!("{MINE}/requests/sent?status=rejected")).await.expect(200);
    assert_eq!(none["metadata"]["total_count"], 0);
}

#[tokio::test]
async fn an_owner_answers_for_an_agent() {
    let p = Populated::start().await;
    let list = p.site.get(&p.helper, REQUESTS).await.expect(200);
    let request = text_of(&list["data"]["received"][0]["id"]);
    let path = format!("{MINE}/requests/{request}/reject");
    p.site.call(As::Key(&p.bob.key), Method::POST, &path, None).await.refused(403, "forbidden");
    let done = p.site.call(As::Key(&p.ann.key), Method::POST, &path, None).await.expect(200);
    assert_eq!(done["data"]["status"], "rejected");
    let list = p.site.get(&p.helper, REQUESTS).await.expect(200);
    assert_eq!(list["metadata"]["received"]["total"], 0);
}

#[tokio::test]
async fn a_request_is_taken_back_by_its_sender_alone() {
    let p = Populated::start().await;
    let path = format!("{MINE}/requests/{}", p.request);
    p.site.delete(&p.ann, &path).await.refused(403, "forbidden");
    let done = p.site.delete(&p.bob, &path).await.expect(200);
    assert_eq!(done["data"], json!({"id": p.request, "status": "cancelled"}));
    p.site.delete(&p.bob, &path).await.refused(409, "conflict");
    let other = format!("{MINE}/requests/{}", p.room);
    p.site.delete(&p.bob, &other).await.refused(404, "not_found");
    let by_handle = json!({"action": "cancel", "handle": p.helper.handle});
    let done = p.site.post(&p.rival, RESPOND, by_handle.clone()).await.expect(200);
    assert_eq!(done["data"]["status"], "cancelled");
    p.site.post(&p.rival, RESPOND, by_handle).await.refused(404, "not_found");
}

#[tokio::test]
async fn each_refusal_of_a_request_has_its_status() {
    let p = Populated::start().await;
    let table = [
        ("@", 400, "bad_request"),
        ("ann lee", 400, "bad_request"),
        ("nobody", 404, "not_found"),
        ("ann-lee/nobody", 404, "not_found"),
        (p.rival.handle.as_str(), 409, "conflict"),
        (p.helper.handle.as_str(), 409, "conflict"),
        (p.scout.handle.as_str(), 409, "conflict"),
    ];
    for (handle, status, code) in table {
        p.site.post(&p.rival, ADD, json!({"handle": handle})).await.refused(status, code);
    }
    p.site.post(&p.rival, ADD, json!({"message": "x"})).await.invalid("/handle", "Missing field: handle");
    p.site.post(&p.rival, RESPOND, json!({"action": "approve"})).await.refused(400, "bad_request");
    p.site.post(&p.rival, REMOVE, json!({})).await.refused(400, "bad_request");
    let foreign = json!({"action": "approve", "request_id": p.request});
    p.site.post(&p.rival, RESPOND, foreign).await.refused(404, "not_found");
}

#[tokio::test]
async fn a_contact_ends_for_both_and_each_hears_of_its_own_record() {
    let p = Populated::start().await;
    let mut scout = p.listens(&p.scout, "agent_contacts").await;
    let before = p.site.get(&p.scout, "/api/v1/agent/contacts").await.expect(200);
    let record = text_of(&before["data"][0]["id"]);
    let body = json!({"handle": p.scout.handle});
    let done = p.site.post(&p.rival, REMOVE, body.clone()).await.expect(200);
    assert_eq!(done["data"], json!({"status": "removed"}));
    assert_eq!(scout.event("contact_removed").await[4], json!({"id": record}));
    let after = p.site.get(&p.scout, "/api/v1/agent/contacts").await.expect(200);
    assert_eq!(after["metadata"], json!({"page": 1, "page_size": 20, "total_count": 0, "total_pages": 0}));
    p.site.post(&p.rival, REMOVE, body).await.refused(404, "not_found");
    p.site.post(&p.scout, REMOVE, json!({"contact_id": record})).await.refused(404, "not_found");
    // They may ask again, and asking back approves.
    let request = p.asks(&p.scout, &p.rival).await;
    let back = p.site.post(&p.rival, ADD, json!({"handle": p.scout.handle})).await.expect(201);
    assert_eq!(back["data"], json!({"id": request, "status": "approved"}));
}

#[tokio::test]
async fn a_contact_is_a_peer_and_may_be_brought_into_a_room() {
    let p = Populated::start().await;
    let path = format!("/api/v1/me/chats/{}/participants", p.room);
    let body = json!({"participant": {"participant_id": p.rival.id}});
    p.site.post(&p.ann, &path, body.clone()).await.refused(403, "forbidden");
    let peers = p.site.get(&p.scout, "/api/v1/agent/peers?page_size=100").await.expect(200);
    let last = peers["data"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["id"], &last["source"]), (&json!(p.rival.id), &json!("contact")));
    assert_eq!((&last["is_contact"], &peers["data"][0]["is_contact"]), (&json!(true), &json!(false)));
    let room = p.site.post(&p.scout, "/api/v1/agent/chats", json!({"chat": {}})).await.expect(201);
    let path = format!("/api/v1/agent/chats/{}/participants", text_of(&room["data"]["id"]));
    p.site.post(&p.scout, &path, body).await.expect(201);
    let other = format!("/api/v1/agent/peers?not_in_chat={}", text_of(&room["data"]["id"]));
    let rest = p.site.get(&p.scout, &other).await.expect(200);
    assert!(!rest["data"].to_string().contains(&p.rival.id), "{rest}");
}

#[tokio::test]
async fn a_handle_is_resolved_without_id_and_mail() {
    let p = Populated::start().await;
    let path = format!("{MINE}/resolve");
    let found =
        p.site.post(&p.ann, &path, json!({"handle": format!("@{}", p.rival.handle)})).await.expect(200);
    let wanted = json!({"type": "Agent", "name": "Rival", "handle": p.rival.handle});
    assert_eq!(found["data"], wanted);
    p.site.post(&p.ann, &path, json!({"handle": "nobody"})).await.refused(404, "not_found");
    p.site.post(&p.ann, &path, json!({"handle": ""})).await.refused(400, "bad_request");
}

#[tokio::test]
async fn a_deleted_agent_is_nobodys_contact_and_its_requests_are_over() {
    let p = Populated::start().await;
    let mut scout = p.listens(&p.scout, "agent_contacts").await;
    let mut helper = Phoenix::open(&p.site, &p.helper).await;
    helper.join(&format!("agent_contacts:{}", p.helper.id)).await;
    p.site.delete(&p.bob, &format!("/api/v1/me/agents/{}?force=true", p.rival.id)).await.expect(200);
    scout.event("contact_removed").await;
    assert_eq!(helper.event("contact_request_updated").await[4]["status"], "expired");
    let list = p.site.get(&p.scout, "/api/v1/agent/contacts").await.expect(200);
    assert_eq!(list["metadata"]["total_count"], 0);
}

#[tokio::test]
async fn contact_topics_are_joined_by_their_own_alone() {
    let p = Populated::start().await;
    let mut socket = Phoenix::open(&p.site, &p.helper).await;
    for topic in [
        format!("agent_contacts:{}", p.scout.id),
        format!("user_contacts:{}", p.ann.id),
        format!("user_contacts:{}", p.helper.id),
    ] {
        let (_, reply) = socket.try_join(&topic).await;
        assert_eq!(reply["response"], json!({"reason": "unauthorized"}), "{topic}");
    }
    socket.join(&format!("agent_contacts:{}", p.helper.id)).await;
}
