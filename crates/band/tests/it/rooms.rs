//! Messages, rooms, and what comes of them.

use band::SessionConfig;
use serde_json::json;

use crate::platform::{Platform, ada, room};
use crate::scene::{PATIENCE, start, start_with};

#[tokio::test]
async fn a_mention_is_answered_and_marked_and_its_sends_carry_keys() {
    let platform = Platform::start(&[1]).await;
    let (running, _) = start(&platform).await;
    let id = platform.say(1, "twice").await;
    platform.stands(1, id, "processed").await;
    let keys: Vec<String> = platform.sent().into_iter().map(|(key, _)| key.unwrap()).collect();
    assert_eq!(keys, [format!("{id}-0"), format!("{id}-1")]);
    let (_, body) = &platform.sent()[0];
    assert_eq!(body["message"]["mentions"], json!([{ "id": ada(), "handle": "ada" }]));
    platform.saw("activity false", 1).await;
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn the_backlog_is_handled_in_order_and_the_first_message_gets_its_past() {
    let platform = Platform::start(&[1]).await;
    let first = platform.store(1, "one");
    let second = platform.store(1, "two");
    let (running, book) = start(&platform).await;
    platform.stands(1, second, "processed").await;
    assert_eq!(platform.status(1, first), Some("processed"));
    assert_eq!(
        book.notes()[1..],
        ["turn one, past [], first true", "turn two, past [], first false"],
        "what follows the first message is no past of it"
    );
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn the_newest_entries_before_the_message_are_its_past_whatever_the_platform_can_sort() {
    for sorts in [true, false] {
        let platform = Platform::start(&[1]).await;
        for n in 1..=7 {
            let id = platform.store(1, &format!("old {n}"));
            platform.settle(1, id);
        }
        let id = platform.store(1, "now");
        if !sorts {
            platform.refuse("context", 422);
        }
        let session =
            SessionConfig::builder().max_context_messages(3).build_with(&band::config::Env::default());
        let (running, book) = start_with(&platform, session.unwrap()).await;
        platform.stands(1, id, "processed").await;
        assert_eq!(book.notes()[1], "turn now, past [\"old 5\", \"old 6\", \"old 7\"], first true");
        running.stop(None).await.unwrap();
    }
}

#[tokio::test]
async fn a_push_that_does_not_say_where_it_stands_costs_one_request_at_most() {
    for cache in ["off", "on"] {
        let platform = Platform::start(&[1]).await;
        for n in 1..=9 {
            let id = platform.store(1, &format!("old {n}"));
            platform.settle(1, id);
        }
        let env: band::config::Env = [("BAND_ENABLE_CONTEXT_CACHE", cache)].into_iter().collect();
        let (running, _) = start_with(&platform, SessionConfig::from(&env).unwrap()).await;
        // From here on nothing is served, all is pushed.
        platform.saw("next", 1).await;
        let mut asked = Vec::new();
        for text in ["one", "two", "three"] {
            let before = platform.count("context");
            let id = platform.store(1, text);
            platform.change(1, id, "metadata", json!({ "mentions": [{ "id": crate::platform::agent() }] }));
            platform.push_again(1, id).await;
            platform.stands(1, id, "processed").await;
            asked.push(platform.count("context") - before);
        }
        // The first turn has the room's past: pages of two.
        assert!(asked[0] > 1, "{asked:?}");
        match cache {
            "off" => assert!(asked[1] <= 1 && asked[2] <= 1, "{asked:?}"),
            _ => assert!(asked[1] + asked[2] <= 1, "{asked:?}"),
        }
        running.stop(None).await.unwrap();
    }
}

#[tokio::test]
async fn silence_errors_and_panics_fail_the_message_and_the_room_hears_no_cause() {
    let platform = Platform::start(&[1]).await;
    let (running, _) = start(&platform).await;
    for text in ["silence", "error", "panic"] {
        let id = platform.say(1, text).await;
        platform.stands(1, id, "failed").await;
    }
    platform.saw("events", 3).await;
    let told: Vec<String> = platform
        .events()
        .iter()
        .map(|event| event["event"]["content"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        told,
        [
            "The agent ended its turn without replying or calling band_no_reply, so nothing reached the room.",
            "Internal error while processing message; see agent logs.",
            "Internal error while processing message; see agent logs.",
        ]
    );
    assert_eq!(platform.events()[1]["event"]["metadata"]["failure"]["provider"], "band-runtime");
    let id = platform.say(1, "still here?").await;
    platform.stands(1, id, "processed").await;
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn rooms_come_and_go_while_the_agent_runs() {
    let platform = Platform::start(&[1]).await;
    let (running, book) = start(&platform).await;
    platform.add_room(2).await;
    platform.saw("next", 2).await;
    let id = platform.say(2, "hi").await;
    platform.stands(2, id, "processed").await;
    assert_eq!(running.rooms(), [room(1), room(2)]);
    platform.remove_room(1).await;
    book.saw(&format!("cleanup {}", room(1))).await;
    platform.saw("phx_leave", 2).await;
    assert_eq!(running.rooms(), [room(2)]);
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn a_room_that_could_not_be_forgotten_when_it_was_left_is_forgotten_at_the_stop() {
    let platform = Platform::start(&[1]).await;
    let (running, book) = start(&platform).await;
    book.failing.lock().unwrap().push("on_cleanup");
    platform.remove_room(1).await;
    let cleanup = format!("cleanup {}", room(1));
    book.saw(&cleanup).await;
    running.stop(None).await.unwrap();
    assert_eq!(book.notes()[1..], [cleanup.clone(), cleanup, "cleanup all".to_owned()]);
}

#[tokio::test]
async fn a_slow_room_holds_up_no_other() {
    let platform = Platform::start(&[1, 2]).await;
    let (running, book) = start(&platform).await;
    platform.say(1, "wait").await;
    book.saw("turn wait, past [], first true").await;
    let quick = platform.say(2, "quick").await;
    platform.stands(2, quick, "processed").await;
    book.gate.notify_one();
    assert!(running.stop(Some(PATIENCE)).await.unwrap().graceful);
}
