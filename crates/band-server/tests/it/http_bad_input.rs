//! Bad input: answered in the one error shape, and nothing is stored.

use http::Method;
use serde_json::{Value, json};

use crate::live::{Answer, Populated};

impl Populated {
    fn messages(&self) -> String {
        format!("/api/v1/me/chats/{}/messages", self.room)
    }

    /// A message of Ann's with this body.
    async fn post_message(&self, body: Value) -> Answer {
        self.site.post(&self.ann, &self.messages(), body).await
    }

    /// Text sent as it is.
    async fn post_raw(&self, content_type: Option<&str>, body: impl Into<reqwest::Body>) -> Answer {
        let request = self.site.request(Method::POST, &self.messages()).header("x-api-key", &self.ann.key);
        let request =
            content_type.iter().fold(request, |request, kind| request.header("content-type", *kind));
        Answer::of(request.body(body)).await
    }

    async fn count(&self) -> usize {
        let all = self.site.get(&self.ann, &format!("{}?limit=100", self.messages())).await.expect(200);
        all["data"].as_array().unwrap().len()
    }
}

#[tokio::test]
async fn what_is_no_json_is_400() {
    let p = Populated::start().await;
    let before = p.count().await;
    let deep = "[".repeat(2000);
    for body in ["{", "nope", "{\"message\":}", "{\"a\":1}}", "\u{feff}{}", deep.as_str()] {
        let error = p.post_raw(Some("application/json"), body.to_owned()).await.refused(400, "bad_request");
        assert!(error["message"].as_str().unwrap().contains("JSON"), "{error}");
    }
    p.post_raw(Some("application/json"), vec![b'"', 0xff, b'"']).await.refused(400, "bad_request");
    assert_eq!(p.count().await, before);
}

#[tokio::test]
async fn json_that_is_no_object_and_missing_fields_are_422() {
    let p = Populated::start().await;
    for body in [json!([]), json!("x"), json!(7), json!(null)] {
        p.post_message(body).await.refused(422, "validation_error");
    }
    p.post_message(json!({})).await.invalid("/message", "Missing field: message");
    p.post_raw(None, "").await.invalid("/message", "Missing field: message");
    let error = p.post_message(json!({"message": {}})).await.refused(422, "validation_error");
    assert_eq!(error["details"]["/message/content"], json!(["Missing field: content"]));
    assert_eq!(error["details"]["/message/mentions"], json!(["Missing field: mentions"]));
}

#[tokio::test]
async fn unknown_fields_wrong_types_and_nulls_are_422() {
    let p = Populated::start().await;
    let before = p.count().await;
    let good = json!({"content": "hi", "mentions": [{"id": p.helper.id}]});
    let with = |field: &str, value: Value| {
        let mut message = good.clone();
        message[field] = value;
        json!({ "message": message })
    };
    let mut beside = json!({ "message": good });
    beside["task_id"] = json!(1);
    p.post_message(beside).await.invalid("/task_id", "Unexpected field: task_id");
    p.post_message(with("task_id", json!(1))).await.invalid("/message/task_id", "Unexpected field: task_id");
    p.post_message(with("content", json!(7)))
        .await
        .invalid("/message/content", "Invalid string. Got: integer");
    for (field, value, pointer) in [
        ("content", Value::Null, "/message/content"),
        ("mentions", Value::Null, "/message/mentions"),
        ("mentions", json!({}), "/message/mentions"),
        ("mentions", json!(["x"]), "/message/mentions/0"),
        ("mentions", json!([{"id": p.helper.id, "kind": null}]), "/message/mentions/0/kind"),
        ("mentions", json!([{"id": p.helper.id, "x": 1}]), "/message/mentions/0/x"),
        ("attachment_ids", Value::Null, "/message/attachment_ids"),
    ] {
        let error = p.post_message(with(field, value)).await.refused(422, "validation_error");
        assert!(error["details"][pointer].is_array(), "{error}");
    }
    assert_eq!(p.count().await, before);
}

#[tokio::test]
async fn blank_and_invisible_content_is_422() {
    let p = Populated::start().await;
    let before = p.count().await;
    for content in ["", " \t\n", "\u{200b}\u{200d}", "\u{202e}\u{2066}", "\u{301}", "\u{0}"] {
        let body = json!({"message": {"content": content, "mentions": [{"id": p.helper.id}]}});
        let error = p.post_message(body).await.refused(422, "validation_error");
        assert!(error.to_string().contains("can't be blank"), "{content:?}: {error}");
    }
    assert_eq!(p.count().await, before);
}

#[tokio::test]
async fn unknown_self_foreign_and_double_mentions_have_their_codes() {
    let p = Populated::start().await;
    let before = p.count().await;
    let send = async |mentions: Value| {
        p.post_message(json!({"message": {"content": "hi", "mentions": mentions}})).await
    };
    for (mentions, code) in [
        (json!([]), "mentions_required"),
        (json!([{"id": p.helper.id, "kind": "reference"}]), "mentions_required"),
        (json!([{"name": "Helper"}]), "mention_missing_identifier"),
        (json!([{"id": p.helper.id, "kind": "shout"}]), "invalid_mention_kind"),
        (json!([{"handle": "nobody/here"}]), "handle_not_found"),
        (json!([{"id": p.rival.id}]), "mentioned_participant_not_in_room"),
        (json!([{"id": p.ann.id}]), "cannot_mention_self"),
        (json!([{"id": p.helper.id}, {"handle": p.helper.handle}]), "duplicate_mentions"),
    ] {
        let error = send(mentions).await.refused(422, code);
        assert_eq!(error["message"], code);
        assert!(error["details"].is_object(), "{error}");
    }
    assert_eq!(p.count().await, before);
}

#[tokio::test]
async fn oversized_bodies_are_413_and_oversized_content_is_422() {
    let p = Populated::start().await;
    let before = p.count().await;
    let message =
        |bytes: usize| json!({"message": {"content": "x".repeat(bytes), "mentions": [{"id": p.helper.id}]}});
    p.post_message(message(524_289)).await.refused(422, "validation_error");
    p.post_message(message(4 * 1024 * 1024)).await.refused(413, "payload_too_large");
    let chunks = futures_util::stream::iter((0..80).map(|_| Ok::<_, std::io::Error>(vec![b' '; 64 * 1024])));
    let answer = p.post_raw(Some("application/json"), reqwest::Body::wrap_stream(chunks)).await;
    answer.refused(413, "payload_too_large");
    assert_eq!(p.count().await, before);
    let title = json!({"chat": {"title": "x".repeat(1024 * 1024)}});
    p.site.post(&p.ann, "/api/v1/me/chats", title).await.refused(413, "payload_too_large");
    p.post_message(message(524_288)).await.expect(201);
    let escaped = json!({"message": {"content": format!("a{}", "\u{1}".repeat(524_287)), "mentions": [{"id": p.helper.id}]}});
    p.post_message(escaped).await.expect(201);
}

#[tokio::test]
async fn a_body_of_another_type_is_415() {
    let p = Populated::start().await;
    for kind in [None, Some("text/plain"), Some("application/x-www-form-urlencoded")] {
        p.post_raw(kind, "{}").await.refused(415, "unsupported_media_type");
    }
    for kind in ["application/json; charset=utf-8", "APPLICATION/JSON", "application/problem+json"] {
        p.post_raw(Some(kind), "{}").await.refused(422, "validation_error");
    }
}

#[tokio::test]
async fn events_have_their_own_limits() {
    let p = Populated::start().await;
    let path = format!("/api/v1/agent/chats/{}/events", p.room);
    let post = async |event: Value| p.site.post(&p.helper, &path, json!({ "event": event })).await;
    for event in [
        json!({"content": "x".repeat(16_385), "message_type": "thought"}),
        json!({"content": "x", "message_type": "thought", "metadata": {"x": "y".repeat(65_536)}}),
        json!({"content": "x", "message_type": "text"}),
        json!({"content": " ", "message_type": "thought"}),
        json!({"content": "x", "message_type": "thought", "metadata": []}),
    ] {
        post(event).await.refused(422, "validation_error");
    }
    post(json!({"content": "é".repeat(16_384), "message_type": "thought"})).await.expect(201);
    post(json!({"content": "x", "message_type": "thought", "metadata": null})).await.expect(201);
}

#[tokio::test]
async fn marks_and_titles_and_registrations_are_read_strictly() {
    let p = Populated::start().await;
    let mark = |mark: &str| format!("/api/v1/agent/chats/{}/messages/{}/{mark}", p.room, p.waiting);
    let post = async |path: String, body: Value| p.site.post(&p.helper, &path, body).await;
    post(mark("failed"), json!({"reason": "x"})).await.invalid("/reason", "Unexpected field: reason");
    post(mark("failed"), json!({"error": {}})).await.invalid("/error", "Invalid string. Got: object");
    post(mark("processing"), json!({"x": 1})).await.invalid("/x", "Unexpected field: x");
    let error = post(mark("processed"), json!({})).await.refused(422, "validation_error");
    assert!(error["details"]["/processing_attempt"].is_array());
    let title =
        async |title: Value| p.site.post(&p.ann, "/api/v1/me/chats", json!({"chat": {"title": title}})).await;
    title(json!("x".repeat(121))).await.refused(422, "validation_error");
    title(json!("a\nb")).await.refused(422, "validation_error");
    title(json!(7)).await.refused(422, "validation_error");
    title(Value::Null).await.expect(201);
    let body = json!({"agent": {"name": "x", "description": "y"}});
    let error =
        p.site.post(&p.ann, "/api/v1/me/agents/register", body).await.refused(422, "validation_error");
    assert!(error["details"]["/agent/name"].is_array() && error["details"]["/agent/description"].is_array());
}

#[tokio::test]
async fn bad_queries_are_named_under_their_parameter() {
    let p = Populated::start().await;
    let get = async |path: &str| p.site.get(&p.helper, &format!("/api/v1/agent/chats{path}")).await;
    get("?page=0").await.invalid("/page", "Invalid integer. Expected 1 or more");
    get("?include=messages").await.invalid("/include/0", "Invalid value for enum");
    let room = &p.room;
    get(&format!("/{room}/messages?status=new")).await.invalid("/status", "Invalid value for enum");
    get(&format!("/{room}/messages?page=1&cursor=x")).await.refused(422, "invalid_params");
    get(&format!("/{room}/context?cursor=%21%21")).await.refused(422, "validation_error");
}

#[tokio::test]
async fn an_idempotency_key_must_be_a_key() {
    let p = Populated::start().await;
    for key in ["", "a b", &"x".repeat(256)] {
        let request = p.site.request(Method::POST, &p.messages()).header("x-api-key", &p.ann.key);
        let body = json!({"message": {"content": "hi", "mentions": [{"id": p.helper.id}]}});
        Answer::of(request.header("idempotency-key", key).json(&body)).await.refused(422, "validation_error");
    }
}
