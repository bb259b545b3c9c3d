//! Where messages come from: pushes, polls, and both.

use std::time::Duration;

use super::rig::{Rig, boom, id, message, processed, with_status};
use crate::room::{Answer, Input, Mark, Trouble};

#[test]
fn pushes_wait_until_the_backlog_is_drained_and_what_is_in_both_is_handled_once() {
    let mut rig = Rig::in_sync(|_| {});
    rig.tell(Input::Unsubscribed);
    rig.push(3);
    rig.sees(&[]);
    rig.tell(Input::Subscribed);
    rig.push(4);
    rig.sees(&["next"]);
    for n in [1, 2, 3] {
        rig.next(Some(n));
        rig.handled(n);
        rig.sees(&["next"]);
    }
    rig.push(3);
    rig.next(None);
    rig.handled(4);
    rig.sees(&[]);
}

#[test]
fn a_lookup_that_failed_is_no_empty_answer_and_is_made_again_soon() {
    let mut rig = Rig::in_sync(|_| {});
    rig.tell(Input::Resync);
    rig.push(2);
    rig.sees(&["next"]);
    for _ in 0..4 {
        rig.answer("next", Answer::Next(Err(Trouble::Passing)));
        rig.sees(&[]);
        rig.wait(15_000);
        rig.sees(&["next"]);
    }
    rig.next(Some(1));
    rig.handled(1);
    rig.sees(&["next"]);
}

#[test]
fn a_platform_that_serves_no_backlog_still_gets_its_pushes_handled() {
    let mut rig = Rig::in_sync(|_| {});
    rig.tell(Input::Resync);
    rig.push(1);
    rig.sees(&["next"]);
    rig.answer("next", Answer::Next(Err(Trouble::Lasting)));
    rig.sees(&["note NotServed", "claim 1"]);
}

#[test]
fn a_lost_push_is_found_while_the_room_is_idle_and_traffic_does_not_delay_that() {
    let mut rig = Rig::in_sync(|config| config.resync = Duration::from_secs(60));
    rig.wait(30_000);
    rig.push(2);
    rig.sees_eventually("claim 2");
    rig.mark("claim 2", Mark::Accepted);
    rig.sees(&["turn 2, first"]);
    rig.end(2, super::rig::done());
    rig.sees_eventually("processed 2");
    rig.mark("processed 2", Mark::Accepted);
    rig.wait(30_000);
    rig.sees_eventually("next");
    rig.next(Some(1));
    rig.handled(1);
}

#[test]
fn a_request_made_during_a_pass_gets_a_pass_of_its_own() {
    let mut rig = Rig::in_sync(|_| {});
    rig.tell(Input::Resync);
    rig.sees(&["next"]);
    rig.tell(Input::Resync);
    rig.tell(Input::Resync);
    rig.sees(&[]);
    rig.next(None);
    rig.sees(&["next"]);
    rig.next(None);
    rig.sees(&[]);
}

#[test]
fn a_refused_claim_is_not_charged_does_not_spin_and_is_not_overtaken() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.push(2);
    for mark in [Mark::Lost, Mark::Stopped, Mark::Refused] {
        rig.sees(&["claim 1"]);
        rig.mark("claim 1", mark);
        rig.sees(&[]);
        rig.wait(15_000);
        rig.sees(&["next"]);
        rig.next(Some(1));
    }
    rig.handled(1);
    rig.sees(&["next"]);
}

#[test]
fn a_message_that_was_given_back_and_is_not_served_is_not_overtaken() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    // A person has stopped the agent, and it has not heard of it.
    rig.mark("claim 1", Mark::Stopped);
    rig.push(2);
    rig.wait(15_000);
    rig.sees(&["next"]);
    rig.next(None);
    rig.sees(&[]);
    rig.push(3);
    rig.sees(&["next"]);
    rig.push(4);
    rig.next(None);
    rig.sees(&["next"]);
    // The room goes on, and that was not heard of either.
    for n in 1..=4 {
        rig.next(Some(n));
        rig.handled(n);
        rig.sees(&["next"]);
    }
    rig.next(None);
    rig.push(5);
    rig.handled(5);
}

#[test]
fn a_backlog_that_can_not_be_read_does_not_keep_a_room_from_its_pushes() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Refused);
    rig.wait(15_000);
    rig.sees(&["next"]);
    rig.answer("next", Answer::Next(Err(Trouble::Lasting)));
    rig.sees(&["note NotServed"]);
    rig.push(2);
    rig.handled(2);
}

#[test]
fn a_claim_that_is_refused_again_and_again_does_not_hide_what_is_behind_it() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    for _ in 0..5 {
        rig.sees(&["claim 1"]);
        rig.mark("claim 1", Mark::Refused);
        rig.sees(&[]);
        rig.wait(15_000);
        rig.sees(&["next"]);
        rig.next(Some(1));
    }
    rig.sees(&["list"]);
    rig.list("list", &[1, 2], None);
    rig.handled(2);
    rig.sees(&[]);
}

#[test]
fn a_message_that_is_gone_is_passed_over() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.push(2);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::NotFound);
    rig.handled(2);
}

#[test]
fn a_message_whose_claim_finds_nothing_is_looked_for_again_later() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::NotFound);
    rig.tell(Input::Resync);
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::NotFound);
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.sees(&["list"]);
    rig.list("list", &[1], None);
    rig.sees(&[]);
}

#[test]
fn what_stands_behind_a_message_that_used_up_its_attempts_is_found_by_listing() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.end(1, boom());
    rig.sees(&["notice Internal", &format!("note GaveUp({})", id(1)), "failed 1: boom"]);
    rig.mark("failed 1", Mark::Accepted);
    rig.tell(Input::Resync);
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.sees(&["list"]);
    rig.list("list", &[1, 2], Some("c"));
    rig.handles(2);
    rig.sees(&["processed 2", "list c"]);
    rig.mark("processed 2", Mark::Accepted);
    rig.list("list c", &[3], None);
    rig.handled(3);
    rig.sees(&[]);
    rig.push(4);
    rig.handled(4);
}

#[test]
fn own_and_processed_messages_get_no_turn_from_either_side() {
    let mut rig = Rig::in_sync(|_| {});
    let mut own = message(1);
    own.sender_type = "Agent".to_owned();
    own.sender_id = super::rig::agent().into();
    rig.tell(Input::Pushed(own.clone()));
    rig.tell(Input::Pushed(processed(2)));
    rig.sees(&[]);
    rig.tell(Input::Resync);
    rig.sees(&["next"]);
    rig.answer("next", Answer::Next(Ok(Some(own))));
    rig.sees(&["list"]);
    rig.list("list", &[], None);
    rig.sees(&[]);
}

#[test]
fn a_full_queue_drops_the_push_and_asks_the_platform_once() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    for n in 2..=1_001 {
        rig.push(n);
    }
    rig.sees(&[]);
    rig.push(1_002);
    rig.push(1_003);
    rig.sees(&["note Overflow", "note Overflow"]);
    rig.end(1, super::rig::done());
    rig.sees(&["processed 1"]);
    rig.mark("processed 1", Mark::Accepted);
    rig.sees(&["next"]);
}

impl Rig {
    /// The room says this now, among other things.
    #[track_caller]
    fn sees_eventually(&mut self, word: &str) {
        loop {
            let said = self.said_next().unwrap_or_else(|| panic!("never said {word:?}"));
            if said == word {
                return;
            }
            if said == "next" {
                self.next(None);
            }
        }
    }
}

#[test]
fn intervals_of_no_length_do_not_keep_a_room_busy_for_ever() {
    let mut rig = Rig::in_sync(|config| {
        config.resync = Duration::ZERO;
        config.resync_max = Duration::ZERO;
        config.resync_stopped = Duration::ZERO;
        config.keep_alive = Some(Duration::ZERO);
    });
    rig.push(1);
    rig.wait(10);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["working", "turn 1, first"]);
    rig.answer("working", Answer::Activity(Some(true)));
    rig.wait(10);
    rig.sees(&["working"]);
}

#[test]
fn an_attempt_that_a_late_claim_opened_after_the_last_one_is_ended() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.says_all();
    rig.end(1, boom());
    rig.says_all();
    rig.mark("failed 1", Mark::Accepted);
    rig.says_all();
    rig.tell(Input::Resync);
    rig.says_all();
    let serve = |rig: &mut Rig, status| {
        rig.answer("next", Answer::Next(Ok(Some(with_status(1, status)))));
        rig.says_all()
    };
    assert!(!serve(&mut rig, "failed").iter().any(|word| word.starts_with("failed 1")));
    rig.list("list", &[], None);
    rig.says_all();
    rig.tell(Input::Resync);
    rig.says_all();
    assert!(serve(&mut rig, "processing").iter().any(|word| word.starts_with("failed 1")));
    rig.mark("failed 1", Mark::Accepted);
}
