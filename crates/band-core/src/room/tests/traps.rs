//! Traps that have no other test here; `docs/traps.md` lists all.

use std::time::Duration;

use super::rig::{Rig, boom, done, ending};
use crate::room::{Answer, Control, Input, Mark, Recovered};
use crate::turn::Ending;

/// Room 1 with the turn of message 1 running.
fn at_work(mut rig: Rig) -> Rig {
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig
}

#[test]
fn trap_03_only_the_message_that_was_served_leaves_the_queue_and_the_others_keep_their_order() {
    let mut rig = Rig::in_sync(|_| {});
    rig.tell(Input::Resync);
    rig.sees(&["next"]);
    for n in [1, 2, 3, 4] {
        rig.push(n);
    }
    rig.next(Some(2));
    rig.handled(2);
    rig.sees(&["next"]);
    rig.next(None);
    for (n, after) in [(1, Some("claim 3")), (3, Some("claim 4")), (4, None)] {
        if n == 1 {
            rig.sees(&["claim 1"]);
        }
        rig.mark(&format!("claim {n}"), Mark::Accepted);
        rig.sees(&[&format!("turn {n}")]);
        rig.end(n, done());
        let marked = format!("processed {n}");
        rig.sees(&[Some(marked.as_str()), after].into_iter().flatten().collect::<Vec<_>>());
        rig.mark(&marked, Mark::Accepted);
    }
    rig.sees(&[]);
}

#[test]
fn trap_04_the_first_message_of_a_room_that_is_built_again_is_handled_once() {
    let mut first = Rig::in_sync(|_| {});
    first.push(1);
    first.handled(1);
    first.sees(&[]);
    let mut again = Rig::resumed(first.left(), |config| config.history = false);
    again.push(1);
    again.sees(&["next"]);
    again.next(None);
    again.sees(&[]);
    again.push(2);
    again.sees(&["participants", "claim 2"]);
}

#[test]
fn trap_05_a_busy_room_remembers_its_last_five_hundred_messages_and_takes_no_place_of_another_room() {
    let mut quiet = Rig::in_sync(|_| {});
    quiet.push(1);
    quiet.handled(1);
    let mut busy = Rig::in_sync(|_| {});
    for n in 1..=1_000 {
        busy.push(n);
        busy.handled(n);
    }
    quiet.push(1);
    quiet.sees(&[]);
    for n in 501..=1_000 {
        busy.push(n);
    }
    busy.sees(&[]);
}

#[test]
fn trap_06_a_mark_that_is_owed_keeps_its_turn_from_running_again_however_many_are_handled_meanwhile() {
    let mut rig = Rig::in_sync(|config| config.attempts = 2);
    rig.push(1);
    rig.handles(1);
    rig.sees(&["processed 1"]);
    rig.mark("processed 1", Mark::Lost);
    for n in 2..600 {
        rig.push(n);
        rig.handles(n);
        rig.sees(&[]);
    }
    rig.push(1);
    rig.sees(&[]);
}

#[test]
fn trap_23_an_interrupt_does_not_settle_the_message_of_a_turn_that_the_stop_ends() {
    let mut rig = at_work(Rig::in_sync(|_| {}));
    rig.control(Control::Interrupt);
    rig.sees(&["tell Interrupt", "cancel"]);
    rig.close(None);
    rig.end(1, ending(Ending::Cancelled));
    rig.sees(&["closed, graceful=false"]);
}

#[test]
fn trap_40_participants_are_read_with_history_off_and_known_when_history_is_lost() {
    let mut rig = Rig::new(|config| {
        config.history = false;
        config.keep_alive = None;
    });
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.sees(&["participants", "claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&[]);
    rig.participants();
    rig.sees(&["turn 1, first"]);
}

#[test]
fn trap_45_a_message_that_was_not_accepted_leaves_the_past_owed_and_its_attempt_unused() {
    let mut rig = at_work(Rig::in_sync(|_| {}));
    for _ in 0..3 {
        rig.end(1, ending(Ending::NotAccepted));
        rig.sees(&[]);
        rig.wait(15_000);
        rig.sees(&["next"]);
        rig.next(Some(1));
        rig.sees(&["claim 1"]);
        rig.mark("claim 1", Mark::Accepted);
        rig.sees(&["turn 1, first"]);
    }
    rig.end(1, done());
    rig.sees(&["processed 1"]);
}

#[test]
fn pain_a06_a_message_that_ends_its_process_each_time_is_started_as_often_as_is_allowed_and_no_more() {
    let start = |left: &Recovered| {
        let mut rig = Rig::resumed(left.clone(), |config| {
            config.history = false;
            config.keep_alive = None;
            config.deliveries = 3;
        });
        rig.sees(&["next"]);
        rig.next(Some(1));
        rig
    };
    let mut left = Recovered::default();
    for _ in 0..3 {
        let mut rig = start(&left);
        rig.sees(&["participants", "claim 1"]);
        rig.participants();
        rig.mark("claim 1", Mark::Accepted);
        rig.sees(&["turn 1, first"]);
        rig.records.into_iter().for_each(|record| left.apply(record));
    }
    let gave_up = format!("note GaveUp({})", super::rig::id(1));
    start(&left).sees(&[&gave_up, "notice The", "list", "claim 1"]);
}

#[test]
fn pain_b13_a_message_that_comes_again_hours_later_or_after_a_restart_is_handled_once() {
    let mut rig = Rig::in_sync(|config| config.resync = Duration::from_secs(100_000));
    rig.push(1);
    rig.handled(1);
    rig.sees(&[]);
    rig.wait(2 * 3_600 * 1_000);
    rig.push(1);
    rig.sees(&[]);
    for _ in 0..24 {
        let mut again = Rig::resumed(rig.left(), |config| {
            config.history = false;
            config.keep_alive = None;
        });
        again.sees(&["next"]);
        again.next(None);
        again.push(1);
        again.sees(&[]);
    }
}

#[test]
fn pain_a15_of_six_hundred_messages_whose_marks_are_owed_none_is_handled_again() {
    let mut rig = Rig::in_sync(|config| config.attempts = 2);
    for n in 1..=600 {
        rig.push(n);
        rig.handles(n);
        if n == 1 {
            rig.sees(&["processed 1"]);
            rig.mark("processed 1", Mark::Lost);
        }
        rig.sees(&[]);
    }
    for n in 1..=600 {
        rig.push(n);
    }
    rig.sees(&[]);
    let mut again = Rig::resumed(rig.left(), |config| config.attempts = 2);
    again.sees(&["processed 1"]);
    again.mark("processed 1", Mark::Lost);
    again.sees(&["next"]);
    again.next(None);
    for n in 1..=600 {
        again.push(n);
    }
    again.sees(&[]);
}

#[test]
fn pain_a13_an_answer_to_a_call_of_an_earlier_pass_changes_nothing() {
    let mut rig = Rig::in_sync(|_| {});
    rig.tell(Input::Resync);
    rig.sees(&["next"]);
    rig.control(Control::Stop);
    rig.sees(&["tell Stop"]);
    rig.control(Control::Play);
    let late = rig.open_call("next");
    rig.sees(&["next"]);
    rig.tell(Input::Answered { call: late, answer: Answer::Next(Ok(Some(super::rig::message(1)))) });
    rig.sees(&[]);
    rig.next(Some(2));
    rig.sees(&["claim 2"]);
}

#[test]
fn pain_a21_no_signal_at_any_point_of_a_turn_costs_an_attempt_or_starts_a_turn_in_a_stopped_room() {
    // How far the message has come when it is stopped.
    for stage in 0..4 {
        let mut rig = Rig::in_sync(|config| config.keep_alive = Some(Duration::from_secs(3)));
        if stage > 0 {
            rig.push(1);
            rig.sees(&["claim 1"]);
        }
        if stage > 1 {
            rig.mark("claim 1", Mark::Accepted);
            rig.sees(&["working", "turn 1, first"]);
        }
        if stage > 2 {
            rig.answer("working", Answer::Activity(Some(true)));
        }
        rig.control(Control::Stop);
        rig.control(Control::Interrupt);
        rig.control(Control::Stop);
        if stage == 1 {
            rig.mark("claim 1", Mark::Accepted);
        }
        rig.push(2);
        if stage > 1 {
            assert!(rig.says_all().contains(&"cancel".to_owned()), "stage {stage}");
            rig.end(1, ending(Ending::Cancelled));
        }
        rig.push(3);
        let mut said = rig.says_all();
        said.retain(|word| word != "idle" && !word.starts_with("excused") && !word.starts_with("tell"));
        assert!(said.is_empty(), "stage {stage}: {said:?}");
        assert_eq!(rig.room.memory.attempts(super::rig::id(1)), 0, "stage {stage}");
    }
}

#[test]
fn pain_a58_what_was_not_accepted_is_carried_by_the_next_turn_too() {
    let mut rig = at_work(Rig::in_sync(|_| {}));
    rig.end(1, ending(Ending::NotAccepted));
    rig.sees(&[]);
    rig.control(Control::Play);
    rig.sees(&["next"]);
    rig.next(Some(2));
    rig.sees(&["claim 2"]);
    rig.mark("claim 2", Mark::Accepted);
    rig.sees(&["turn 2, first"]);
}

#[test]
fn trap_30_a_turn_that_took_too_long_fails_once_even_if_it_ends_once_more() {
    let mut rig = at_work(Rig::in_sync(|config| config.max_cycle = Some(Duration::from_secs(5))));
    rig.wait(6_000);
    rig.sees(&["cancel", "abort"]);
    let turn = rig.running(1);
    rig.end(1, ending(Ending::Cancelled));
    let gave_up = format!("note GaveUp({})", super::rig::id(1));
    rig.sees(&["notice Internal", &gave_up, "failed 1: cycle exceeded max_cycle_seconds=5.0"]);
    rig.mark("failed 1", Mark::Accepted);
    rig.push(2);
    rig.sees(&["claim 2"]);
    rig.mark("claim 2", Mark::Accepted);
    rig.sees(&["turn 2"]);
    rig.tell(Input::TurnEnded { turn, end: boom() });
    rig.sees(&[]);
    rig.end(2, done());
    rig.sees(&["processed 2"]);
}
