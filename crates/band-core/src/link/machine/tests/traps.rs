//! Traps that have no other test here; `docs/traps.md` lists all.

use super::*;
use crate::link::Disconnect;

fn supersede(desk: &mut Desk) {
    let payload = json!({
        "reason": "session.already_connected", "message": "another one", "retryable": false,
        "retry_after": null, "correlation_id": "evict-1",
    });
    desk.push(Some(1), &control_topic(), "supersede", &payload);
}

fn is_superseded(reason: Option<&StopReason>) -> bool {
    matches!(reason, Some(StopReason::Superseded { correlation_id: Some(id), .. }) if id == "evict-1")
}

#[test]
fn trap_28_whatever_code_closes_the_socket_after_a_supersede_the_supersede_counts() {
    for code in [1000, 1001, 1006, 1008, 1011, 1012, 4000] {
        let mut desk = Desk::in_room();
        supersede(&mut desk);
        desk.gone(code);
        assert!(is_superseded(desk.ended().as_ref()), "{code}: {:?}", desk.ended());
        desk.pass_secs(600);
        assert_eq!(desk.attempts.len(), 1, "{code}");
    }
}

#[test]
fn trap_29_a_supersede_before_control_is_joined_ends_the_session_on_a_reconnect_too() {
    let mut first = Desk::open();
    supersede(&mut first);
    first.pass_secs(2);
    assert!(is_superseded(first.ended().as_ref()), "{:?}", first.ended());

    let mut again = Desk::connected();
    again.gone(1006);
    again.pass_until_attempt();
    again.input(Input::Opened(again.generation));
    let control = again.sent().remove(0);
    let join_ref = control.join_ref.as_ref().and_then(super::super::number);
    let payload = json!({
        "reason": "session.already_connected", "message": "another one", "retryable": false,
        "retry_after": null, "correlation_id": "evict-1",
    });
    again.push(join_ref, &control_topic(), "supersede", &payload);
    again.pass_secs(2);
    assert!(is_superseded(again.ended().as_ref()), "{:?}", again.ended());
}

#[test]
fn trap_17_a_room_whose_rejoin_is_refused_is_joined_again_on_the_same_socket() {
    let mut desk = Desk::in_room();
    desk.gone(1006);
    desk.pass_until_attempt();
    desk.events();
    desk.input(Input::Opened(desk.generation));
    let sent = desk.sent();
    for request in &sent {
        if request.topic.starts_with("chat_room") {
            desk.refuse(request, "unauthorized");
        } else {
            desk.reply_ok(request);
        }
    }
    assert!(!desk.link.is_subscribed(room(1)));
    let failed =
        |event: &LinkEvent| matches!(event, LinkEvent::RoomJoinFailed { room: it, .. } if *it == room(1));
    assert!(desk.events().iter().any(failed));
    desk.answer_all();
    desk.pass_secs(1);
    desk.answer_all();
    assert_eq!(desk.events(), [LinkEvent::RoomJoined(room(1))]);
    assert_eq!(desk.attempts.len(), 2, "the socket stays");
}

#[test]
fn trap_16_the_retry_of_a_room_that_could_not_be_joined_dies_when_it_is_left_and_when_the_link_stops() {
    for stop in [false, true] {
        let mut desk = Desk::connected();
        desk.input(Input::JoinRoom(room(1)));
        let sent = desk.sent();
        desk.refuse(&sent[0], "later");
        assert!(!desk.link.is_subscribed(room(1)));
        desk.answer_all();
        if stop {
            desk.input(Input::Close);
            desk.answer_all();
        } else {
            desk.input(Input::LeaveRoom(room(1)));
        }
        desk.sent();
        desk.beating = true;
        desk.pass_secs(60);
        assert_eq!(desk.sent_words(), Vec::<String>::new());
    }
}

#[test]
fn pain_a31_a_room_that_is_left_while_the_link_ends_is_left_in_silence() {
    let mut desk = Desk::in_room();
    desk.input(Input::Close);
    desk.input(Input::LeaveRoom(room(1)));
    assert_eq!(desk.sent_words(), [format!("phx_leave {}", control_topic())]);
    desk.gone(1000);
    desk.input(Input::LeaveRoom(room(1)));
    assert_eq!((desk.sent(), desk.notes.len()), (vec![], 0));
}

#[test]
fn pain_b03_after_a_quiet_hour_and_a_reconnect_a_canary_still_arrives() {
    let mut desk = Desk::in_room();
    desk.beating = true;
    for round in 0..3 {
        desk.pass_secs(3_600);
        desk.gone(1006);
        desk.pass_until_attempt();
        desk.input(Input::Opened(desk.generation));
        desk.answer_all();
        desk.events();
        desk.push(None, &format!("chat_room:{}", room(1)), "message_created", &message(round));
        assert!(matches!(desk.events().as_slice(), [LinkEvent::Message { .. }]), "round {round}");
    }
}

#[test]
fn pain_b04_a_room_is_subscribed_on_a_new_socket_only_once_its_joins_are_answered_there() {
    let mut desk = Desk::in_room();
    assert!(desk.link.is_subscribed(room(1)));
    desk.input(Input::Gone(desk.generation, Gone::Broken("reset".to_owned())));
    assert!(!desk.link.is_subscribed(room(1)));
    desk.pass_until_attempt();
    desk.input(Input::Opened(desk.generation));
    assert!(!desk.link.is_subscribed(room(1)));
    desk.answer_all();
    assert!(desk.link.is_subscribed(room(1)));
}

#[test]
fn pain_b15_a_beat_that_was_nearly_due_or_pending_does_not_disturb_the_next_socket() {
    // Just before the beat, and just before the socket would be given up as silent.
    for lost_after in [29_999, 39_999] {
        let mut desk = Desk::connected();
        desk.pass(Duration::from_millis(lost_after));
        desk.gone(1006);
        desk.pass_until_attempt();
        desk.input(Input::Opened(desk.generation));
        desk.answer_all();
        desk.events();
        desk.pass(Duration::from_millis(29_999));
        assert_eq!(desk.sent_words(), Vec::<String>::new(), "{lost_after}");
        assert_eq!((desk.closes.len(), desk.attempts.len()), (0, 2), "{lost_after}");
        desk.pass(Duration::from_millis(1));
        assert_eq!(desk.sent_words(), ["heartbeat phoenix"], "{lost_after}");
    }
}

#[test]
fn pain_b15_a_join_that_was_pending_does_not_time_out_on_the_next_socket() {
    let mut desk = Desk::connected();
    desk.input(Input::JoinRoom(room(1)));
    desk.pass_secs(3);
    desk.gone(1006);
    desk.pass_until_attempt();
    desk.sent();
    desk.input(Input::Opened(desk.generation));
    desk.answer_all();
    desk.events();
    desk.beating = true;
    desk.pass_secs(20);
    assert_eq!(desk.events(), []);
    assert!(desk.link.is_subscribed(room(1)));
    desk.push(None, &format!("chat_room:{}", room(1)), "message_created", &message(9));
    assert_eq!(desk.events().len(), 1);
}

#[test]
fn pain_b19_a_heartbeat_that_is_not_answered_is_a_loss_like_any_other() {
    let mut desk = Desk::in_room();
    desk.pass_secs(40);
    assert!(matches!(desk.events().as_slice(), [LinkEvent::Disconnected { reason: Disconnect::Dead, .. }]));
    assert_eq!(desk.attempts.len(), 2);
    desk.input(Input::Opened(desk.generation));
    desk.answer_all();
    assert_eq!(desk.events(), [LinkEvent::RoomJoined(room(1)), LinkEvent::Connected { reconnect: true }]);
}

#[test]
fn pain_b24_messages_that_wait_for_their_owner_outlive_the_socket() {
    let mut desk = Desk::in_room();
    for number in 0..3 {
        desk.push(Some(3), &format!("chat_room:{}", room(1)), "message_created", &message(number));
    }
    desk.input(Input::Gone(desk.generation, Gone::Broken("reset".to_owned())));
    let events = desk.events();
    assert_eq!(events.iter().filter(|event| matches!(event, LinkEvent::Message { .. })).count(), 3);
    assert!(matches!(events.last(), Some(LinkEvent::Disconnected { .. })), "{events:?}");
}

#[test]
fn pain_b25_rooms_asked_for_before_the_socket_is_open_are_joined_when_it_is() {
    let mut desk = Desk::new(&OPTIONS);
    for number in [1, 2] {
        desk.input(Input::JoinRoom(room(number)));
    }
    desk.input(Input::Start);
    desk.input(Input::JoinRoom(room(3)));
    assert_eq!(desk.sent(), []);
    desk.input(Input::Opened(desk.generation));
    let topics: Vec<String> = desk.sent().into_iter().map(|frame| frame.topic).collect();
    assert_eq!(topics.len(), 8);
    assert_eq!(topics[..2], [control_topic(), rooms_topic()], "the agent's own first");
}

#[test]
fn pain_b27_a_million_attempts_keep_their_distance() {
    let mut desk = Desk::new(&OPTIONS);
    desk.input(Input::Start);
    let mut soonest = Duration::MAX;
    for attempt in 0..1_000_000_u32 {
        desk.input(Input::OpenFailed(desk.generation, Failure::Unreachable(String::new())));
        let due = desk.link.deadline().unwrap();
        assert_eq!(due.why, Why::Retry, "attempt {attempt}");
        let wait = due.at.since(desk.now);
        assert!(wait <= Duration::from_secs(5));
        if attempt == 0 {
            assert_eq!(wait, Duration::ZERO, "the first retry is at once");
        }
        soonest = soonest.min(wait);
        desk.now = due.at;
        desk.link.expire(desk.now);
        desk.drain();
        desk.attempts.clear();
        desk.events();
    }
    let mean = desk.now.since_origin() / 1_000_000;
    assert!(mean > Duration::from_secs(2), "{mean:?} on average, {soonest:?} at the soonest");
}

#[test]
fn pain_a27_after_half_a_minute_away_the_platform_is_tried_within_five_seconds() {
    for seed in 0..200 {
        let mut desk = Desk::new(&LinkOptions { seed, ..OPTIONS });
        desk.input(Input::Start);
        desk.input(Input::Opened(desk.generation));
        desk.answer_all();
        desk.pass_secs(20);
        desk.gone(1006);
        let back = desk.now + Duration::from_secs(30);
        loop {
            desk.pass_until_attempt();
            if desk.now >= back {
                break;
            }
            let refused = if seed % 2 == 0 {
                Failure::Unreachable(String::new())
            } else {
                Failure::Refused(Refusal::status(502))
            };
            desk.input(Input::OpenFailed(desk.generation, refused));
            desk.events();
        }
        assert!(desk.now.since(back) <= Duration::from_secs(5), "seed {seed}: {:?}", desk.now.since(back));
    }
}

#[test]
fn pain_a03_while_five_hundred_rooms_are_joined_slowly_no_heartbeat_is_late_and_one_refusal_costs_one_room() {
    let mut desk = Desk::connected();
    for number in 0..500 {
        desk.input(Input::JoinRoom(room(number)));
    }
    let requests = desk.sent();
    let mut last_beat = desk.now;
    for request in &requests {
        desk.pass(Duration::from_millis(200));
        if request.topic == format!("chat_room:{}", room(7)) {
            desk.refuse(request, "unauthorized");
        } else {
            desk.reply_ok(request);
        }
        for frame in desk.sent() {
            if frame.event == reserved::HEARTBEAT {
                let late = desk.now.since(last_beat).saturating_sub(Duration::from_secs(30));
                assert!(late <= Duration::from_secs(1), "{late:?}");
                last_beat = desk.now;
            }
            desk.reply_ok(&frame);
        }
    }
    assert!(desk.now.since(last_beat) <= Duration::from_secs(31), "{:?}", desk.now.since(last_beat));
    assert_eq!(desk.attempts.len(), 1);
    let events = desk.events();
    let joined = events.iter().filter(|event| matches!(event, LinkEvent::RoomJoined(_))).count();
    let failed = events.iter().filter(|event| matches!(event, LinkEvent::RoomJoinFailed { .. })).count();
    assert!(joined >= 499 && failed == 1, "{joined} joined, {failed} failed");
}
