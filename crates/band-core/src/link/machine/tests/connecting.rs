//! From the start to `Connected`, and back after a loss.

use super::*;
use crate::link::Disconnect;

#[test]
fn the_own_topics_are_joined_in_order_and_then_it_is_connected() {
    let mut desk = Desk::open();
    let sent = desk.sent();
    let texts: Vec<String> = sent.iter().map(Frame::encode).collect();
    assert_eq!(
        texts,
        [
            format!(r#"["1","1","{}","phx_join",{{}}]"#, control_topic()),
            format!(r#"["2","2","{}","phx_join",{{}}]"#, rooms_topic()),
        ]
    );
    desk.reply_ok(&sent[0]);
    assert_eq!(desk.events(), [], "agent_rooms is not settled");
    desk.reply_ok(&sent[1]);
    assert_eq!(desk.events(), [LinkEvent::Connected { reconnect: false }]);
}

#[test]
fn contacts_are_joined_third_when_they_are_wanted() {
    let mut desk = Desk::new(&LinkOptions { contacts: true, ..OPTIONS });
    desk.input(Input::Start);
    desk.input(Input::Opened(desk.generation));
    let topics: Vec<String> = desk.sent().into_iter().map(|frame| frame.topic).collect();
    assert_eq!(topics, [control_topic(), rooms_topic(), format!("agent_contacts:{AGENT}")]);
}

#[test]
fn only_the_first_upgrade_asks_not_to_take_over() {
    let mut desk = Desk::new(&LinkOptions { reject: true, ..OPTIONS });
    desk.input(Input::Start);
    desk.refused(503);
    desk.pass_until_attempt();
    desk.input(Input::Opened(desk.generation));
    desk.gone(1006);
    desk.pass_until_attempt();
    assert_eq!(desk.attempts, [true, true, false]);
}

#[test]
fn an_agent_rooms_that_is_refused_is_tried_without_end_and_the_list_read_anew() {
    let mut desk = Desk::open();
    let sent = desk.sent();
    desk.reply_ok(&sent[0]);
    desk.refuse(&sent[1], "later");
    assert_eq!(desk.events(), [LinkEvent::Connected { reconnect: false }], "it has settled");
    desk.beating = true;
    for _ in 0..50 {
        while desk.sent.is_empty() {
            desk.pass_secs(1);
        }
        let join = desk.sent().remove(0);
        assert_eq!(join.topic, rooms_topic());
        desk.refuse(&join, "later");
    }
    desk.pass_secs(31);
    desk.answer_all();
    assert_eq!(desk.events(), [LinkEvent::RoomsStale]);
}

#[test]
fn a_control_topic_that_is_refused_at_first_ends_the_link() {
    let mut desk = Desk::open();
    let control = desk.sent().remove(0);
    desk.refuse(&control, "unauthorized");
    assert_eq!(desk.closes, [(1000, "")]);
    desk.gone(1000);
    let reason = StopReason::ControlRejected { reason: "unauthorized".to_owned() };
    assert_eq!(desk.ended(), Some(reason.clone()));
    assert_eq!(desk.events(), [LinkEvent::Ended(reason)]);
}

#[test]
fn a_control_topic_that_is_refused_on_a_reconnect_is_tried_on_another_socket() {
    let mut desk = Desk::connected();
    desk.gone(1012);
    desk.pass_secs(0);
    desk.input(Input::Opened(desk.generation));
    let control = desk.sent().remove(0);
    desk.refuse(&control, "unauthorized");
    let reason = Disconnect::ControlLost("unauthorized".to_owned());
    assert!(
        matches!(desk.events().last(), Some(LinkEvent::Disconnected { reason: told, .. }) if *told == reason)
    );
    desk.pass_until_attempt();
    assert_eq!(desk.attempts.len(), 3);
}

#[test]
fn a_control_topic_that_is_never_answered_costs_the_socket_not_the_link() {
    let mut desk = Desk::open();
    desk.text(r#"[null,null,"phoenix","hello",{}]"#);
    desk.pass_secs(10);
    assert!(matches!(
        desk.events().as_slice(),
        [LinkEvent::Disconnected { reason: Disconnect::ControlLost(why), .. }] if why == "timeout"
    ));
    assert_eq!(desk.ended(), None);
}

#[test]
fn after_a_loss_every_room_is_joined_again_at_once_and_connected_comes_when_all_have_settled() {
    let mut desk = Desk::connected();
    for number in [3, 1, 2] {
        desk.input(Input::JoinRoom(room(number)));
    }
    desk.answer_all();
    desk.events();
    desk.gone(1001);
    assert_eq!(desk.why(), Some(Why::Retry));
    desk.pass(Duration::ZERO);
    desk.input(Input::Opened(desk.generation));
    let sent = desk.sent();
    let topics: Vec<String> = sent.iter().map(|frame| frame.topic.clone()).collect();
    let mut expected = vec![control_topic(), rooms_topic()];
    for number in 1..=3 {
        expected.push(format!("chat_room:{}", room(number)));
        expected.push(format!("room_participants:{}", room(number)));
    }
    assert_eq!(topics, expected, "all of it before any answer");
    for request in &sent[..6] {
        desk.reply_ok(request);
    }
    desk.refuse(&sent[6], "unauthorized");
    // The refusal settles the whole room: its other topic is left again.
    let events = desk.events();
    let failed = LinkEvent::RoomJoinFailed {
        room: room(3),
        reason: "unauthorized".to_owned(),
        retry_in: Some(Duration::from_secs(1)),
    };
    assert_eq!(
        events[1..],
        [
            LinkEvent::RoomJoined(room(1)),
            LinkEvent::RoomJoined(room(2)),
            failed,
            LinkEvent::Connected { reconnect: true },
        ]
    );
}

#[test]
fn a_slow_room_delays_connected_until_it_times_out_and_delays_no_other_room() {
    let mut desk = Desk::in_room();
    desk.input(Input::JoinRoom(room(2)));
    desk.answer_all();
    desk.events();
    desk.gone(1006);
    desk.pass(Duration::ZERO);
    desk.events();
    desk.input(Input::Opened(desk.generation));
    let sent = desk.sent();
    for request in sent.iter().filter(|frame| !frame.topic.ends_with(&room(1).to_string())) {
        desk.reply_ok(request);
    }
    assert_eq!(desk.events(), [LinkEvent::RoomJoined(room(2))]);
    desk.pass_secs(9);
    desk.text(r#"[null,null,"phoenix","hello",{}]"#);
    assert_eq!(desk.events(), []);
    desk.pass_secs(1);
    let events = desk.events();
    assert!(
        matches!(events.as_slice(), [
            LinkEvent::RoomJoinFailed { room: late, reason, .. },
            LinkEvent::Connected { reconnect: true },
        ] if *late == room(1) && reason == "timeout"),
        "{events:?}"
    );
}

#[test]
fn a_thousand_rooms_on_a_slow_server_are_all_joined() {
    let mut desk = Desk::connected();
    for number in 0..1_000 {
        desk.input(Input::JoinRoom(room(number)));
    }
    let requests = desk.sent();
    assert_eq!(requests.len(), 2_000);
    // 200 ms for each answer, one after another: 400 s in all, heartbeats answered in their turn.
    for request in &requests {
        desk.pass(Duration::from_millis(200));
        desk.reply_ok(request);
        for beat in desk.sent() {
            desk.reply_ok(&beat);
        }
    }
    assert_eq!(desk.attempts.len(), 1);
    let events = desk.events();
    assert_eq!(events.len(), 1_000);
    assert!(events.iter().all(|event| matches!(event, LinkEvent::RoomJoined(_))));
}

#[test]
fn an_upgrade_that_hangs_is_given_up_after_ten_seconds() {
    let mut desk = Desk::new(&OPTIONS);
    desk.input(Input::Start);
    let first = desk.generation;
    desk.pass(Duration::from_millis(9_999));
    assert_eq!(desk.events(), []);
    desk.pass(Duration::from_millis(1));
    assert!(matches!(
        desk.events().as_slice(),
        [LinkEvent::Disconnected { reason: Disconnect::OpenTimedOut, .. }]
    ));
    assert_eq!(desk.closes.len(), 1);
    // The late answer of the first attempt has no effect on the second.
    assert_eq!(desk.attempts.len(), 2);
    desk.input(Input::Opened(first));
    assert_eq!(desk.sent(), []);
}

#[test]
fn every_close_code_is_followed_by_another_attempt() {
    for code in [1000, 1001, 1002, 1003, 1005, 1006, 1007, 1008, 1009, 1011, 1012, 1013, 3000, 4000, 4999] {
        let mut desk = Desk::connected();
        desk.pass_secs(20);
        desk.gone(code);
        desk.pass(Duration::ZERO);
        assert_eq!(desk.attempts.len(), 2, "{code}: at once, for the session had lasted");
    }
}

#[test]
fn the_golden_transcript_is_spoken() {
    let mut desk = Desk::new(&OPTIONS);
    desk.input(Input::Start);
    desk.input(Input::Opened(desk.generation));
    let (control, rooms) = (control_topic(), rooms_topic());
    let (chat, people) = (format!("chat_room:{}", room(1)), format!("room_participants:{}", room(1)));
    let ok = |id: &str, join: &str, topic: &str| {
        format!(r#"["{join}","{id}","{topic}","phx_reply",{{"status":"ok","response":{{}}}}]"#)
    };
    desk.text(&ok("1", "1", &control));
    desk.text(&ok("2", "2", &rooms));
    let added = json!({
        "id": room(1), "title": "t", "task_id": null,
        "inserted_at": "2026-07-01T10:00:00Z", "updated_at": "2026-07-01T10:00:00Z",
    });
    desk.push(Some(2), &rooms, "room_added", &added);
    desk.input(Input::JoinRoom(room(1)));
    desk.text(&ok("3", "3", &chat));
    desk.text(&ok("4", "4", &people));
    desk.push(Some(3), &chat, "message_created", &message(9));
    desk.pass_secs(30);
    desk.text(r#"[null,"5","phoenix","phx_reply",{"status":"ok","response":{}}]"#);
    let mut events = desk.events();
    desk.input(Input::LeaveRoom(room(1)));
    desk.text(&ok("6", "3", &chat));
    desk.text(&format!(r#"["3","3","{chat}","phx_close",{{}}]"#));
    let supersede = json!({
        "reason": "session.already_connected", "message": "another one", "retryable": false,
        "retry_after": null, "target_socket_id": format!("agent_socket:{AGENT}"), "correlation_id": "evict-1",
    });
    desk.push(Some(1), &control, "supersede", &supersede);
    desk.gone(1001);

    let sent: Vec<String> = desk.sent().iter().map(Frame::encode).collect();
    assert_eq!(
        sent,
        [
            format!(r#"["1","1","{control}","phx_join",{{}}]"#),
            format!(r#"["2","2","{rooms}","phx_join",{{}}]"#),
            format!(r#"["3","3","{chat}","phx_join",{{}}]"#),
            format!(r#"["4","4","{people}","phx_join",{{}}]"#),
            r#"[null,"5","phoenix","heartbeat",{}]"#.to_owned(),
            format!(r#"["3","6","{chat}","phx_leave",{{}}]"#),
            format!(r#"["4","7","{people}","phx_leave",{{}}]"#),
        ]
    );
    events.extend(desk.events());
    assert!(
        matches!(
            events.as_slice(),
            [
                LinkEvent::Connected { reconnect: false },
                LinkEvent::RoomAdded(_),
                LinkEvent::RoomJoined(_),
                LinkEvent::Message { .. },
                LinkEvent::Ended(StopReason::Superseded { retryable: false, .. }),
            ]
        ),
        "{events:?}"
    );
}
