//! Rooms and pushes on a socket that stays.

use super::*;

fn chat() -> String {
    format!("chat_room:{}", room(1))
}

fn people() -> String {
    format!("room_participants:{}", room(1))
}

#[test]
fn a_message_is_told_with_the_room_of_its_topic() {
    for join_ref in [Some(3), None] {
        let mut desk = Desk::in_room();
        desk.push(join_ref, &chat(), "message_created", &message(9));
        let events = desk.events();
        assert!(
            matches!(events.as_slice(), [LinkEvent::Message { room: of, message }]
                if *of == room(1) && message.content == "hi"),
            "{events:?}"
        );
    }
}

#[test]
fn a_push_of_an_older_join_is_passed_over_and_counted() {
    let mut desk = Desk::in_room();
    desk.push(Some(2), &chat(), "message_created", &message(9));
    assert_eq!(desk.events(), []);
    assert_eq!(desk.link.counters().stale_frames, 1);
}

#[test]
fn an_invalid_event_is_dropped_noted_and_counted() {
    let mut desk = Desk::in_room();
    desk.push(Some(3), &chat(), "message_created", &json!({"id": 7}));
    desk.push(Some(3), &chat(), "never_heard_of", &json!({}));
    assert_eq!(desk.events(), []);
    assert_eq!(desk.link.counters().invalid_events, 2);
    assert_eq!(desk.notes.len(), 2);
    desk.push(Some(3), &chat(), "message_created", &message(9));
    assert_eq!(desk.events().len(), 1, "the room goes on");
}

#[test]
fn people_come_and_go_and_a_room_can_be_deleted() {
    let mut desk = Desk::in_room();
    let who = json!({"id": Uuid::from_u128(2), "type": "User", "name": "Ann"});
    desk.push(Some(4), &people(), "participant_added", &who);
    desk.push(Some(4), &people(), "participant_removed", &who);
    desk.push(Some(4), &people(), "room_deleted", &json!({"id": room(1)}));
    let events = desk.events();
    assert!(
        matches!(
            events.as_slice(),
            [
                LinkEvent::ParticipantAdded { .. },
                LinkEvent::ParticipantRemoved { .. },
                LinkEvent::RoomDeleted(_),
            ]
        ),
        "{events:?}"
    );
}

#[test]
fn a_control_signal_overtakes_messages_that_wait() {
    let mut desk = Desk::in_room();
    desk.push(Some(3), &chat(), "message_created", &message(9));
    let stop = json!({
        "mode": "stop", "scope": "room", "agent_id": AGENT, "execution_id": null, "room_id": room(1),
        "correlation_id": "ctl-1",
    });
    desk.push(Some(1), &control_topic(), "agent.control", &stop);
    assert!(matches!(desk.events().as_slice(), [LinkEvent::Control(_), LinkEvent::Message { .. }]));
}

#[test]
fn a_refused_room_leaves_its_other_topic_and_is_tried_again() {
    let mut desk = Desk::connected();
    desk.input(Input::JoinRoom(room(1)));
    let sent = desk.sent();
    desk.reply_ok(&sent[0]);
    desk.refuse(&sent[1], "unauthorized");
    assert_eq!(desk.sent_words(), [format!("phx_leave {}", chat())]);
    let failed = LinkEvent::RoomJoinFailed {
        room: room(1),
        reason: "unauthorized".to_owned(),
        retry_in: Some(Duration::from_secs(1)),
    };
    assert_eq!(desk.events(), [failed]);
    desk.pass_secs(1);
    desk.answer_all();
    assert_eq!(desk.events(), [LinkEvent::RoomJoined(room(1))]);
}

#[test]
fn a_topic_that_crashes_or_closes_is_joined_again_and_told_when_it_is_back() {
    for (event, topic, join_ref) in [("phx_error", chat(), "3"), ("phx_close", people(), "4")] {
        let mut desk = Desk::in_room();
        desk.text(&format!(r#"["{join_ref}","{join_ref}","{topic}","{event}",{{}}]"#));
        assert_eq!(desk.sent.len(), 1);
        assert_eq!(desk.sent[0].event, reserved::JOIN);
        assert_eq!(desk.sent[0].topic, topic);
        desk.answer_all();
        assert_eq!(desk.events(), [LinkEvent::RoomJoined(room(1))]);
    }
}

#[test]
fn agent_rooms_that_closes_is_joined_again_and_the_list_read_anew() {
    let mut desk = Desk::connected();
    desk.text(&format!(r#"["2","2","{}","phx_close",{{}}]"#, rooms_topic()));
    desk.pass(Duration::ZERO);
    desk.answer_all();
    assert_eq!(desk.events(), [LinkEvent::RoomsStale]);
}

#[test]
fn a_room_that_was_left_tells_nothing_more() {
    let mut desk = Desk::in_room();
    desk.input(Input::LeaveRoom(room(1)));
    assert_eq!(desk.sent_words(), [format!("phx_leave {}", chat()), format!("phx_leave {}", people())]);
    desk.push(Some(3), &chat(), "message_created", &message(9));
    desk.push(None, &chat(), "message_created", &message(9));
    assert_eq!(desk.events(), []);
    desk.gone(1006);
    desk.pass_secs(5);
    desk.input(Input::Opened(desk.generation));
    assert_eq!(desk.sent().len(), 2, "the room is not joined again");
}

#[test]
fn a_room_that_is_left_and_wanted_again_at_once_is_joined_afresh() {
    let mut desk = Desk::in_room();
    desk.input(Input::LeaveRoom(room(1)));
    desk.input(Input::JoinRoom(room(1)));
    desk.answer_all();
    assert_eq!(desk.events(), [LinkEvent::RoomJoined(room(1))]);
    desk.push(Some(3), &chat(), "message_created", &message(9));
    assert_eq!(desk.events(), [], "of the older join");
}
