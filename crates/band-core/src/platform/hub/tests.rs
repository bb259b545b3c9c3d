//! The module's tables, row by row.

use std::time::Duration;

use serde_json::{Map, json};

use super::bench::{ALICE, BOT, Bench, Without, agent, alice, bot, control, id, push, room, user};
use super::{Answer, EVICTION, Everyone, Input, MAX_CHANNELS, MAX_HELD, MAX_SOCKETS, PROBE_GRACE};
use crate::platform::Audience;

const OK: &str = r#""phx_reply",{"response":{},"status":"ok"}]"#;

fn ok(conn: u64, refs: &str, topic: impl std::fmt::Display) -> String {
    format!(r#"{conn} Ordered [{refs},"{topic}",{OK}"#)
}

fn refused(conn: u64, refs: &str, topic: impl std::fmt::Display, reason: &str) -> String {
    format!(
        r#"{conn} Ordered [{refs},"{topic}","phx_reply",{{"response":{{"reason":"{reason}"}},"status":"error"}}]"#
    )
}

fn closed(conn: u64, join_ref: &str, topic: impl std::fmt::Display) -> String {
    format!(r#"{conn} Ordered ["{join_ref}","{join_ref}","{topic}","phx_close",{{}}]"#)
}

fn with_bot() -> Bench {
    let mut bench = Bench::default();
    assert!(bench.open(1, agent(BOT)).is_empty());
    bench
}

#[test]
fn a_heartbeat_is_answered_ahead_of_everything() {
    let mut bench = with_bot();
    let answer = bench.say(1, r#"[null,"12","phoenix","heartbeat",{}]"#);
    assert_eq!(answer, [format!(r#"1 Urgent [null,"12","phoenix",{OK}"#)]);
    assert!(bench.say(1, r#"[null,"13","phoenix","whatever",{}]"#).is_empty());
}

#[test]
fn refs_are_echoed_as_they_came_numbers_included() {
    let mut bench = with_bot();
    let answer = bench.say(1, &format!(r#"[7,8,"{}","phx_join",{{}},"extra"]"#, control(BOT)));
    assert_eq!(answer, [ok(1, "7,8", control(BOT))]);
}

#[test]
fn own_topics_are_joined_at_once_and_foreign_ones_are_not() {
    let mut bench = with_bot();
    bench.open(2, user(ALICE));
    for kind in ["agent_control", "agent_rooms", "agent_contacts"] {
        let (own, foreign) = (format!("{kind}:{}", bot()), format!("{kind}:{}", id::<()>(99)));
        assert_eq!(bench.say(1, &join("3", &own)), [ok(1, r#""3","3""#, &own)]);
        assert_eq!(bench.say(1, &join("4", &foreign)), [refused(1, r#""4","4""#, &foreign, "unauthorized")]);
        assert_eq!(bench.say(2, &join("5", &own)), [refused(2, r#""5","5""#, &own, "unauthorized")]);
    }
    for kind in ["user_rooms", "user_contacts", "user_agents", "tasks"] {
        let own = format!("{kind}:{}", alice());
        assert_eq!(bench.say(2, &join("6", &own)), [ok(2, r#""6","6""#, &own)]);
        assert_eq!(bench.say(1, &join("7", &own)), [refused(1, r#""7","7""#, &own, "unauthorized")]);
    }
}

fn join(reference: &str, topic: &str) -> String {
    format!(r#"["{reference}","{reference}","{topic}","phx_join",{{}}]"#)
}

#[test]
fn what_is_no_topic_is_refused_with_the_ref_that_was_sent() {
    let mut bench = with_bot();
    let upper = room(0xabc).to_string().to_uppercase().replace("CHAT_ROOM", "chat_room");
    for topic in ["lobby", "chat_room:", "chat_room:7", "phoenix", upper.as_str()] {
        assert_eq!(bench.say(1, &join("5", topic)), [refused(1, r#""5","5""#, topic, "unmatched topic")]);
    }
    let answer = bench.say(1, r#"["5","6","lobby","shout",{}]"#);
    assert_eq!(answer, [refused(1, r#""5","6""#, "lobby", "unmatched topic")]);
    assert_eq!(bench.say(1, r#"["5","7","lobby","phx_leave",{}]"#), [ok(1, r#""5","7""#, "lobby")]);
}

#[test]
fn a_room_is_joined_when_the_store_allows_it() {
    let mut bench = with_bot();
    assert_eq!(bench.join(1, "1", room(5)), [format!("ask 1 1 {}", room(5))]);
    assert!(bench.reach_all(room(5)).is_empty());
    let response = Map::from_iter([("working_agents".to_owned(), json!([]))]);
    let answer = bench.answer(1, 1, Answer::Allowed(response));
    let expected = format!(
        r#"1 Ordered ["1","1","{}","phx_reply",{{"response":{{"working_agents":[]}},"status":"ok"}}]"#,
        room(5)
    );
    assert_eq!(answer, [expected]);
    assert_eq!(bench.reach_all(room(5)), ["1:1"]);
}

#[test]
fn a_room_is_not_joined_when_the_store_denies_it() {
    let mut bench = with_bot();
    bench.join(1, "1", room(5));
    assert_eq!(bench.answer(1, 1, Answer::Denied), [refused(1, r#""1","1""#, room(5), "unauthorized")]);
    assert!(bench.reach_all(room(5)).is_empty());
}

#[test]
fn a_join_that_cannot_be_checked_closes_the_socket_instead_of_an_error() {
    let mut bench = with_bot();
    bench.join(1, "1", room(5));
    assert_eq!(bench.answer(1, 1, Answer::Unknown), ["close 1 1011"]);
}

#[test]
fn a_second_join_replaces_the_first_and_closes_it_with_its_own_ref() {
    let mut bench = with_bot();
    bench.enter(1, "1", room(5));
    assert_eq!(bench.enter(1, "2", room(5)), [closed(1, "1", room(5)), ok(1, r#""2","2""#, room(5))]);
    assert_eq!(bench.reach_all(room(5)), ["1:2"]);
    let stale = format!(r#"["1","9","{}","phx_leave",{{}}]"#, room(5));
    assert!(bench.say(1, &stale).is_empty());
    assert_eq!(bench.reach_all(room(5)), ["1:2"]);
}

#[test]
fn a_second_join_with_the_same_ref_does_not_close_the_channel() {
    let mut bench = with_bot();
    bench.enter(1, "1", room(5));
    assert_eq!(bench.enter(1, "1", room(5)), [ok(1, r#""1","1""#, room(5))]);
}

#[test]
fn a_second_join_that_is_denied_ends_the_channel() {
    let mut bench = with_bot();
    bench.enter(1, "1", room(5));
    bench.join(1, "2", room(5));
    let answer = bench.answer(1, 2, Answer::Denied);
    assert_eq!(answer, [closed(1, "1", room(5)), refused(1, r#""2","2""#, room(5), "unauthorized")]);
    assert!(bench.reach_all(room(5)).is_empty());
}

#[test]
fn a_leave_is_answered_and_then_closes_the_channel() {
    let mut bench = with_bot();
    bench.enter(1, "3", room(5));
    let leave = format!(r#"["3","6","{}","phx_leave",{{}}]"#, room(5));
    assert_eq!(bench.say(1, &leave), [ok(1, r#""3","6""#, room(5)), closed(1, "3", room(5))]);
    assert!(bench.reach_all(room(5)).is_empty());
    assert_eq!(bench.say(1, &leave), [ok(1, r#""3","6""#, room(5))]);
}

#[test]
fn requests_that_come_before_the_answer_are_handled_in_order_after_it() {
    let mut bench = with_bot();
    bench.join(1, "1", room(5));
    let leave = format!(r#"["1","2","{}","phx_leave",{{}}]"#, room(5));
    assert!(bench.say(1, &leave).is_empty());
    assert!(bench.join(1, "3", room(5)).is_empty());
    let expected = [
        ok(1, r#""1","1""#, room(5)),
        ok(1, r#""1","2""#, room(5)),
        closed(1, "1", room(5)),
        ok(1, r#""3","3""#, room(5)),
    ];
    assert_eq!(bench.allow(1), expected);
    assert_eq!(bench.reach_all(room(5)), ["1:3"]);
}

#[test]
fn too_many_requests_before_an_answer_close_the_socket() {
    let mut bench = with_bot();
    for _ in 0..MAX_HELD {
        assert!(!bench.join(1, "1", room(5)).iter().any(|line| line.starts_with("close")));
    }
    assert_eq!(bench.join(1, "1", room(5)), ["close 1 1011"]);
}

#[test]
fn thousands_of_joins_may_wait_and_each_gets_its_own_answer() {
    let mut bench = with_bot();
    for number in 1..=MAX_CHANNELS as u64 {
        bench.join(1, &number.to_string(), room(number.into()));
    }
    for number in (1..=MAX_CHANNELS as u64).rev() {
        let refs = format!(r#""{number}","{number}""#);
        let topic = room(number.into());
        let (answer, expected) = if number.is_multiple_of(2) {
            (Answer::Allowed(Map::new()), ok(1, &refs, topic))
        } else {
            (Answer::Denied, refused(1, &refs, topic, "unauthorized"))
        };
        assert_eq!(bench.answer(1, number, answer), [expected]);
    }
    assert_eq!(bench.reach_all(room(8)), ["1:8"]);
    assert!(bench.reach_all(room(7)).is_empty());
}

#[test]
fn an_answer_that_comes_twice_does_not_count_for_the_next_question() {
    let mut bench = with_bot();
    bench.enter(1, "1", room(5));
    bench.join(1, "2", room(5));
    assert!(bench.answer(1, 1, Answer::Denied).is_empty());
    assert_eq!(bench.reach_all(room(5)), ["1:1"]);
    assert_eq!(bench.allow(1), [closed(1, "1", room(5)), ok(1, r#""2","2""#, room(5))]);
}

#[test]
fn clients_have_nothing_to_say_on_a_channel() {
    let mut bench = with_bot();
    bench.enter(1, "1", room(5));
    for join_ref in [r#""1""#, r#""9""#, "null"] {
        let shout = format!(r#"[{join_ref},"2","{}","shout",{{}}]"#, room(5));
        assert!(bench.say(1, &shout).is_empty());
    }
    let elsewhere = format!(r#"["1","2","{}","shout",{{}}]"#, room(6));
    assert_eq!(bench.say(1, &elsewhere), [refused(1, r#""1","2""#, room(6), "unmatched topic")]);
}

#[test]
fn what_is_no_frame_costs_that_socket() {
    for (text, close) in [("{}", "close 1 1011"), ("[1,2]", "close 1 1011"), ("hello", "close 1 1011")] {
        let mut bench = with_bot();
        bench.open(2, agent(BOT + 1));
        assert_eq!(bench.say(1, text), [close]);
        assert_eq!(bench.say(2, r#"[null,"1","phoenix","heartbeat",{}]"#).len(), 1);
    }
    let mut bench = with_bot();
    assert_eq!(bench.tell(Input::Binary { conn: super::ConnId(1) }), ["close 1 1003"]);
}

#[test]
fn a_socket_may_join_thousands_of_channels_and_no_more_than_the_limit() {
    let mut bench = with_bot();
    for number in 0..MAX_CHANNELS as u128 {
        bench.enter(1, "1", room(number + 1));
    }
    let over = room(0xffff_ffff);
    assert_eq!(bench.join(1, "2", over), [refused(1, r#""2","2""#, over, "too many channels joined")]);
    assert_eq!(bench.enter(1, "3", room(7)).len(), 2);
}

#[test]
fn an_agent_gets_only_what_is_for_it() {
    let mut bench = with_bot();
    bench.open(2, user(ALICE));
    bench.open(3, agent(BOT + 1));
    for conn in 1..=3 {
        bench.enter(conn, "4", room(5));
    }
    let reach = |audience| bench.reach(&push(room(5), audience), &Everyone);
    assert_eq!(reach(Audience::Everyone), ["1:4", "2:4", "3:4"]);
    assert_eq!(reach(Audience::Users), ["2:4"]);
    assert_eq!(reach(Audience::UsersAnd(vec![bot()])), ["1:4", "2:4"]);
}

#[test]
fn a_member_who_was_removed_gets_nothing_until_it_is_back() {
    let mut bench = with_bot();
    bench.open(2, user(ALICE));
    bench.enter(1, "4", room(5));
    bench.enter(2, "4", room(5));
    let message = push(room(5), Audience::Everyone);
    let without = Without(vec![(bot().cast(), id(5))]);
    assert_eq!(bench.reach(&message, &without), ["2:4"]);
    assert_eq!(bench.reach(&message, &Everyone), ["1:4", "2:4"]);
}

#[test]
fn a_second_socket_disturbs_nobody_until_it_joins_its_control_topic() {
    let mut bench = with_bot();
    bench.join(1, "1", control(BOT));
    bench.enter(1, "2", room(5));
    assert!(bench.open(2, agent(BOT)).is_empty());
    assert!(bench.pass(PROBE_GRACE / 2).is_empty());
    let log = bench.join(2, "1", control(BOT));
    assert_eq!(log[0], ok(2, r#""1","1""#, control(BOT)));
    let notice = format!(r#"1 Ordered ["1",null,"{}","supersede",{{"#, control(BOT));
    assert!(log[1].starts_with(&notice), "{log:?}");
    assert!(log[1].contains(r#""retryable":false"#) && log[1].contains(r#""retry_after":null"#), "{log:?}");
    assert_eq!(log.len(), 2);
    assert!(bench.reach_all(room(5)).is_empty());
    assert_eq!(bench.pass(EVICTION), ["close 1 1001"]);
}

#[test]
fn a_second_socket_that_lasts_takes_over_without_a_join() {
    let mut bench = with_bot();
    bench.join(1, "1", control(BOT));
    bench.open(2, agent(BOT));
    let log = bench.pass(PROBE_GRACE);
    assert!(log[0].contains("supersede"), "{log:?}");
}

#[test]
fn a_probe_that_comes_and_goes_leaves_the_session_alone() {
    let mut bench = with_bot();
    bench.join(1, "1", control(BOT));
    bench.open(2, agent(BOT));
    bench.close(2);
    assert!(bench.pass(Duration::from_secs(60)).is_empty());
    assert_eq!(bench.reach_all(control(BOT)), ["1:1"]);
}

#[test]
fn a_socket_that_cannot_be_told_is_closed_at_once() {
    let mut bench = with_bot();
    bench.open(2, agent(BOT));
    assert_eq!(bench.join(2, "1", control(BOT))[1], "close 1 1001");
}

#[test]
fn a_superseded_socket_still_has_its_heartbeats_answered_and_nothing_else() {
    let mut bench = with_bot();
    bench.join(1, "1", control(BOT));
    bench.open(2, agent(BOT));
    bench.join(2, "1", control(BOT));
    assert_eq!(bench.say(1, r#"[null,"2","phoenix","heartbeat",{}]"#).len(), 1);
    assert!(bench.join(1, "3", control(BOT)).is_empty());
    bench.close(1);
    assert!(bench.pass(EVICTION).is_empty());
}

#[test]
fn of_three_sockets_the_newest_stays_whichever_settles_first() {
    let mut bench = with_bot();
    bench.join(1, "1", control(BOT));
    bench.open(2, agent(BOT));
    bench.open(3, agent(BOT));
    let log = bench.join(3, "1", control(BOT));
    assert!(log.iter().any(|line| line == "close 2 1001"), "{log:?}");
    let log = bench.join(2, "1", control(BOT));
    assert!(log.is_empty(), "{log:?}");
    assert_eq!(bench.reach_all(control(BOT)), ["3:1"]);
}

#[test]
fn reject_is_refused_while_a_socket_is_there_and_let_in_after() {
    let mut bench = with_bot();
    assert_eq!(bench.reject(2, agent(BOT)), ["refuse 2 Conflict"]);
    assert_eq!(bench.reach_all(control(BOT)).len(), 0);
    bench.close(1);
    assert!(bench.reject(3, agent(BOT)).is_empty());
    assert!(bench.hub.is_online(bot().cast()));
}

#[test]
fn people_may_have_any_number_of_sockets() {
    let mut bench = Bench::default();
    for conn in 1..=3 {
        assert!(bench.reject(conn, user(ALICE)).is_empty());
    }
    bench.close(1);
    bench.close(2);
    assert!(bench.hub.is_online(alice().cast()));
    bench.close(3);
    assert!(!bench.hub.is_online(alice().cast()));
}

#[test]
fn an_agent_is_announced_when_its_first_socket_opens_and_its_last_one_closes() {
    let mut bench = with_bot();
    bench.join(1, "1", control(BOT));
    bench.open(2, agent(BOT));
    bench.join(2, "1", control(BOT));
    bench.close(1);
    bench.open(3, user(ALICE));
    bench.close(3);
    assert_eq!(bench.presence, [(bot(), true)]);
    bench.close(2);
    assert_eq!(bench.presence, [(bot(), true), (bot(), false)]);
}

#[test]
fn a_full_platform_lets_nobody_in() {
    let mut bench = Bench::default();
    for conn in 0..MAX_SOCKETS as u64 {
        assert!(bench.open(conn, user(ALICE)).is_empty());
    }
    assert_eq!(bench.open(99_999, user(ALICE)), ["refuse 99999 Full"]);
    bench.close(7);
    assert!(bench.open(99_999, user(ALICE)).is_empty());
}

#[test]
fn listening_means_a_joined_channel_of_messages() {
    let mut bench = with_bot();
    assert!(!bench.hub.is_listening(bot(), id(5)));
    bench.enter(1, "1", room(5));
    assert!(bench.hub.is_listening(bot(), id(5)));
    bench.close(1);
    assert!(!bench.hub.is_listening(bot(), id(5)));
}

#[test]
fn an_expelled_agent_loses_its_sockets() {
    let mut bench = with_bot();
    bench.open(2, agent(BOT + 1));
    assert_eq!(bench.tell(Input::Expel { who: bot().cast() }), ["close 1 1001"]);
}

#[test]
fn a_stop_closes_every_socket_spread_over_time_and_lets_nobody_in() {
    let mut bench = Bench::default();
    for conn in 0..100 {
        bench.open(conn, user(ALICE));
    }
    let first = bench.tell(Input::Stop);
    assert_eq!(first.len(), 5);
    let rest = bench.pass(super::DRAIN);
    assert_eq!(first.len() + rest.len(), 100);
    assert!(rest.iter().all(|line| line.ends_with("1012")));
    assert_eq!(bench.open(200, user(ALICE)), ["refuse 200 Stopping"]);
    assert!(bench.tell(Input::Stop).is_empty());
}
