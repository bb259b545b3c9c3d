//! The end of a room.

use std::time::Duration;

use super::rig::{Rig, done, ending};
use crate::Machine;
use crate::room::{Answer, Input, Mark};
use crate::turn::Ending;

#[test]
fn a_quiet_room_closes_at_once() {
    let mut rig = Rig::in_sync(|_| {});
    rig.close(Some(30));
    rig.sees(&["closed, graceful=true"]);
    assert_eq!(rig.room.deadline(), None);
    rig.push(1);
    rig.tell(Input::Subscribed);
    rig.close(None);
    rig.sees(&[]);
}

#[test]
fn a_turn_may_finish_and_nothing_new_begins() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.push(2);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.close(Some(30));
    rig.wait(29_000);
    rig.sees(&[]);
    rig.end(1, done());
    rig.sees(&["processed 1"]);
    rig.mark("processed 1", Mark::Accepted);
    rig.sees(&["closed, graceful=true"]);
}

#[test]
fn a_turn_that_does_not_finish_is_cancelled_and_its_message_left_as_it_is() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.close(Some(5));
    rig.wait(5_000);
    rig.sees(&["cancel"]);
    rig.wait(1_000);
    rig.sees(&["abort"]);
    rig.end(1, ending(Ending::Cancelled));
    rig.sees(&["closed, graceful=false"]);
}

#[test]
fn without_a_deadline_the_turn_is_cancelled_at_once() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.close(None);
    rig.sees(&["cancel"]);
    rig.end(1, ending(Ending::Cancelled));
    rig.sees(&["closed, graceful=false"]);
}

#[test]
fn a_second_close_can_only_shorten_the_wait() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.close(Some(5));
    rig.close(Some(60));
    rig.wait(4_999);
    rig.sees(&[]);
    rig.close(None);
    rig.sees(&["cancel"]);
}

#[test]
fn a_second_close_with_a_later_end_does_not_put_the_first_one_off() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.close(Some(5));
    rig.close(Some(60));
    rig.wait(5_000);
    rig.sees(&["cancel"]);
}

#[test]
fn a_message_whose_turn_has_not_begun_is_left_to_the_platform() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.close(Some(30));
    rig.sees(&["closed, graceful=true"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&[]);
}

#[test]
fn a_room_that_closes_between_two_turns_says_that_it_is_idle() {
    let mut rig = Rig::in_sync(|config| config.keep_alive = Some(Duration::from_secs(3)));
    rig.push(1);
    rig.push(2);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["working", "turn 1, first"]);
    rig.answer("working", Answer::Activity(Some(true)));
    rig.end(1, done());
    rig.sees(&["processed 1", "claim 2"]);
    rig.mark("processed 1", Mark::Accepted);
    rig.close(Some(30));
    rig.sees(&["idle"]);
    rig.answer("idle", Answer::Activity(Some(false)));
    rig.sees(&["closed, graceful=true"]);
}

#[test]
fn the_last_calls_are_waited_for_but_not_for_ever() {
    let mut rig = Rig::in_sync(|config| config.keep_alive = Some(Duration::from_secs(3)));
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["working", "turn 1, first"]);
    rig.answer("working", Answer::Activity(Some(true)));
    rig.close(None);
    rig.sees(&["cancel"]);
    rig.end(1, done());
    rig.sees(&["idle", "processed 1"]);
    rig.mark("processed 1", Mark::Accepted);
    rig.sees(&[]);
    rig.wait(1_000);
    rig.sees(&["closed, graceful=true"]);
}

/// A room that closes within half a minute while its first mark is on its way.
fn closing_with_a_mark() -> Rig {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.handles(1);
    rig.sees(&["processed 1"]);
    rig.close(Some(30));
    rig.sees(&[]);
    rig
}

#[test]
fn a_mark_that_got_lost_is_tried_again_as_long_as_the_room_may_take() {
    let mut rig = closing_with_a_mark();
    rig.mark("processed 1", Mark::Lost);
    rig.sees(&[]);
    rig.wait(1_000);
    rig.sees(&["processed 1"]);
    rig.mark("processed 1", Mark::Accepted);
    rig.sees(&["closed, graceful=true"]);
    assert!(rig.left().debts.is_empty());
}

#[test]
fn a_mark_that_always_gets_lost_does_not_keep_a_room_open() {
    let mut rig = closing_with_a_mark();
    let mut tries = 0;
    let mut said = None;
    for _ in 0..30 {
        assert_eq!(said, None);
        rig.mark("processed 1", Mark::Lost);
        while said.is_none() {
            rig.wait(100);
            said = rig.said_next();
        }
        tries += 1;
        if said.take_if(|said| said == "processed 1").is_none() {
            break;
        }
    }
    assert_eq!(said.as_deref(), Some("closed, graceful=true"));
    assert_eq!(rig.now.since_origin().as_secs(), 30);
    assert!(tries > 1, "{tries}");
    assert_eq!(rig.left().debts.len(), 1);
}

#[test]
fn a_mark_that_the_platform_turns_down_is_not_waited_for() {
    for mark in [Mark::Stopped, Mark::Refused] {
        let mut rig = closing_with_a_mark();
        rig.mark("processed 1", mark);
        rig.sees(&["closed, graceful=true"]);
    }
}

#[test]
fn a_second_close_ends_the_wait_for_marks_too() {
    let mut rig = closing_with_a_mark();
    rig.wait(10_000);
    rig.close(None);
    rig.sees(&[]);
    rig.wait(1_000);
    rig.sees(&["closed, graceful=true"]);
}
