//! How a link ends.

use super::*;
use crate::link::Disconnect;

#[test]
fn a_graceful_close_leaves_control_then_closes_with_1000_then_ends() {
    let mut desk = Desk::in_room();
    desk.input(Input::Close);
    let leave = desk.sent().remove(0);
    assert_eq!((leave.event.as_str(), leave.topic.as_str()), ("phx_leave", control_topic().as_str()));
    assert_eq!(desk.closes, []);
    desk.reply_ok(&leave);
    assert_eq!(desk.closes, [(1000, "")]);
    assert_eq!(desk.ended(), None);
    desk.gone(1000);
    assert_eq!(desk.ended(), Some(StopReason::Requested));
    assert_eq!(desk.events(), [LinkEvent::Ended(StopReason::Requested)]);
    assert_eq!(desk.link.deadline(), None);
}

#[test]
fn a_graceful_close_takes_seven_seconds_when_nobody_answers() {
    let mut desk = Desk::connected();
    desk.input(Input::Close);
    desk.pass_secs(5);
    assert_eq!(desk.closes, [(1000, "")]);
    desk.pass_secs(2);
    assert_eq!(desk.ended(), Some(StopReason::Requested));
}

#[test]
fn a_close_before_or_between_connections_ends_at_once() {
    let mut fresh = Desk::new(&OPTIONS);
    fresh.input(Input::Close);
    assert_eq!(fresh.ended(), Some(StopReason::Requested));

    let mut opening = Desk::new(&OPTIONS);
    opening.input(Input::Start);
    opening.input(Input::Close);
    assert_eq!(opening.ended(), Some(StopReason::Requested));
    assert_eq!(opening.closes.len(), 1, "the attempt is given up");

    let mut waiting = Desk::connected();
    waiting.gone(1006);
    waiting.input(Input::Close);
    assert_eq!(waiting.ended(), Some(StopReason::Requested));
}

#[test]
fn a_socket_that_is_lost_while_leaving_ends_the_link_as_asked() {
    let mut desk = Desk::connected();
    desk.input(Input::Close);
    desk.gone(1006);
    assert_eq!(desk.ended(), Some(StopReason::Requested));
}

#[test]
fn nothing_is_told_or_sent_after_the_end() {
    let mut desk = Desk::connected();
    desk.input(Input::Close);
    desk.answer_all();
    desk.gone(1000);
    desk.events();
    for input in [
        Input::Start,
        Input::JoinRoom(room(1)),
        Input::LeaveRoom(room(1)),
        Input::Close,
        Input::Opened(desk.generation),
        Input::Gone(desk.generation, Gone::Broken(String::new())),
    ] {
        desk.input(input);
    }
    desk.pass_secs(1_000);
    assert_eq!(desk.attempts.len(), 1);
    assert_eq!((desk.events(), desk.sent()), (vec![], vec![]));
}

fn supersede(desk: &mut Desk, retryable: bool, retry_after: &Value) {
    let payload = json!({
        "reason": "session.already_connected", "message": "another one", "retryable": retryable,
        "retry_after": retry_after, "correlation_id": "evict-1",
    });
    desk.push(Some(1), &control_topic(), "supersede", &payload);
}

#[test]
fn a_supersede_for_good_ends_the_link_with_its_reason_and_without_leaves() {
    let mut desk = Desk::in_room();
    supersede(&mut desk, false, &Value::Null);
    assert_eq!(desk.sent(), []);
    assert_eq!(desk.closes, [(1000, "")]);
    desk.pass_secs(2);
    let reason = StopReason::Superseded {
        reason: "session.already_connected".to_owned(),
        message: "another one".to_owned(),
        retryable: false,
        correlation_id: Some("evict-1".to_owned()),
    };
    assert_eq!(desk.events(), [LinkEvent::Ended(reason)]);
}

#[test]
fn a_supersede_for_now_comes_back_after_the_platforms_delay() {
    for (retry_after, at_least) in [(json!(15), 15), (json!(-1), 1), (Value::Null, 1)] {
        let mut desk = Desk::connected();
        supersede(&mut desk, true, &retry_after);
        let events = desk.events();
        let [LinkEvent::Disconnected { reason: Disconnect::Superseded { .. }, retry_in }] = events.as_slice()
        else {
            panic!("{events:?}")
        };
        assert!(*retry_in >= Duration::from_secs(at_least), "{retry_after}: {retry_in:?}");
        assert!(*retry_in < Duration::from_secs(at_least + 6));
        // The close that the platform sends after the push belongs to the old socket.
        desk.gone(1001);
        assert_eq!(desk.events(), []);
        desk.pass(*retry_in);
        assert_eq!(desk.attempts.len(), 2);
    }
}

#[test]
fn a_refused_first_connect_ends_with_the_refusal() {
    for (status, reason) in [
        (400, StopReason::BadRequest(Refusal::status(400))),
        (401, StopReason::Unauthorized(Refusal::status(401))),
        (403, StopReason::Forbidden(Refusal::status(403))),
        (409, StopReason::Conflict(Refusal::status(409))),
    ] {
        let mut desk = Desk::new(&OPTIONS);
        desk.input(Input::Start);
        desk.refused(status);
        assert_eq!(desk.events(), [LinkEvent::Ended(reason)]);
    }
}

#[test]
fn a_link_that_was_connected_outlasts_a_deploy_that_refuses_it() {
    let mut desk = Desk::connected();
    desk.pass_secs(20);
    desk.gone(1012);
    let lost_at = desk.now;
    while desk.ended().is_none() {
        desk.pass_until_attempt();
        desk.refused(403);
    }
    assert!(desk.now.since(lost_at) >= Duration::from_secs(30), "{:?}", desk.now);
    assert!(desk.now.since(lost_at) <= Duration::from_secs(36), "{:?}", desk.now);
}
