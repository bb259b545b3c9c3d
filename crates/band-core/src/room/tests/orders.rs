//! The order of calls in the usual cases.

use band_wire::rest::DeliveryStatus;

use super::rig::{Rig, boom, done, ending};
use crate::Machine;
use crate::room::{Answer, Mark, Why};
use crate::turn::Ending;

#[test]
fn a_backlog_message_is_claimed_while_its_past_is_read() {
    let mut rig = Rig::new(|_| {});
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.sees(&["participants", "history 1", "claim 1"]);
    rig.participants();
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&[]);
    rig.history(1, None);
    rig.sees(&["working", "turn 1, first"]);
    rig.answer("working", Answer::Activity(Some(true)));
    rig.end(1, done());
    rig.sees(&["idle", "processed 1"]);
    rig.mark("processed 1", Mark::Accepted);
    rig.sees(&["next"]);
    rig.next(None);
    rig.sees(&[]);
}

#[test]
fn a_first_pushed_message_is_claimed_after_its_past_was_read() {
    let mut rig = Rig::new(|_| {});
    rig.sees(&["next"]);
    rig.next(None);
    rig.push(1);
    rig.sees(&["participants", "history 1"]);
    rig.history(1, Some(DeliveryStatus::Delivered));
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&[]);
    rig.participants();
    rig.sees(&["working", "turn 1, first"]);
    rig.end(1, done());
    rig.sees(&["processed 1"]);
    rig.answer("working", Answer::Activity(Some(true)));
    rig.sees(&["idle"]);
    rig.push(2);
    rig.sees(&["claim 2"]);
    rig.mark("claim 2", Mark::Accepted);
    rig.sees(&["turn 2"]);
}

#[test]
fn a_pushed_message_that_the_past_calls_processed_gets_no_turn() {
    let mut rig = Rig::new(|_| {});
    rig.sees(&["next"]);
    rig.next(None);
    rig.push(1);
    rig.sees(&["participants", "history 1"]);
    rig.history(1, Some(DeliveryStatus::Processed));
    rig.sees(&[]);
    rig.push(1);
    rig.sees(&[]);
}

#[test]
fn a_served_message_that_the_past_calls_processed_does_not_stay_claimed() {
    for claim_first in [true, false] {
        let mut rig = Rig::new(|_| {});
        rig.sees(&["next"]);
        rig.next(Some(1));
        rig.sees(&["participants", "history 1", "claim 1"]);
        if claim_first {
            rig.mark("claim 1", Mark::Accepted);
            rig.history(1, Some(DeliveryStatus::Processed));
        } else {
            rig.history(1, Some(DeliveryStatus::Processed));
            rig.sees(&["next"]);
            rig.mark("claim 1", Mark::Accepted);
        }
        rig.sees(&["processed 1"]);
        rig.mark("processed 1", Mark::Accepted);
    }
}

#[test]
fn a_late_claim_of_a_handled_message_that_got_lost_is_looked_after() {
    let mut rig = Rig::new(|_| {});
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.sees(&["participants", "history 1", "claim 1"]);
    rig.history(1, Some(DeliveryStatus::Processed));
    rig.sees(&["next"]);
    rig.next(None);
    rig.sees(&[]);
    rig.mark("claim 1", Mark::Lost);
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.sees(&["list", "claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["processed 1"]);
}

#[test]
fn messages_are_handled_one_after_another_and_the_next_does_not_wait_for_the_mark() {
    let mut rig = Rig::in_sync(|_| {});
    for n in [1, 2, 3] {
        rig.push(n);
    }
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.end(1, done());
    rig.sees(&["processed 1", "claim 2"]);
    rig.mark("claim 2", Mark::Accepted);
    rig.sees(&["turn 2"]);
    rig.end(2, done());
    rig.sees(&["claim 3"]);
    rig.mark("processed 1", Mark::Accepted);
    rig.sees(&["processed 2"]);
}

#[test]
fn a_failed_turn_is_marked_and_told_once() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.end(1, boom());
    rig.sees(&["notice Internal", &format!("note GaveUp({})", super::rig::id(1)), "failed 1: boom"]);
    rig.mark("failed 1", Mark::Accepted);
    rig.sees(&[]);
    rig.push(1);
    rig.sees(&[]);
}

#[test]
fn a_failed_turn_with_attempts_left_runs_again_before_what_came_later() {
    let mut rig = Rig::in_sync(|config| config.attempts = 2);
    rig.push(1);
    rig.push(2);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.end(1, boom());
    rig.sees(&["failed 1: boom"]);
    rig.mark("failed 1", Mark::Accepted);
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.handled(1);
    rig.sees(&["next"]);
    rig.next(Some(2));
    rig.handled(2);
    rig.sees(&["next"]);
}

#[test]
fn a_silent_turn_is_told_and_marked_failed() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.end(1, ending(Ending::Returned));
    let gave_up = format!("note GaveUp({})", super::rig::id(1));
    rig.sees(&["notice The", &gave_up, "failed 1: turn ended without a reply"]);
}

#[test]
fn a_message_that_was_not_accepted_is_not_charged_and_keeps_the_past_owed() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.end(1, ending(Ending::NotAccepted));
    rig.sees(&[]);
    rig.wait(1_000);
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.handles(1);
}

#[test]
fn an_adapter_that_takes_nothing_is_asked_more_and_more_rarely() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.end(1, ending(Ending::NotAccepted));
    rig.sees(&[]);
    let start = rig.now;
    for _ in 0..20 {
        let due = rig.room.deadline().unwrap();
        assert_eq!(due.why, Why::Retry);
        rig.wait(u64::try_from(due.at.since(rig.now).as_millis()).unwrap() + 1);
        rig.sees(&["next"]);
        rig.next(Some(1));
        rig.sees(&["claim 1"]);
        rig.mark("claim 1", Mark::Accepted);
        rig.sees(&["turn 1, first"]);
        rig.end(1, ending(Ending::NotAccepted));
        rig.sees(&[]);
    }
    assert!(rig.now.since(start).as_secs() > 60, "20 times in {:?}", rig.now.since(start));
}

#[test]
fn the_past_is_tried_again_when_the_connection_is_lost_and_done_without_in_the_end() {
    let mut rig = Rig::new(|config| config.keep_alive = None);
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.sees(&["participants", "history 1", "claim 1"]);
    rig.participants();
    for _ in 0..3 {
        rig.history_lost(1);
        rig.sees(&[]);
        rig.wait(15_000);
        rig.sees(&["next"]);
        rig.next(Some(1));
        rig.sees(&["history 1", "claim 1"]);
    }
    rig.history_lost(1);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
}

#[test]
fn participants_that_could_not_be_read_are_asked_for_again_with_the_next_message() {
    let mut rig = Rig::in_sync(|_| {});
    rig.room.roster_known = false;
    for (n, first) in [(1, ", first"), (2, "")] {
        rig.push(n);
        rig.sees(&["participants", &format!("claim {n}")]);
        rig.answer("participants", Answer::Participants(Err(crate::room::Trouble::Passing)));
        rig.mark(&format!("claim {n}"), Mark::Accepted);
        rig.sees(&[&format!("turn {n}{first}")]);
        rig.end(n, done());
        rig.sees(&[&format!("processed {n}")]);
        rig.mark(&format!("processed {n}"), Mark::Accepted);
    }
}

#[test]
fn people_see_an_agent_with_more_to_do_as_at_work_throughout() {
    let mut rig = Rig::in_sync(|config| config.keep_alive = Some(std::time::Duration::from_secs(3)));
    rig.push(1);
    rig.push(2);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["working", "turn 1, first"]);
    rig.answer("working", Answer::Activity(Some(true)));
    rig.end(1, done());
    rig.sees(&["processed 1", "claim 2"]);
    rig.mark("claim 2", Mark::Accepted);
    rig.sees(&["turn 2"]);
    rig.wait(3_000);
    rig.sees(&["working"]);
    rig.answer("working", Answer::Activity(Some(true)));
    rig.push(3);
    rig.end(2, done());
    rig.sees(&["claim 3"]);
    rig.mark("claim 3", Mark::NotFound);
    rig.sees(&["idle"]);
}

#[test]
fn the_working_state_is_repeated_while_a_turn_runs() {
    let mut rig = Rig::in_sync(|config| config.keep_alive = Some(std::time::Duration::from_secs(3)));
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["working", "turn 1, first"]);
    for _ in 0..3 {
        rig.answer("working", Answer::Activity(None));
        rig.sees(&[]);
        rig.wait(3_000);
        rig.sees(&["working"]);
    }
    rig.end(1, done());
    rig.sees(&["processed 1"]);
    rig.answer("working", Answer::Activity(Some(true)));
    rig.sees(&["idle"]);
    rig.answer("idle", Answer::Activity(Some(false)));
    rig.wait(10_000);
    rig.sees(&[]);
}

#[test]
fn work_that_takes_very_long_is_not_reported_again_which_is_said_once() {
    let mut rig = Rig::in_sync(|config| {
        config.keep_alive = Some(std::time::Duration::from_secs(3));
        config.max_working = Some(std::time::Duration::from_secs(5));
    });
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["working", "turn 1, first"]);
    for expected in ["working", "note WorkingTooLong"] {
        rig.answer("working", Answer::Activity(None));
        rig.wait(3_000);
        rig.sees(&[expected]);
    }
    rig.wait(60_000);
    rig.sees(&[]);
    rig.end(1, done());
    rig.sees(&["idle", "processed 1"]);
}

#[test]
fn a_push_that_does_not_say_how_it_stands_is_looked_up_before_it_is_claimed() {
    let mut rig = Rig::new(|config| config.keep_alive = None);
    rig.sees(&["next"]);
    rig.next(None);
    rig.push(1);
    rig.sees(&["participants", "history 1"]);
    rig.participants();
    rig.history(1, None);
    rig.handled(1);
    for (n, status) in [(2, Some(DeliveryStatus::Processed)), (3, None)] {
        rig.tell(crate::room::Input::Pushed(super::rig::message(n)));
        rig.sees(&[&format!("status {n}")]);
        rig.answer(&format!("status {n}"), Answer::History(Ok(status)));
    }
    rig.handled(3);
    rig.tell(crate::room::Input::Pushed(super::rig::message(4)));
    rig.sees(&["status 4"]);
    rig.answer("status 4", Answer::History(Err(crate::room::Trouble::Passing)));
    rig.handles(4);
}
