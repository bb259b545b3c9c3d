//! Turns that run to their end.

use super::*;

/// The calls of a message that waits when the agent starts, until the last of them was made so often.
async fn backlog(whose: Whose, text: &str, last: &str, times: usize) -> Vec<String> {
    let mut house = House::build().await;
    house.say(text).await;
    let host = house.start(whose).await;
    house.until(last, |seen| count(seen, last) == times).await;
    let seen = house.take().await;
    host.end().await;
    about_the_room(seen)
}

/// The calls of the first message that is pushed to an agent at rest.
async fn pushed(whose: Whose, text: &str, ends: &[&str]) -> Vec<String> {
    let mut house = House::build().await;
    let host = house.start_at_rest(whose).await;
    house.say(text).await;
    for end in ends {
        house.saw(end).await;
    }
    let seen = house.take().await;
    host.end().await;
    seen
}

/// What a start does besides is another matter.
fn about_the_room(seen: Vec<String>) -> Vec<String> {
    seen.into_iter().skip_while(|what| what != NEXT).collect()
}

#[tokio::test]
async fn a_missed_message_takes_the_calls_that_it_takes_the_python_sdk() {
    let theirs = backlog(Whose::Theirs, "hello", NEXT, 3).await;
    assert_eq!(theirs, [NEXT, CLAIM, PEOPLE, PAST, WORKING, TURN, SAY, IDLE, DONE, NEXT, NEXT]);
    let ours = backlog(Whose::Ours, "hello", NEXT, 2).await;
    // There is one task a room, so nothing has to be looked for once more after the start.
    let groups: [&[&str]; 6] = [&[NEXT], &[CLAIM, PEOPLE, PAST], &[TURN], &[SAY], &[DONE], &[NEXT]];
    held(&ours, &groups, &[WORKING, IDLE]);
}

#[tokio::test]
async fn a_pushed_message_takes_the_calls_that_it_takes_the_python_sdk() {
    let theirs = pushed(Whose::Theirs, "hello", &[DONE]).await;
    assert_eq!(theirs, [PEOPLE, PAST, CLAIM, WORKING, TURN, SAY, IDLE, DONE]);
    let ours = pushed(Whose::Ours, "hello", &[DONE, IDLE]).await;
    held(&ours, &[&[PEOPLE, PAST], &[CLAIM], &[TURN], &[SAY], &[DONE]], &[WORKING, IDLE]);
}

#[tokio::test]
async fn a_turn_that_fails_takes_the_calls_that_it_takes_the_python_sdk() {
    let theirs = pushed(Whose::Theirs, "[[fail]]", &[EVENT]).await;
    assert_eq!(theirs, [PEOPLE, PAST, CLAIM, WORKING, TURN, IDLE, FAILED, EVENT]);
    let ours = pushed(Whose::Ours, "[[fail]]", &[FAILED, EVENT, IDLE]).await;
    held(&ours, &[&[PEOPLE, PAST], &[CLAIM], &[TURN], &[FAILED, EVENT]], &[WORKING, IDLE]);
}

#[tokio::test]
async fn a_silent_turn_takes_the_calls_that_it_takes_the_python_sdk() {
    let theirs = pushed(Whose::Theirs, "[[silent]]", &[FAILED]).await;
    assert_eq!(theirs, [PEOPLE, PAST, CLAIM, WORKING, TURN, EVENT, IDLE, FAILED]);
    let ours = pushed(Whose::Ours, "[[silent]]", &[FAILED, EVENT, IDLE]).await;
    held(&ours, &[&[PEOPLE, PAST], &[CLAIM], &[TURN], &[FAILED, EVENT]], &[WORKING, IDLE]);
}
