//! Messages and events: stored, pushed, refused, repeated.

use band_core::platform::Principal;
use band_wire::phx::Topic;
use band_wire::rest::query::{MyMessagesQuery, Paging};
use band_wire::rest::{EventType, MentionInput, SendMessage};
use serde_json::json;

use crate::site::{Site, agent, audience, event, message, payload, titled};

fn timeline() -> MyMessagesQuery {
    MyMessagesQuery { paging: Paging::first(20), types: None, since: None, anchor: None }
}

#[tokio::test]
async fn a_message_is_stored_and_pushed_to_people_and_the_mentioned_agent() {
    let site = Site::new().await;
    let sent = site.say(site.echo, "@echo hello").await;
    assert_eq!(sent.recipients.first().unwrap().handle, "ann/echo");
    let [push] = site.record.take().try_into().unwrap();
    assert_eq!((push.event, push.topic), ("message_created", Topic::ChatRoom(site.room)));
    assert_eq!(audience(&push), Some(vec![agent(site.echo)]));
    let stored = site.app.next_message(site.echo, site.room).await.unwrap().unwrap();
    assert_eq!(stored.id, sent.id);
    assert_eq!(stored.content, format!("@[[{}]] hello", agent(site.echo)));
    let mut pushed = payload(&push);
    let mut stored = serde_json::to_value(stored).unwrap();
    pushed.as_object_mut().unwrap().remove("thread_id");
    assert_eq!(pushed["inserted_at"], stored["inserted_at"]);
    stored["content"].take();
    pushed["content"].take();
    assert_eq!(pushed, stored, "what is pushed is what is read");
}

#[tokio::test]
async fn handles_route_as_ids_do_and_prose_does_not() {
    let site = Site::new().await;
    let by_handle = MentionInput { handle: Some("@Ann/Echo".to_owned()), ..MentionInput::default() };
    let body = SendMessage {
        content: "@ann/mate is not asked".to_owned(),
        mentions: vec![by_handle],
        attachment_ids: Vec::new(),
    };
    let sent = site.app.send_message(site.ann, site.room, body, None).await.unwrap();
    assert_eq!(sent.recipients.len(), 1);
    assert!(site.app.next_message(site.mate, site.room).await.unwrap().is_none());
    let echo = site.app.next_message(site.echo, site.room).await.unwrap().unwrap();
    assert_eq!(echo.content, format!("@[[{}]] @ann/mate is not asked", agent(site.echo)));
}

#[tokio::test]
async fn an_event_goes_to_people_alone_and_keeps_its_metadata() {
    let site = Site::new().await;
    let metadata = json!({"function": {"name": "search", "arguments": "{}"}, "deep": [1, null, {"a": 1.5}]});
    let mut body = event(EventType::ToolCall, "search");
    body.metadata = metadata.as_object().cloned();
    site.app.create_event(site.echo, site.room, body, None).await.unwrap();
    let [push] = site.record.take().try_into().unwrap();
    assert_eq!((push.event, audience(&push)), ("event_created", Some(Vec::new())));
    assert_eq!(payload(&push)["metadata"], metadata);
    let page = site.app.my_messages(site.ann, site.room, timeline()).await.unwrap();
    assert_eq!(serde_json::Value::Object(page.data.first().unwrap().metadata.clone()), metadata);
    assert!(site.app.next_message(site.mate, site.room).await.unwrap().is_none());
}

#[tokio::test]
async fn the_first_message_names_an_unnamed_room() {
    let site = Site::new().await;
    let room = site.app.create_my_chat(site.ann, Default::default(), None).await.unwrap();
    assert_eq!(room.title.as_deref(), Some("New room"));
    site.app
        .add_participant(
            site.ann,
            room.id,
            crate::site::adding(site.echo, band_wire::rest::Role::Member),
            None,
        )
        .await
        .unwrap();
    site.record.take();
    for text in ["book a table", "for two"] {
        site.app.send_message(site.ann, room.id, message(text, &[site.echo]), None).await.unwrap();
    }
    let room = site.app.agent_chat(site.echo, room.id).await.unwrap();
    assert_eq!(room.title.as_deref(), Some("book a table"));
    let names: Vec<_> = site.record.take_names().into_iter().map(|(event, _)| event).collect();
    assert_eq!(names, ["message_created", "room_title_changed", "room_updated", "message_created"]);
}

#[tokio::test]
async fn what_is_refused_stores_and_pushes_nothing() {
    let site = Site::new().await;
    let (app, ann, room) = (&site.app, site.ann, site.room);
    let send = |who: Principal, body: SendMessage| app.send_message(who, room, body, None);
    let named = |mention: MentionInput| SendMessage { mentions: vec![mention], ..message("x", &[]) };
    let kind = MentionInput { kind: Some("cc".to_owned()), ..MentionInput::of(site.echo.participant()) };
    let handle = MentionInput { handle: Some("ann/nobody".to_owned()), ..MentionInput::default() };
    let file = SendMessage {
        attachment_ids: vec!["00000000-0000-0000-0000-000000000001".to_owned()],
        ..message("x", &[site.echo])
    };
    site.refused((422, "validation_error"), send(ann, message(" \u{200b} ", &[site.echo]))).await;
    site.refused((422, "mentions_required"), send(ann, message("x", &[]))).await;
    site.refused((422, "invalid_mention_kind"), send(ann, named(kind))).await;
    site.refused((422, "handle_not_found"), send(ann, named(handle))).await;
    site.refused((422, "mention_missing_identifier"), send(ann, named(MentionInput::default()))).await;
    site.refused((422, "mentioned_participant_not_in_room"), send(ann, message("x", &[site.far]))).await;
    site.refused((422, "cannot_mention_self"), send(ann, message("x", &[ann]))).await;
    site.refused((422, "duplicate_mentions"), send(ann, message("x", &[site.echo, site.echo]))).await;
    site.refused((422, "unknown_attachment"), send(ann, file)).await;
    site.refused((404, "not_found"), send(site.bob, message("x", &[site.echo]))).await;
    site.refused((404, "not_found"), send(site.far, message("x", &[site.echo]))).await;
    let nowhere = band_wire::ChatId::new(uuid::Uuid::from_u128(1));
    let call = app.send_message(ann, nowhere, message("x", &[site.echo]), None);
    site.refused((404, "not_found"), call).await;
}

#[tokio::test]
async fn refused_events_store_nothing() {
    let site = Site::new().await;
    let post = |who, body| site.app.create_event(who, site.room, body, None);
    site.refused((403, "forbidden"), post(site.ann, event(EventType::Thought, "x"))).await;
    site.refused((404, "not_found"), post(site.far, event(EventType::Thought, "x"))).await;
    site.refused((422, "validation_error"), post(site.echo, event(EventType::Thought, " \u{feff}"))).await;
    site.refused((422, "validation_error"), post(site.echo, event(EventType::Attention, "help"))).await;
}

#[tokio::test]
async fn the_owner_of_an_agent_inside_reads_but_does_not_post() {
    let site = Site::new().await;
    let room = site.app.create_agent_chat(site.echo, titled("Backstage"), None).await.unwrap().id;
    assert_eq!(site.app.my_messages(site.ann, room, timeline()).await.unwrap().data.len(), 0);
    let call = site.app.send_message(site.ann, room, message("x", &[site.echo]), None);
    site.refused((404, "not_found"), call).await;
}

#[tokio::test]
async fn a_repeated_key_gets_the_same_answer_and_no_second_message() {
    let site = Site::new().await;
    let send = |key: &str, text: &str| {
        site.app.send_message(site.ann, site.room, message(text, &[site.echo]), Some(key.to_owned()))
    };
    let first = send("k-1", "hello").await.unwrap();
    let counts = site.counts();
    site.record.take();
    assert_eq!(send("k-1", "hello").await.unwrap(), first);
    assert_eq!((site.counts(), site.record.take()), (counts, vec![]));
    assert_ne!(send("k-2", "hello").await.unwrap().id, first.id);
}

#[tokio::test]
async fn a_repeated_key_with_another_message_is_a_conflict_that_names_the_first() {
    let site = Site::new().await;
    let send = |text: &str| {
        site.app.send_message(site.ann, site.room, message(text, &[site.echo]), Some("k".to_owned()))
    };
    let first = send("hello").await.unwrap();
    let refusal = send("good bye").await.unwrap_err().into_refusal();
    assert_eq!((refusal.status, refusal.code), (409, "idempotency_conflict"));
    assert_eq!(refusal.details.unwrap().into_map()["id"], [first.id.to_string()]);
}

#[tokio::test]
async fn a_repeated_key_whose_answer_can_not_be_read_is_a_conflict_and_no_second_message() {
    let site = Site::new().await;
    let send =
        || site.app.send_message(site.ann, site.room, message("hello", &[site.echo]), Some("k".to_owned()));
    let first = send().await.unwrap();
    site.record.take();
    let raw = rusqlite::Connection::open(site.dir.database()).unwrap();
    for answer in ["", "{}", "[1"] {
        raw.execute("UPDATE idempotency_keys SET answer = ?1", [answer]).unwrap();
        let counts = site.counts();
        let refusal = send().await.unwrap_err().into_refusal();
        assert_eq!((refusal.status, refusal.code), (409, "idempotency_conflict"), "{answer}");
        assert_eq!(refusal.details.unwrap().into_map()["id"], [first.id.to_string()]);
        assert_eq!((site.counts(), site.record.take()), (counts, vec![]));
    }
}

#[tokio::test]
async fn a_key_belongs_to_one_caller_one_room_and_one_kind() {
    let site = Site::new().await;
    let key = || Some("k".to_owned());
    let other = site.app.create_my_chat(site.ann, titled("Other"), None).await.unwrap().id;
    let add = crate::site::adding(site.echo, band_wire::rest::Role::Member);
    site.app.add_participant(site.ann, other, add, None).await.unwrap();
    let send = |who, room, to| site.app.send_message(who, room, message("x", &[to]), key());
    let mut ids = vec![
        send(site.ann, site.room, site.echo).await.unwrap().id,
        send(site.ann, other, site.echo).await.unwrap().id,
        send(site.echo, site.room, site.ann).await.unwrap().id,
    ];
    let thought = event(EventType::Thought, "x");
    ids.push(site.app.create_event(site.echo, site.room, thought, key()).await.unwrap().id);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 4);
}

#[tokio::test]
async fn a_refused_message_leaves_its_key_free_and_bad_keys_are_refused() {
    let site = Site::new().await;
    let send = |text: &str, key: &str| {
        site.app.send_message(site.ann, site.room, message(text, &[site.echo]), Some(key.to_owned()))
    };
    site.refused((422, "validation_error"), send(" ", "k")).await;
    send("hello", "k").await.unwrap();
    for key in ["", "a b", "ä", &"x".repeat(256)] {
        site.refused((422, "validation_error"), send("hello", key)).await;
    }
}
