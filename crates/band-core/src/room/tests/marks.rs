//! Marks that do not hold at once.

use super::rig::{Rig, done};
use crate::room::{Answer, Input, Mark};

#[test]
fn a_refused_mark_is_repeated_alone_and_the_turn_never_runs_again() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.handles(1);
    for mark in [Mark::Lost, Mark::Refused, Mark::Stopped, Mark::Lost] {
        rig.sees(&["processed 1"]);
        rig.mark("processed 1", mark);
        rig.push(1);
        rig.sees(&[]);
        rig.wait(15_000);
    }
    rig.sees(&["processed 1"]);
    rig.mark("processed 1", Mark::Accepted);
    rig.push(1);
    rig.sees(&[]);
}

#[test]
fn a_mark_that_is_owed_holds_up_neither_pushes_nor_the_backlog() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.handles(1);
    rig.sees(&["processed 1"]);
    rig.push(2);
    rig.sees(&["claim 2"]);
    rig.mark("processed 1", Mark::Lost);
    rig.mark("claim 2", Mark::Accepted);
    rig.sees(&["turn 2"]);
    rig.tell(Input::Resync);
    rig.end(2, done());
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.sees(&["list"]);
    rig.list("list", &[1, 2, 3], None);
    rig.sees(&["claim 3"]);
}

#[test]
fn a_lookup_waits_for_a_mark_on_its_way() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.handles(1);
    rig.sees(&["processed 1"]);
    rig.tell(Input::Resync);
    rig.sees(&[]);
    rig.mark("processed 1", Mark::Accepted);
    rig.sees(&["next"]);
}

#[test]
fn a_handled_message_that_is_served_again_is_claimed_and_marked_without_a_turn() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.handled(1);
    rig.tell(Input::Resync);
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.sees(&["list", "claim 1"]);
    rig.list("list", &[1, 2], None);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["claim 2", "processed 1"]);
}

#[test]
fn a_mark_without_an_open_attempt_counts_as_made() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.handles(1);
    rig.sees(&["processed 1"]);
    rig.mark("processed 1", Mark::Rejected);
    rig.wait(10_000);
    rig.push(1);
    rig.sees_nothing_of(1);
}

#[test]
fn marks_outlive_a_stay_in_the_room() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.handles(1);
    rig.sees(&["processed 1"]);
    rig.mark("processed 1", Mark::Lost);
    let mut again = Rig::resumed(rig.left(), |_| {});
    again.sees(&["processed 1"]);
}

impl Rig {
    /// Nothing that the room says is about this message.
    #[track_caller]
    fn sees_nothing_of(&mut self, n: u128) {
        while let Some(said) = self.said_next() {
            assert!(!said.ends_with(&format!(" {n}")), "{said}");
            if said == "next" {
                self.answer("next", Answer::Next(Ok(None)));
            }
        }
    }
}
