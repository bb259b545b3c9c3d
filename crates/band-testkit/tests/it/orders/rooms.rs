//! Rooms and people that come and go, with the connection too.

use super::*;

/// From the removal on, until the message was answered after the return.
async fn removed(whose: Whose) -> (Vec<String>, Vec<String>) {
    let mut house = House::build().await;
    let host = house.start_at_rest(whose).await;
    house.say("[[wait]]").await;
    house.saw(TURN).await;
    house.saw(WORKING).await;
    house.take().await;
    house.person.remove(house.room, house.agent.id).await.unwrap();
    house.saw("on_cleanup:R").await;
    house.saw(IDLE).await;
    let left = house.take().await;
    house.person.add(house.room, house.agent.id).await.unwrap();
    house.saw(DONE).await;
    house.saw(IDLE).await;
    // The Python SDK looks once more into a room that it has just come to.
    let looks = if whose == Whose::Theirs { 3 } else { 2 };
    house.until("the last look", |seen| count(seen, NEXT) == looks).await;
    let back = house.take().await;
    host.end().await;
    (left, back)
}

/// From the arrival of somebody else on, until the first message after it was answered.
async fn arrived(whose: Whose) -> (Vec<String>, Vec<String>) {
    let mut house = House::build().await;
    let host = house.start_at_rest(whose).await;
    let other = house.person.register("Other", "Is there and says nothing.").await.unwrap();
    house.person.add(house.room, other.id).await.unwrap();
    house.saw("on_participant_added").await;
    if whose == Whose::Theirs {
        house.saw(PAST).await;
    }
    let arrival = house.take().await;
    house.say("hello").await;
    house.saw(DONE).await;
    house.saw(IDLE).await;
    let turn = house.take().await;
    host.end().await;
    (arrival, turn)
}

async fn reconnected(whose: Whose) -> Vec<String> {
    let mut house = House::build().await;
    let [survivor, new] = [house.person.create_room("Cellar").await, house.person.create_room("Attic").await];
    let (survivor, new) = (survivor.unwrap(), new.unwrap());
    house.names.extend([(survivor.to_string(), "S"), (new.to_string(), "N")]);
    house.person.add(survivor, house.agent.id).await.unwrap();
    let host = house.start_at_rest_in(whose, &["S"]).await;
    house.tap.cut().await.unwrap();
    house.say_in(survivor, "hello", "MS").await;
    house.person.remove(house.room, house.agent.id).await.unwrap();
    house.person.add(new, house.agent.id).await.unwrap();
    house.say_in(new, "hello", "MN").await;
    house.tap.take();
    house.tap.mend();
    house.saw("POST chats/S/messages/MS/processed").await;
    house.saw("POST chats/N/messages/MN/processed").await;
    house.saw("on_cleanup:R").await;
    for room in ["S", "N"] {
        // The Python SDK looks into a room that is new to it twice.
        let looks = if whose == Whose::Theirs && room == "N" { 3 } else { 2 };
        let look = format!("GET chats/{room}/messages/next");
        house.until("the last look", |seen| count(seen, &look) == looks).await;
        house.saw(&format!("POST chats/{room}/activity false")).await;
    }
    let seen = house.take().await;
    host.end().await;
    seen
}

/// What was seen of one room, under the names of the kitchen.
fn of_room(seen: &[String], room: &str) -> Vec<String> {
    let (calls, topic, note) = (format!("chats/{room}/"), format!(":{room}"), format!(":{room}:"));
    let its =
        seen.iter().filter(|what| what.contains(&calls) || what.ends_with(&topic) || what.contains(&note));
    let plain = its.map(|what| what.replace(&calls, "").replace(&format!("M{room}"), "M"));
    plain.map(|what| what.replace(&topic, ":R")).collect()
}

fn at(seen: &[String], what: &str) -> usize {
    seen.iter().position(|it| it == what).unwrap_or_else(|| panic!("no {what}: {seen:#?}"))
}

const JOIN: &str = "phx_join chat_room:R";
const JOIN_PEOPLE: &str = "phx_join room_participants:R";
const LEAVE: &str = "phx_leave chat_room:R";
const LEAVE_PEOPLE: &str = "phx_leave room_participants:R";
const CLEANUP: &str = "on_cleanup:R";

#[tokio::test]
async fn a_removal_in_the_middle_of_a_turn_takes_the_calls_that_it_takes_the_python_sdk() {
    let (left, back) = removed(Whose::Theirs).await;
    assert_eq!(left, [LEAVE, LEAVE_PEOPLE, "cancelled", IDLE, CLEANUP]);
    let golden = [JOIN, JOIN_PEOPLE, NEXT, CLAIM, PEOPLE, PAST, WORKING, TURN, SAY, IDLE, DONE, NEXT, NEXT];
    assert_eq!(back, golden);
    let (left, back) = removed(Whose::Ours).await;
    // The turn is told at the same moment as the platform.
    held(&left, &[&["cancelled", LEAVE, LEAVE_PEOPLE], &[CLEANUP]], &[IDLE]);
    let groups: [&[&str]; 8] =
        [&[JOIN], &[JOIN_PEOPLE], &[NEXT], &[CLAIM, PEOPLE, PAST], &[TURN], &[SAY], &[DONE], &[NEXT]];
    held(&back, &groups, &[WORKING, IDLE]);
}

#[tokio::test]
async fn an_arrival_before_the_first_message_takes_the_calls_that_it_takes_the_python_sdk() {
    let heard = "on_participant_added";
    let (arrival, turn) = arrived(Whose::Theirs).await;
    assert_eq!(arrival, [PEOPLE, PAST, heard]);
    assert_eq!(turn, [CLAIM, WORKING, TURN, SAY, IDLE, DONE]);
    // The push says who came. Both are read when a turn needs them.
    let (arrival, turn) = arrived(Whose::Ours).await;
    assert_eq!(arrival, [heard]);
    held(&turn, &[&[PEOPLE, PAST], &[CLAIM], &[TURN], &[SAY], &[DONE]], &[WORKING, IDLE]);
}

#[tokio::test]
async fn a_reconnect_with_a_backlog_takes_the_calls_that_it_takes_the_python_sdk() {
    let (own, list) = (["phx_join agent_control:A", "phx_join agent_rooms:A"], "GET chats");
    let theirs = reconnected(Whose::Theirs).await;
    assert_eq!(theirs[1..3], own);
    let answered = [NEXT, CLAIM, PEOPLE, PAST, WORKING, TURN, SAY, IDLE, DONE, NEXT];
    assert_eq!(of_room(&theirs, "S"), [&[JOIN, JOIN_PEOPLE], answered.as_slice()].concat());
    assert_eq!(of_room(&theirs, "N"), [&[JOIN, JOIN_PEOPLE], answered.as_slice(), &[NEXT]].concat());
    assert_eq!(of_room(&theirs, "R"), [JOIN, JOIN_PEOPLE, CLEANUP]);
    for after in ["phx_join chat_room:N", "GET chats/S/messages/next", CLEANUP] {
        assert!(at(&theirs, list) < at(&theirs, after), "{theirs:#?}");
    }

    let ours = reconnected(Whose::Ours).await;
    assert_eq!(ours[1..3], own);
    let groups: [&[&str]; 8] =
        [&[JOIN], &[JOIN_PEOPLE], &[NEXT], &[CLAIM, PEOPLE, PAST], &[TURN], &[SAY], &[DONE], &[NEXT]];
    for room in ["S", "N"] {
        held(&of_room(&ours, room), &groups, &[WORKING, IDLE]);
    }
    // Whichever of the two is refused first, the other one is left; what was asked before the list came is in vain.
    let mut gone = of_room(&ours, "R");
    gone.retain(|what| what != NEXT);
    let left = if gone.iter().any(|what| what == LEAVE) { LEAVE } else { LEAVE_PEOPLE };
    held(&gone, &[&[JOIN], &[JOIN_PEOPLE], &[left], &[CLEANUP]], &[]);
    for after in ["phx_join chat_room:N", CLEANUP] {
        assert!(at(&ours, list) < at(&ours, after), "{ours:#?}");
    }
}

#[tokio::test]
async fn a_stop_forgets_the_rooms_then_ends_the_connection_then_the_adapter_and_runs_callbacks_last() {
    let house = House::build().await;
    house.start_at_rest(Whose::Ours).await.end().await;
    // All other topics end with the socket.
    let order = [CLEANUP, "phx_leave agent_control:A", "cleanup_all", "callback"];
    assert_eq!(house.take().await, order);
}
