//! Turns that go on beside the room.

use super::rig::{Rig, boom, done, ending};
use crate::room::{Control, Mark};
use crate::turn::Ending;

/// A room whose first turn goes on beside it, while the second message is at work.
fn beside() -> Rig {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.push(2);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig.detach(1);
    rig.sees(&["processed 1", "claim 2"]);
    rig.mark("processed 1", Mark::Accepted);
    rig.mark("claim 2", Mark::Accepted);
    rig.sees(&["turn 2"]);
    rig
}

#[test]
fn a_detached_turn_lets_the_next_message_through_and_its_message_is_done_with() {
    let mut rig = beside();
    rig.end(2, boom());
    rig.sees(&["notice Internal", &format!("note GaveUp({})", super::rig::id(2)), "failed 2: boom"]);
    rig.mark("failed 2", Mark::Accepted);
    rig.end(1, done());
    rig.sees(&[]);
}

#[test]
fn a_detached_turn_is_judged_at_its_end_without_another_mark() {
    for (end, notice) in [(ending(Ending::Returned), "notice The"), (boom(), "notice Internal")] {
        let mut rig = beside();
        rig.end(1, end);
        rig.sees(&[notice]);
        rig.end(2, done());
        rig.sees(&["processed 2"]);
    }
    let mut rig = beside();
    rig.end(1, ending(Ending::Stopped));
    rig.sees(&[]);
}

#[test]
fn neither_interrupt_nor_stop_ends_a_detached_turn() {
    let mut rig = beside();
    rig.control(Control::Interrupt);
    rig.sees(&["tell Interrupt", "cancel"]);
    rig.end(2, ending(Ending::Cancelled));
    rig.sees(&["processed 2"]);
    rig.control(Control::Stop);
    rig.sees(&["tell Stop"]);
}

#[test]
fn a_closing_room_gives_a_detached_turn_its_time_then_ends_and_judges_it() {
    let mut rig = beside();
    rig.end(2, done());
    rig.sees(&["processed 2"]);
    rig.mark("processed 2", Mark::Accepted);
    rig.close(Some(5));
    rig.wait(4_999);
    rig.sees(&[]);
    rig.wait(1);
    rig.sees(&["cancel"]);
    rig.wait(1_000);
    rig.sees(&["abort"]);
    rig.end(1, ending(Ending::Cancelled));
    rig.sees(&["notice The"]);
    rig.answer("notice The", crate::room::Answer::Noticed);
    rig.sees(&["closed, graceful=false"]);
}

#[test]
fn a_turn_beyond_the_limit_keeps_the_room_waiting() {
    let mut rig = Rig::in_sync(|_| {});
    for n in 1..=64 {
        rig.push(n);
        rig.sees(&[&format!("claim {n}")]);
        rig.mark(&format!("claim {n}"), Mark::Accepted);
        rig.sees(&[&if n == 1 { "turn 1, first".to_owned() } else { format!("turn {n}") }]);
        rig.detach(n);
        rig.sees(&[&format!("processed {n}")]);
        rig.mark(&format!("processed {n}"), Mark::Accepted);
    }
    rig.push(65);
    rig.sees(&["claim 65"]);
    rig.mark("claim 65", Mark::Accepted);
    rig.sees(&["turn 65"]);
    rig.detach(65);
    rig.sees(&["note TooManyDetached"]);
    rig.end(65, ending(Ending::Returned));
    rig.says_all();
}
