//! Turns that people and the platform cut short.

use band_wire::event::ControlMode;

use super::*;

/// A turn that waits, from the word of a person on.
async fn steered(whose: Whose, mode: ControlMode) -> (House, Host) {
    let mut house = House::build().await;
    let host = house.start_at_rest(whose).await;
    house.say("[[wait]]").await;
    house.saw(TURN).await;
    house.saw(WORKING).await;
    house.take().await;
    house.person.control(house.room, &house.agent, mode).await.unwrap();
    (house, host)
}

async fn interrupted(whose: Whose) -> Vec<String> {
    let (house, host) = steered(whose, ControlMode::Interrupt).await;
    house.saw(DONE).await;
    house.saw(IDLE).await;
    let seen = house.take().await;
    host.end().await;
    seen
}

/// The same for a message that was missed, until its room was looked into once more.
async fn interrupted_in_the_backlog(whose: Whose) -> Vec<String> {
    let mut house = House::build().await;
    house.say("[[wait]]").await;
    let host = house.start(whose).await;
    house.saw(TURN).await;
    house.saw(WORKING).await;
    house.take().await;
    house.person.control(house.room, &house.agent, ControlMode::Interrupt).await.unwrap();
    house.saw(DONE).await;
    house.saw(IDLE).await;
    house.saw(NEXT).await;
    let seen = house.take().await;
    host.end().await;
    seen
}

async fn stopped_and_played(whose: Whose) -> (Vec<String>, Vec<String>) {
    let (house, host) = steered(whose, ControlMode::Stop).await;
    house.saw(IDLE).await;
    let stopped = house.take().await;
    house.person.control(house.room, &house.agent, ControlMode::Play).await.unwrap();
    house.saw(DONE).await;
    house.saw(IDLE).await;
    house.until("a look", |seen| count(seen, NEXT) == 2).await;
    let played = house.take().await;
    host.end().await;
    (stopped, played)
}

async fn refused(whose: Whose) -> Vec<String> {
    let mut house = House::build().await;
    let host = house.start_at_rest(whose).await;
    let body = r#"{"error":{"code":"forbidden","message":"not now","request_id":"r"}}"#;
    house.tap.refuse("/processed", 403, body, 2);
    house.say("hello").await;
    let marks = if whose == Whose::Theirs { 2 } else { 3 };
    house.until("the marks", |seen| count(seen, DONE) == marks).await;
    let seen = house.take().await;
    host.end().await;
    seen
}

const CANCELLED: &str = "cancelled";

#[tokio::test]
async fn an_interrupted_turn_takes_the_calls_that_it_takes_the_python_sdk() {
    let interrupt = "on_interrupt:interrupt";
    assert_eq!(interrupted(Whose::Theirs).await, [interrupt, CANCELLED, IDLE, DONE]);
    held(&interrupted(Whose::Ours).await, &[&[interrupt], &[CANCELLED], &[DONE]], &[IDLE]);
    assert_eq!(interrupted_in_the_backlog(Whose::Theirs).await, [interrupt, CANCELLED, IDLE, DONE, NEXT]);
    let ours = interrupted_in_the_backlog(Whose::Ours).await;
    held(&ours, &[&[interrupt], &[CANCELLED], &[DONE], &[NEXT]], &[IDLE]);
}

#[tokio::test]
async fn a_stop_and_a_play_take_the_calls_that_they_take_the_python_sdk() {
    let (stop, again) = ("on_interrupt:stop", "on_message:R");
    let (stopped, played) = stopped_and_played(Whose::Theirs).await;
    assert_eq!(stopped, [stop, CANCELLED, IDLE]);
    assert_eq!(played, [NEXT, CLAIM, WORKING, again, SAY, IDLE, DONE, NEXT]);
    let (stopped, played) = stopped_and_played(Whose::Ours).await;
    held(&stopped, &[&[stop], &[CANCELLED]], &[IDLE]);
    held(&played, &[&[NEXT], &[CLAIM], &[again], &[SAY], &[DONE], &[NEXT]], &[WORKING, IDLE]);
}

#[tokio::test]
async fn a_refused_mark_takes_the_calls_that_it_takes_the_python_sdk_and_is_not_given_up() {
    // It looks into the room only when it comes from its backlog.
    assert_eq!(refused(Whose::Theirs).await, [PEOPLE, PAST, CLAIM, WORKING, TURN, SAY, IDLE, DONE, DONE]);
    let groups: [&[&str]; 7] = [&[PEOPLE, PAST], &[CLAIM], &[TURN], &[SAY], &[DONE], &[DONE], &[DONE]];
    held(&refused(Whose::Ours).await, &groups, &[WORKING, IDLE]);
}
