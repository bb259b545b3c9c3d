//! The order of calls in whole scenes, beside that of the Python SDK 6.0.1. Where it differs on purpose, the
//! line before says how.

use crate::control::steer;
use crate::platform::{Platform, room};
use crate::scene::{start, start_with};

/// What was asked so far, from here on.
fn since(platform: &Platform, from: usize) -> Vec<String> {
    platform.log().into_iter().skip(from).collect()
}

/// The calls in which the order of a turn shows: reports of activity run beside it.
fn turn(platform: &Platform, from: usize) -> Vec<String> {
    let calls = since(platform, from);
    calls.into_iter().filter(|name| !name.starts_with("activity")).collect()
}

/// Theirs: next, processing, participants, context, activity true, on_message, activity false, processed, next,
/// next. Ours asks for claim, participants and past at once, reports activity beside the turn, and does not look
/// twice at a room that is empty.
#[tokio::test]
async fn a_backlog_message() {
    let platform = Platform::start(&[1]).await;
    let id = platform.store(1, "hi");
    let (running, _) = start(&platform).await;
    platform.stands(1, id, "processed").await;
    platform.saw("next", 2).await;
    let calls = since(&platform, 0);
    let calls: Vec<String> = calls.into_iter().skip_while(|name| name != "next").collect();
    let at = |name: &str| calls.iter().position(|call| call == name).unwrap();
    assert_eq!(calls[0], "next");
    for prepared in ["participants", "context", "processing"] {
        assert!(at(prepared) < at("activity true"), "{calls:?}");
    }
    assert!(at("activity true") < at("activity false"));
    assert!(at("send") < at("processed") && at("processed") < calls.len() - 1, "{calls:?}");
    assert_eq!(platform.count("next"), 2, "{calls:?}");
    running.stop(None).await.unwrap();
}

/// Theirs: participants, context, processing, activity true, on_message, activity false, processed. Ours too, with
/// the reports beside the turn.
#[tokio::test]
async fn a_first_pushed_message() {
    let platform = Platform::start(&[1]).await;
    let (running, _) = start(&platform).await;
    platform.saw("next", 1).await;
    let from = platform.log().len();
    let id = platform.say(1, "hi").await;
    platform.stands(1, id, "processed").await;
    let mut calls = turn(&platform, from);
    calls[..2].sort_unstable();
    assert_eq!(calls, ["context", "participants", "processing", "send", "processed"]);
    running.stop(None).await.unwrap();
}

/// Theirs: on_message, activity false, failed, error event, next (the same), next (the same). Ours does not look
/// again at once for what it gave up.
#[tokio::test]
async fn a_failed_message_on_its_last_attempt() {
    let platform = Platform::start(&[1]).await;
    let (running, _) = start(&platform).await;
    platform.saw("next", 1).await;
    let from = platform.log().len();
    let id = platform.say(1, "error").await;
    platform.stands(1, id, "failed").await;
    platform.saw("events", 1).await;
    let mut calls = turn(&platform, from).split_off(2);
    calls[1..].sort_unstable();
    assert_eq!(calls, ["processing", "events", "failed"]);
    running.stop(None).await.unwrap();
}

/// Theirs: on_message, error event, activity false, failed. Ours too, with the two side by side.
#[tokio::test]
async fn a_silent_turn() {
    let platform = Platform::start(&[1]).await;
    let (running, _) = start(&platform).await;
    platform.saw("next", 1).await;
    let from = platform.log().len();
    let id = platform.say(1, "silence").await;
    platform.stands(1, id, "failed").await;
    platform.saw("events", 1).await;
    let mut calls = turn(&platform, from).split_off(3);
    calls.sort_unstable();
    assert_eq!(calls, ["events", "failed"]);
    assert_eq!(platform.events().len(), 1);
    running.stop(None).await.unwrap();
}

/// Theirs: on_interrupt, handler cancelled, activity false, processed, next. Ours needs no next: nothing was missed.
#[tokio::test]
async fn an_interrupted_turn() {
    let platform = Platform::start(&[1]).await;
    let (running, book) = start(&platform).await;
    platform.saw("next", 1).await;
    let id = platform.say(1, "wait").await;
    book.saw("turn wait, past [], first true").await;
    let from = platform.log().len();
    steer(&platform, "interrupt", "c1").await;
    platform.stands(1, id, "processed").await;
    let notes = book.notes();
    assert_eq!(notes[notes.len() - 2..], ["Interrupt", "cancelled"]);
    assert_eq!(turn(&platform, from), ["processed"]);
    running.stop(None).await.unwrap();
}

/// Theirs and ours: on_interrupt, cancelled, activity false; after play: next, processing, activity true, on_message
/// (no bootstrap), activity false, processed.
#[tokio::test]
async fn a_stop_and_a_play() {
    let platform = Platform::start(&[1]).await;
    let (running, book) = start(&platform).await;
    platform.saw("next", 1).await;
    let id = platform.say(1, "wait").await;
    book.saw("turn wait, past [], first true").await;
    let from = platform.log().len();
    steer(&platform, "stop", "c1").await;
    book.saw("cancelled").await;
    steer(&platform, "play", "c2").await;
    book.saw("turn wait, past [], first false").await;
    book.gate.notify_one();
    platform.stands(1, id, "processed").await;
    assert_eq!(turn(&platform, from)[..4], ["next", "processing", "send", "processed"]);
    running.stop(None).await.unwrap();
}

/// Theirs: processed (refused), next (the same), processed (refused), then done with locally. Ours repeats the mark
/// alone until it holds, and looks at nothing in between.
#[tokio::test]
async fn a_refused_mark() {
    let platform = Platform::start(&[1]).await;
    let (running, book) = start(&platform).await;
    platform.saw("next", 1).await;
    let from = platform.log().len();
    platform.refuse("processed", 403);
    platform.refuse("processed", 403);
    let id = platform.say(1, "hi").await;
    platform.stands(1, id, "processed").await;
    let calls = turn(&platform, from).split_off(3);
    assert_eq!(calls, ["send", "processed", "processed", "processed"]);
    assert_eq!(book.notes().iter().filter(|note| note.starts_with("turn hi")).count(), 1);
    running.stop(None).await.unwrap();
}

/// Theirs and ours: channels left, handler cancelled, activity false, on_cleanup; the message is handled again after
/// the next join, as a first one.
#[tokio::test]
async fn a_room_that_is_left_in_the_middle_of_a_turn() {
    let platform = Platform::start(&[1]).await;
    let (running, book) = start(&platform).await;
    let id = platform.say(1, "wait").await;
    book.saw("turn wait, past [], first true").await;
    let from = platform.log().len();
    platform.tell_membership("room_removed", 1).await;
    book.saw(&format!("cleanup {}", room(1))).await;
    let notes = book.notes();
    assert_eq!(notes[notes.len() - 2], "cancelled");
    let marks = turn(&platform, from).into_iter().filter(|name| !name.starts_with("phx_leave")).count();
    assert_eq!(marks, 0, "the message stays as it is");
    assert_eq!(platform.status(1, id), Some("processing"));
    platform.tell_membership("room_added", 1).await;
    book.gate.notify_one();
    platform.stands(1, id, "processed").await;
    let firsts =
        book.notes().iter().filter(|note| note.starts_with("turn wait") && note.ends_with("true")).count();
    assert_eq!(firsts, 2);
    running.stop(None).await.unwrap();
}

/// Theirs: list of chats, leave those gone, join the new ones, then next of the survivors. Ours too; the survivors
/// look for what they missed as soon as they are joined.
#[tokio::test]
async fn a_reconnect() {
    let platform = Platform::start(&[1, 2]).await;
    let mut session = band::SessionConfig::default();
    session.idle_resync_seconds = 3_600.0;
    let (running, _) = start_with(&platform, session).await;
    platform.saw("next", 2).await;
    let from = platform.log().len();
    platform.drop_socket().await;
    platform.saw("chats", 2).await;
    platform.saw("next", 4).await;
    let calls = since(&platform, from);
    assert_eq!(calls.iter().filter(|name| *name == "next").count(), 2, "{calls:?}");
    assert_eq!(calls.iter().filter(|name| *name == "chats").count(), 1, "{calls:?}");
    running.stop(None).await.unwrap();
}
