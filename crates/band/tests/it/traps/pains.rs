//! What others reported about their SDKs, by the numbers of the list.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use band::config::Env;
use band::{Role, SessionConfig, Turn, adapter_fn};
use serde_json::{Value, json};

use super::Warnings;
use crate::platform::{Fault, Platform, agent, room};
use crate::scene::{Book, PATIENCE, builder_of, start, start_with};

#[tokio::test]
async fn pain_a04_five_messages_that_wait_are_claimed_before_they_are_marked_and_all_are_handled() {
    let platform = Platform::start(&[1]).await;
    let ids: Vec<_> = (0..5).map(|n| platform.store(1, &n.to_string())).collect();
    // Somebody else has ended the attempt at the first one.
    let refused = json!({ "error": {
        "code": "validation_error", "message": "no", "request_id": "r",
        "details": { "/processing_attempt": ["no live attempt"] },
    } });
    platform.fault("processed", Fault::Answer(422, refused));
    let (running, _) = start(&platform).await;
    platform.stands(1, ids[4], "processed").await;
    assert_eq!(platform.texts(), ["re: 0", "re: 1", "re: 2", "re: 3", "re: 4"]);
    let log = platform.log();
    let marks: Vec<&str> =
        log.iter().map(String::as_str).filter(|name| ["processing", "processed"].contains(name)).collect();
    assert_eq!(marks[0], "processing");
    assert!(marks.iter().filter(|mark| **mark == "processing").count() >= 5, "{marks:?}");
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn pain_a10_a_platform_that_does_not_know_next_still_gets_its_pushes_handled_and_that_is_said_once() {
    let platform = Platform::start(&[1]).await;
    let warnings = Warnings::default();
    let guard = warnings.listen();
    platform.refuse("next", 404);
    let (running, _) = start(&platform).await;
    for text in ["one", "two"] {
        let id = platform.say(1, text).await;
        platform.stands(1, id, "processed").await;
    }
    running.stop(None).await.unwrap();
    drop(guard);
    assert_eq!(warnings.lines("serves no missed messages").len(), 1, "{:?}", warnings.lines(""));
}

#[tokio::test]
async fn pain_a19_the_agents_own_answers_are_in_its_past_as_its_own_and_only_what_is_new_is_answered() {
    let platform = Platform::start(&[1]).await;
    for n in 1..=3 {
        let question = platform.store(1, &format!("question {n}"));
        platform.settle(1, question);
        let answer = platform.store(1, &format!("answer {n}"));
        platform.change(1, answer, "sender_type", json!("Agent"));
        platform.change(1, answer, "sender_id", json!(agent()));
        platform.settle(1, answer);
    }
    let id = platform.store(1, "question 4");
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let noted = Arc::clone(&seen);
    let adapter = adapter_fn(move |turn: Turn| {
        let own = turn.history.items.iter().filter(|item| item.is_own && item.role == Role::Assistant);
        noted.lock().unwrap().extend(own.map(|item| item.content.clone()));
        async move { turn.reply("answer 4").await }
    });
    let running = builder_of(&platform, adapter).build().unwrap().start().await.unwrap();
    platform.stands(1, id, "processed").await;
    assert_eq!(platform.texts(), ["answer 4"]);
    assert_eq!(*seen.lock().unwrap(), ["answer 1", "answer 2", "answer 3"]);
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn pain_a31_an_ordinary_stop_warns_of_nothing() {
    let platform = Platform::start(&[1, 2]).await;
    let warnings = Warnings::default();
    let guard = warnings.listen();
    let (running, _) = start(&platform).await;
    let id = platform.say(1, "hi").await;
    platform.stands(1, id, "processed").await;
    platform.remove_room(2).await;
    running.stop(Some(PATIENCE)).await.unwrap();
    drop(guard);
    assert_eq!(warnings.lines(""), Vec::<String>::new());
}

#[tokio::test]
async fn pain_a72_working_reports_that_fail_again_and_again_are_warned_of_once() {
    let platform = Platform::start(&[1]).await;
    let warnings = Warnings::default();
    let guard = warnings.listen();
    for _ in 0..10 {
        platform.refuse("activity", 503);
    }
    let (running, _) = start(&platform).await;
    for n in 1..=5 {
        let id = platform.say(1, &n.to_string()).await;
        platform.stands(1, id, "processed").await;
        platform.saw("activity", 2 * n).await;
    }
    running.stop(Some(PATIENCE)).await.unwrap();
    drop(guard);
    assert_eq!(warnings.lines("working reports fail").len(), 1, "{:?}", warnings.lines(""));
}

#[tokio::test]
async fn pain_a72_a_working_report_that_finds_the_agent_out_of_its_room_is_nothing_to_warn_of() {
    let platform = Platform::start(&[1]).await;
    let warnings = Warnings::default();
    let guard = warnings.listen();
    let gone =
        json!({ "error": { "code": "not_found", "message": "No active execution", "request_id": "r" } });
    for _ in 0..4 {
        platform.fault("activity", Fault::Answer(404, gone.clone()));
    }
    let (running, _) = start(&platform).await;
    for n in 1..=2 {
        let id = platform.say(1, &n.to_string()).await;
        platform.stands(1, id, "processed").await;
        platform.saw("activity", 2 * n).await;
    }
    running.stop(Some(PATIENCE)).await.unwrap();
    drop(guard);
    assert_eq!(warnings.lines(""), Vec::<String>::new());
}

#[tokio::test]
async fn pain_b01_of_a_hundred_messages_of_which_each_tenth_is_not_pushed_all_are_handled_once() {
    let platform = Platform::start(&[1]).await;
    let quick = Duration::from_millis(100);
    let session = SessionConfig::builder().idle_resync(quick).build_with(&Env::default()).unwrap();
    let (running, _) = start_with(&platform, session).await;
    for n in 0..100 {
        let text = n.to_string();
        let id = if n % 10 == 9 { platform.store(1, &text) } else { platform.say(1, &text).await };
        platform.stands(1, id, "processed").await;
    }
    let mut texts = platform.texts();
    texts.sort();
    texts.dedup();
    assert_eq!((texts.len(), platform.texts().len()), (100, 100));
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn pain_b09_a_message_that_is_pushed_and_served_again_while_its_turn_runs_is_handled_once() {
    let platform = Platform::start(&[1]).await;
    let quick = Duration::from_millis(50);
    let session = SessionConfig::builder().idle_resync(quick).build_with(&Env::default()).unwrap();
    let (running, book) = start_with(&platform, session).await;
    let id = platform.say(1, "wait").await;
    book.saw("turn wait, past [], first true").await;
    for _ in 0..3 {
        platform.push_again(1, id).await;
    }
    // Another room shows that the pushes have been taken in.
    platform.add_room(2).await;
    let other = platform.say(2, "other").await;
    platform.stands(2, other, "processed").await;
    book.gate.notify_one();
    platform.stands(1, id, "processed").await;
    let last = platform.say(1, "last").await;
    platform.stands(1, last, "processed").await;
    assert_eq!(book.notes().iter().filter(|note| note.starts_with("turn wait")).count(), 1);
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn pain_b31_turns_and_callbacks_may_ask_for_everything_that_their_callers_hold() {
    let platform = Platform::start(&[1]).await;
    let adapter = adapter_fn(|turn: Turn| async move {
        let before = turn.tools.participants().len();
        let listed = turn.tools.get_participants().await?.len();
        let after = turn.tools.participants().len();
        turn.reply(format!("{before} {listed} {after} {}", turn.tools.is_complete())).await
    });
    let agent = builder_of(&platform, adapter)
        .on_participant_added(|_, who| async move { who.name.map(drop).ok_or("no name") })
        .build()
        .unwrap();
    let running = agent.start().await.unwrap();
    let grace =
        json!({ "id": uuid::Uuid::from_u128(0xc), "type": "User", "name": "Grace", "handle": "grace" });
    platform.push(&format!("room_participants:{}", room(1)), "participant_added", grace).await;
    let id = platform.say(1, "count").await;
    platform.stands(1, id, "processed").await;
    let texts = platform.texts();
    assert!(texts[0].ends_with("2 2 false"), "{texts:?}");
    assert_eq!(running.rooms(), [room(1)]);
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn pain_b58_a_panic_in_one_room_costs_that_message_and_no_other_room() {
    let platform = Platform::start(&[1, 2]).await;
    let (running, book) = start(&platform).await;
    platform.say(2, "wait").await;
    book.saw("turn wait, past [], first true").await;
    let broken = platform.say(1, "panic").await;
    platform.stands(1, broken, "failed").await;
    book.gate.notify_one();
    for n in [1, 2] {
        let id = platform.say(n, &format!("still {n}")).await;
        platform.stands(n, id, "processed").await;
    }
    let mut texts = platform.texts();
    texts.sort();
    assert_eq!(texts, ["re: still 1", "re: still 2", "re: wait"]);
    assert_eq!(book.notes().iter().filter(|note| note.starts_with("turn panic")).count(), 1);
    running.stop(None).await.unwrap();
}

/// Notes that it is gone.
struct Gone(Arc<Book>);

impl Drop for Gone {
    fn drop(&mut self) {
        self.0.note("gone".to_owned());
    }
}

#[tokio::test]
async fn pain_b21_the_last_handle_that_is_dropped_ends_the_turn_though_the_agent_could_start_again() {
    let platform = Platform::start(&[1]).await;
    let book = Arc::new(Book::default());
    let noted = Arc::clone(&book);
    let adapter = adapter_fn(move |turn: Turn| {
        let gone = Gone(Arc::clone(&noted));
        noted.note("turn".to_owned());
        async move {
            std::future::pending::<()>().await;
            drop(gone);
            turn.reply("never").await
        }
    });
    let agent = builder_of(&platform, adapter).build().unwrap();
    let running = agent.start().await.unwrap();
    platform.say(1, "hi").await;
    book.saw("turn").await;
    drop(running);
    book.saw("gone").await;
    agent.start().await.unwrap().stop(None).await.unwrap();
}

#[tokio::test]
async fn pain_b24_a_push_that_can_not_be_answered_is_still_handled() {
    let platform = Platform::start(&[1]).await;
    let (running, book) = start(&platform).await;
    let id = platform.say(1, "hi").await;
    book.saw("turn hi, past [], first true").await;
    platform.drop_socket().await;
    platform.stands(1, id, "processed").await;
    let later = platform.store(1, "later");
    platform.stands(1, later, "processed").await;
    assert_eq!(platform.texts(), ["re: hi", "re: later"]);
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn pain_a46_an_empty_answer_is_a_value_and_a_body_has_no_nulls() {
    let platform = Platform::start(&[1]).await;
    let (running, _) = start(&platform).await;
    let id = platform.say(1, "error").await;
    platform.stands(1, id, "failed").await;
    let last = platform.say(1, "hi").await;
    platform.stands(1, last, "processed").await;
    platform.saw("events", 1).await;
    for body in platform.sent().into_iter().map(|(_, body)| body) {
        assert!(!has_null(&body), "{body}");
    }
    running.stop(None).await.unwrap();
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(fields) => fields.values().any(has_null),
        _ => false,
    }
}
