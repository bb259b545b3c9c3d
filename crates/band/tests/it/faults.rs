//! What a platform and a network do at their worst.

use band::SessionConfig;
use band::config::Env;

use crate::platform::Platform;
use crate::scene::{start, start_with};

#[tokio::test]
async fn working_reports_that_hang_hold_up_neither_the_answer_nor_the_mark() {
    let platform = Platform::start(&[1]).await;
    let _gate = platform.hold("activity true");
    let (running, _) = start(&platform).await;
    let id = platform.say(1, "hi").await;
    platform.stands(1, id, "processed").await;
    assert_eq!(platform.texts(), ["re: hi"]);
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn a_mark_that_is_refused_is_repeated_alone_and_the_next_message_does_not_wait() {
    let platform = Platform::start(&[1]).await;
    platform.refuse("processed", 403);
    let (running, book) = start(&platform).await;
    let first = platform.say(1, "one").await;
    let second = platform.say(1, "two").await;
    platform.stands(1, first, "processed").await;
    platform.stands(1, second, "processed").await;
    let turns = book.notes().iter().filter(|note| note.starts_with("turn one")).count();
    assert_eq!(turns, 1);
    assert_eq!(platform.texts(), ["re: one", "re: two"]);
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn a_push_that_comes_twice_is_handled_once() {
    let platform = Platform::start(&[1]).await;
    let (running, _) = start(&platform).await;
    let id = platform.say(1, "hi").await;
    platform.push_again(1, id).await;
    platform.stands(1, id, "processed").await;
    platform.push_again(1, id).await;
    let last = platform.say(1, "bye").await;
    platform.stands(1, last, "processed").await;
    assert_eq!(platform.texts(), ["re: hi", "re: bye"]);
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn what_was_said_while_the_connection_was_away_comes_before_what_is_pushed_after_it() {
    let platform = Platform::start(&[1]).await;
    let (running, _) = start(&platform).await;
    let id = platform.say(1, "before").await;
    platform.stands(1, id, "processed").await;
    let gate = platform.hold("next");
    platform.drop_socket().await;
    platform.store(1, "missed");
    platform.saw("next", 2).await;
    let last = platform.say(1, "after").await;
    gate.notify_one();
    platform.stands(1, last, "processed").await;
    assert_eq!(platform.texts(), ["re: before", "re: missed", "re: after"]);
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn a_push_that_was_lost_is_found_when_the_room_is_idle() {
    let platform = Platform::start(&[1]).await;
    let quick = std::time::Duration::from_millis(200);
    let session = SessionConfig::builder().idle_resync(quick).build_with(&Env::default()).unwrap();
    let (running, _) = start_with(&platform, session).await;
    platform.saw("next", 1).await;
    let id = platform.store(1, "lost");
    platform.stands(1, id, "processed").await;
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn a_message_that_failed_for_good_does_not_hide_what_is_behind_it() {
    let platform = Platform::start(&[1]).await;
    let failing = platform.store(1, "error");
    let behind = platform.store(1, "behind");
    let (running, _) = start(&platform).await;
    platform.stands(1, behind, "processed").await;
    assert_eq!(platform.status(1, failing), Some("failed"));
    assert_eq!(platform.texts(), ["re: behind"]);
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn a_lookup_that_fails_is_repeated_and_does_not_make_the_room_deaf() {
    let platform = Platform::start(&[1]).await;
    for _ in 0..4 {
        platform.refuse("next", 404);
    }
    let (running, _) = start(&platform).await;
    let id = platform.say(1, "hi").await;
    platform.stands(1, id, "processed").await;
    running.stop(None).await.unwrap();
}
