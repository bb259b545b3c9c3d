//! Interrupt, stop, play, and a stop that nobody told.

use std::time::Duration;

use super::rig::{Rig, done, ending};
use crate::room::{Answer, Control, Mark};
use crate::turn::Ending;

#[test]
fn an_interrupted_turn_is_cancelled_and_its_message_counts_as_handled() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.push(2);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.control(Control::Interrupt);
    rig.sees(&["tell Interrupt", "cancel"]);
    rig.end(1, ending(Ending::Cancelled));
    rig.sees(&["processed 1", "claim 2"]);
}

#[test]
fn an_interrupt_before_the_turn_consumes_the_message_without_a_turn() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.control(Control::Interrupt);
    rig.sees(&["tell Interrupt", "claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["processed 1"]);
}

#[test]
fn an_interrupt_between_turns_affects_nothing_later() {
    let mut rig = Rig::in_sync(|_| {});
    rig.control(Control::Interrupt);
    rig.sees(&["tell Interrupt"]);
    rig.push(1);
    rig.handled(1);
}

#[test]
fn a_stopped_room_keeps_its_message_uncharged_and_play_runs_it_again() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    for _ in 0..2 {
        rig.sees(&["claim 1"]);
        rig.mark("claim 1", Mark::Accepted);
        rig.sees(&[if rig.room.bootstrapped { "turn 1" } else { "turn 1, first" }]);
        rig.control(Control::Stop);
        rig.sees(&["tell Stop", "cancel"]);
        rig.end(1, ending(Ending::Cancelled));
        rig.push(2);
        rig.sees(&[]);
        rig.control(Control::Play);
        rig.sees(&["next"]);
        rig.next(Some(1));
    }
    rig.handled(1);
    rig.sees(&["next"]);
}

#[test]
fn an_answer_from_before_the_stop_starts_nothing() {
    let mut rig = Rig::in_sync(|_| {});
    rig.tell(crate::room::Input::Resync);
    rig.sees(&["next"]);
    rig.control(Control::Stop);
    rig.next(Some(1));
    rig.sees(&["tell Stop"]);
    rig.control(Control::Play);
    rig.sees(&["next"]);
}

#[test]
fn a_play_that_was_missed_is_found_by_polling() {
    let mut rig = Rig::in_sync(|config| config.resync_stopped = Duration::from_secs(20));
    rig.control(Control::Stop);
    rig.sees(&["tell Stop"]);
    rig.wait(20_000);
    rig.sees(&["next"]);
    rig.next(None);
    rig.push(1);
    rig.sees(&[]);
    rig.wait(20_000);
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.sees(&["note Resumed", "claim 1"]);
}

#[test]
fn a_report_that_is_answered_not_working_ends_the_turn() {
    let mut rig = Rig::in_sync(|config| config.keep_alive = Some(Duration::from_secs(3)));
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["working", "turn 1, first"]);
    rig.answer("working", Answer::Activity(Some(false)));
    rig.sees(&["tell Stop", "cancel"]);
    rig.end(1, ending(Ending::Cancelled));
    rig.sees(&["idle"]);
    rig.wait(1_000);
    rig.sees(&["next"]);
    rig.next(None);
    rig.sees(&[]);
}

#[test]
fn a_turn_that_takes_too_long_is_cancelled_then_aborted_then_failed() {
    let mut rig = Rig::in_sync(|config| config.max_cycle = Some(Duration::from_secs(5)));
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.wait(5_000);
    rig.sees(&["cancel"]);
    rig.wait(999);
    rig.sees(&[]);
    rig.wait(1);
    rig.sees(&["abort"]);
    rig.end(1, ending(Ending::Cancelled));
    let gave_up = format!("note GaveUp({})", super::rig::id(1));
    rig.sees(&["notice Internal", &gave_up, "failed 1: cycle exceeded max_cycle_seconds=5.0"]);
}

#[test]
fn an_interrupt_during_the_grace_outweighs_the_timeout() {
    let mut rig = Rig::in_sync(|config| config.max_cycle = Some(Duration::from_secs(5)));
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.wait(5_000);
    rig.sees(&["cancel"]);
    rig.control(Control::Interrupt);
    rig.sees(&["tell Interrupt"]);
    rig.end(1, ending(Ending::Cancelled));
    rig.sees(&["processed 1"]);
}

#[test]
fn a_turn_that_finishes_as_it_is_stopped_counts_as_done() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.control(Control::Stop);
    rig.sees(&["tell Stop", "cancel"]);
    rig.end(1, done());
    rig.sees(&["processed 1"]);
}

#[test]
fn a_post_that_is_refused_because_of_a_stop_ends_the_turn_and_the_adapter_hears_of_it_once() {
    let mut rig = Rig::in_sync(|config| config.keep_alive = Some(Duration::from_secs(3)));
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["working", "turn 1, first"]);
    rig.refuse_post(1);
    rig.sees(&["tell Stop", "cancel"]);
    rig.answer("working", Answer::Activity(Some(false)));
    rig.refuse_post(1);
    rig.control(Control::Stop);
    rig.sees(&[]);
    rig.end(1, ending(Ending::Stopped));
    rig.sees(&["idle"]);
    rig.control(Control::Stop);
    rig.sees(&["tell Stop"]);
}

#[test]
fn a_report_from_before_the_last_word_of_a_person_ends_nothing() {
    let mut rig = Rig::in_sync(|config| config.keep_alive = Some(Duration::from_secs(3)));
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["working", "turn 1, first"]);
    rig.control(Control::Stop);
    rig.sees(&["tell Stop", "cancel"]);
    rig.end(1, ending(Ending::Cancelled));
    rig.control(Control::Play);
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1"]);
    rig.answer("working", Answer::Activity(Some(false)));
    rig.sees(&[]);
}
