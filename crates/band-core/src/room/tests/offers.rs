//! Messages behind one that is held up are offered as words to work under way.

use super::rig::{Rig, boom, done, ending};
use crate::room::{Control, Mark};
use crate::turn::Ending;

/// A room whose first message the adapter did not take.
fn held_up() -> Rig {
    let mut rig = Rig::in_sync(|config| config.controls = true);
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.end(1, ending(Ending::NotAccepted));
    rig.sees(&["list"]);
    rig
}

#[test]
fn what_stands_behind_is_offered_once_and_marked_only_when_taken() {
    let mut rig = held_up();
    rig.list("list", &[1, 2, 3], None);
    rig.sees(&["offer 2"]);
    rig.end(2, ending(Ending::Returned));
    rig.sees(&["offer 3"]);
    rig.end(3, ending(Ending::Consumed));
    rig.sees(&["claim 3"]);
    rig.mark("claim 3", Mark::Accepted);
    rig.sees(&["processed 3"]);
    rig.mark("processed 3", Mark::Accepted);
    rig.wait(500);
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.end(1, ending(Ending::NotAccepted));
    rig.sees(&["list"]);
    rig.list("list", &[1, 2], None);
    rig.sees(&[]);
}

#[test]
fn a_push_behind_a_message_that_is_held_up_is_offered_and_keeps_its_place() {
    let mut rig = held_up();
    rig.list("list", &[1], None);
    rig.push(2);
    rig.sees(&["offer 2"]);
    rig.push(2);
    rig.end(2, ending(Ending::Returned));
    rig.push(3);
    rig.sees(&["offer 3"]);
    rig.end(3, ending(Ending::Consumed));
    rig.sees(&["claim 3"]);
    rig.mark("claim 3", Mark::Accepted);
    rig.sees(&["processed 3"]);
    rig.mark("processed 3", Mark::Accepted);
    rig.wait(500);
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.handled(1);
    rig.sees(&["next"]);
    rig.next(None);
    rig.handled(2);
    rig.push(3);
    rig.sees(&[]);
}

#[test]
fn pages_behind_it_are_read_one_each_time_it_is_tried_again() {
    let mut rig = held_up();
    rig.list("list", &[1, 2], Some("two"));
    rig.sees(&["offer 2"]);
    rig.end(2, ending(Ending::Returned));
    rig.sees(&[]);
    rig.wait(500);
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Refused);
    rig.sees(&["list two"]);
    rig.list("list two", &[3], None);
    rig.sees(&["offer 3"]);
}

#[test]
fn an_offer_that_fails_is_a_failure_of_its_message() {
    let mut rig = held_up();
    rig.list("list", &[1, 2], None);
    rig.sees(&["offer 2"]);
    rig.end(2, boom());
    rig.sees(&["notice Internal", "claim 2"]);
    rig.mark("claim 2", Mark::Accepted);
    rig.sees(&["failed 2: boom"]);
}

#[test]
fn a_stop_ends_an_offer_and_leaves_its_message_alone() {
    let mut rig = held_up();
    rig.list("list", &[1, 2], None);
    rig.sees(&["offer 2"]);
    rig.control(Control::Stop);
    rig.sees(&["tell Stop", "cancel"]);
    rig.end(2, ending(Ending::Cancelled));
    rig.sees(&[]);
    rig.control(Control::Play);
    rig.sees(&["next"]);
}

#[test]
fn a_message_that_is_consumed_at_its_turn_is_done_with_and_the_past_stays_owed() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.end(1, ending(Ending::Consumed));
    rig.sees(&["processed 1"]);
    rig.push(2);
    rig.sees(&["claim 2"]);
    rig.mark("claim 2", Mark::Accepted);
    rig.sees(&["turn 2, first"]);
    rig.end(2, done());
}
