//! Heartbeats, dead sockets, malformed frames.

use super::*;
use crate::link::Disconnect;

fn reason(desk: &mut Desk) -> Disconnect {
    let events = desk.events();
    match events.as_slice() {
        [LinkEvent::Disconnected { reason, .. }] => reason.clone(),
        _ => panic!("{events:?}"),
    }
}

#[test]
fn heartbeats_keep_a_quiet_socket_open() {
    let mut desk = Desk::connected();
    for _ in 0..100 {
        desk.pass_secs(30);
        let beat = desk.sent().remove(0);
        assert_eq!((beat.event.as_str(), beat.topic.as_str()), ("heartbeat", "phoenix"));
        desk.reply_ok(&beat);
    }
    assert_eq!(desk.attempts.len(), 1);
}

#[test]
fn a_silent_socket_is_dropped_ten_seconds_after_a_heartbeat() {
    let mut desk = Desk::connected();
    desk.pass(Duration::from_millis(39_999));
    assert_eq!(desk.closes, []);
    desk.pass(Duration::from_millis(1));
    assert_eq!(desk.closes, [(4000, "Heartbeat dead-threshold exceeded")]);
    assert_eq!(reason(&mut desk), Disconnect::Dead);
    assert_eq!(desk.attempts.len(), 2, "and another one is opened at once");
}

#[test]
fn a_socket_that_pushes_but_answers_no_heartbeat_is_dropped_after_a_minute() {
    let mut desk = Desk::in_room();
    for _ in 0..59 {
        desk.pass_secs(1);
        desk.input(Input::Received(desk.generation, Received::Alive));
    }
    assert_eq!(desk.closes, []);
    desk.pass_secs(1);
    assert_eq!(desk.closes, [(4000, "Heartbeat dead-threshold exceeded")]);
}

#[test]
fn a_join_that_is_not_answered_brings_the_heartbeat_forward() {
    let mut desk = Desk::connected();
    desk.pass_secs(5);
    desk.input(Input::JoinRoom(room(1)));
    desk.sent();
    desk.pass_secs(4);
    assert_eq!(desk.sent_words(), ["heartbeat phoenix"]);
    desk.pass_secs(10);
    assert_eq!(desk.closes, [(4000, "Heartbeat dead-threshold exceeded")], "14 s instead of 40 or more");
}

#[test]
fn a_malformed_frame_is_skipped_and_counted() {
    let mut desk = Desk::in_room();
    for text in
        ["not json", "{}", "[]", r#"["1","1","t"]"#, r#"["1","1","","e",{}]"#, r#"[{},"1","t","e",{}]"#]
    {
        desk.text(text);
    }
    desk.input(Input::Received(desk.generation, Received::Binary(vec![0, 159, 146, 150])));
    assert_eq!(desk.link.counters().malformed_frames, 7);
    assert_eq!(desk.closes, []);
    desk.push(Some(3), &format!("chat_room:{}", room(1)), "message_created", &message(9));
    assert_eq!(desk.events().len(), 1);
}

#[test]
fn ten_malformed_frames_in_a_row_cost_the_socket() {
    let mut desk = Desk::connected();
    for _ in 0..9 {
        desk.text("x");
    }
    desk.text(r#"[null,null,"phoenix","hello",{}]"#);
    for _ in 0..9 {
        desk.text("x");
    }
    assert_eq!(desk.closes, []);
    desk.text("x");
    assert_eq!(desk.closes, [(1002, "malformed frames")]);
    assert_eq!(reason(&mut desk), Disconnect::Malformed);
}

#[test]
fn a_binary_message_that_holds_a_frame_is_read() {
    let mut desk = Desk::in_room();
    let text = Frame::encode_push(
        None,
        &format!("chat_room:{}", room(1)),
        "message_created",
        &message(9).to_string(),
    );
    desk.input(Input::Received(desk.generation, Received::Binary(text.into_bytes())));
    assert_eq!(desk.events().len(), 1);
}

#[test]
fn what_an_old_socket_still_says_has_no_effect() {
    let mut desk = Desk::in_room();
    let old = desk.generation;
    desk.gone(1006);
    desk.pass_secs(1);
    desk.input(Input::Opened(desk.generation));
    desk.answer_all();
    desk.events();
    let push = Frame::encode_push(
        None,
        &format!("chat_room:{}", room(1)),
        "message_created",
        &message(9).to_string(),
    );
    desk.input(Input::Received(old, Received::Text(push)));
    desk.input(Input::Gone(old, Gone::Broken(String::new())));
    desk.input(Input::OpenFailed(old, Failure::Unreachable(String::new())));
    assert_eq!(desk.events(), []);
    assert!(desk.link.is_subscribed(room(1)));
}

#[test]
fn an_owner_that_does_not_keep_up_is_told_to_resync_once() {
    let mut desk = Desk::in_room();
    for number in 0..1_500 {
        desk.push(Some(3), &format!("chat_room:{}", room(1)), "message_created", &message(number));
    }
    let events = desk.events();
    assert_eq!(events.len(), 1_001);
    assert_eq!(events.last(), Some(&LinkEvent::Overflow { room: room(1) }));
    assert_eq!(desk.link.counters().dropped_events, 500);
}
