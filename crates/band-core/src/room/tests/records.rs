//! What is written down, and what the next process makes of it.

use band_wire::rest::DeliveryStatus;

use super::rig::{Rig, boom, done, ending, id, message, with_status};
use crate::room::{Answer, Control, Debt, Input, Mark, Record, Recovered};
use crate::turn::Ending;

fn running(mut rig: Rig) -> Rig {
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["turn 1, first"]);
    rig
}

fn debt(failure: Option<&str>, reclaim: bool) -> Debt {
    Debt { message: id(1), failure: failure.map(str::to_owned), reclaim }
}

#[test]
fn a_start_is_written_down_before_the_turn_and_a_verdict_before_its_mark() {
    let mut rig = Rig::in_sync(|_| {});
    rig.push(1);
    rig.sees(&["claim 1"]);
    rig.mark("claim 1", Mark::Accepted);
    assert_eq!(rig.says_all(), ["begun 1", "turn 1, first"]);
    rig.end(1, done());
    assert_eq!(rig.says_all(), ["owes 1", "processed 1"]);
    rig.mark("processed 1", Mark::Accepted);
    assert_eq!(rig.says_all(), ["settled 1, handled"]);
}

#[test]
fn a_turn_that_was_asked_to_end_or_not_taken_is_excused() {
    let stop = Input::Control(Control::Stop);
    let close = Input::Close { by: None };
    let endings = [
        (Some(stop), Ending::Cancelled),
        (Some(close.clone()), Ending::Cancelled),
        (Some(close), Ending::Failed("boom".to_owned())),
        (None, Ending::NotAccepted),
        (None, Ending::Stopped),
    ];
    for (act, end) in endings {
        let mut rig = running(Rig::in_sync(|_| {}));
        if let Some(act) = act {
            rig.tell(act);
        }
        rig.says_all();
        rig.end(1, ending(end.clone()));
        rig.says_all();
        assert_eq!(rig.records, [Record::Began(id(1)), Record::Excused(id(1))], "{end:?}");
    }
}

#[test]
fn a_failure_an_interrupt_and_a_timeout_are_verdicts() {
    let mut rig = running(Rig::in_sync(|_| {}));
    rig.end(1, boom());
    rig.says_all();
    assert_eq!(rig.records.last(), Some(&Record::Owes(debt(Some("boom"), false))));
    let mut rig = running(Rig::in_sync(|_| {}));
    rig.control(Control::Interrupt);
    rig.says_all();
    rig.end(1, ending(Ending::Cancelled));
    rig.says_all();
    assert_eq!(rig.records.last(), Some(&Record::Owes(debt(None, false))));
}

#[test]
fn after_a_crash_a_verdict_is_marked_and_the_turn_not_run_again() {
    let left = Recovered { debts: vec![debt(None, false)], ..Recovered::default() };
    let mut rig = Rig::resumed(left, |config| config.keep_alive = None);
    rig.sees(&["processed 1"]);
    rig.mark("processed 1", Mark::Accepted);
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.sees(&["list", "claim 1"]);
}

#[test]
fn after_a_crash_in_the_middle_of_a_turn_it_runs_again() {
    let mut rig = Rig::resumed(started(1), |config| config.keep_alive = None);
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.sees(&["participants", "history 1", "claim 1"]);
}

fn started(times: u32) -> Recovered {
    Recovered { started: [(id(1), times)].into(), ..Recovered::default() }
}

#[test]
fn a_message_that_ended_its_process_too_often_is_failed_without_a_turn_and_told_once() {
    let mut rig = Rig::resumed(started(10), |_| {});
    rig.sees(&["next"]);
    rig.next(Some(1));
    let gave_up = format!("note GaveUp({})", id(1));
    rig.sees(&[&gave_up, "notice The", "list", "claim 1"]);
    rig.list("list", &[1, 2], None);
    rig.sees(&["participants", "history 2", "claim 2"]);
    rig.mark("claim 1", Mark::Accepted);
    rig.sees(&["failed 1: 10 turns ended without a verdict"]);
    rig.mark("failed 1", Mark::Accepted);
    rig.sees(&[]);

    let mut again = Rig::resumed(rig.left(), |_| {});
    again.sees(&["next"]);
    again.answer("next", Answer::Next(Ok(Some(with_status(1, "failed")))));
    again.sees(&["list"]);
}

#[test]
fn a_message_that_was_given_up_and_is_put_back_on_the_list_gets_its_turn() {
    let left = Recovered { given_up: [id(1)].into(), ..Recovered::default() };
    let mut rig = Rig::resumed(left, |config| config.history = false);
    rig.sees(&["next"]);
    rig.answer("next", Answer::Next(Ok(Some(with_status(1, DeliveryStatus::Delivered.as_str())))));
    rig.sees(&["participants", "claim 1"]);
}

#[test]
fn starts_are_not_counted_where_that_is_turned_off() {
    let mut rig = Rig::resumed(started(u32::MAX), |config| {
        config.deliveries = 0;
        config.history = false;
    });
    rig.sees(&["next"]);
    rig.next(Some(1));
    rig.sees(&["participants", "claim 1"]);
}

#[test]
fn a_synthetic_message_is_run_without_claim_mark_or_record() {
    let mut rig = Rig::in_sync(|_| {});
    rig.tell(Input::Synthetic(message(1)));
    rig.tell(Input::Synthetic(message(2)));
    rig.sees(&["turn 1, first"]);
    rig.end(1, ending(Ending::Returned));
    rig.sees(&["turn 2"]);
    rig.end(2, boom());
    rig.sees(&[&format!("note HubFailed({})", id(2))]);
    assert!(rig.records.is_empty());
}

#[test]
fn a_synthetic_message_of_a_stopped_room_waits_in_its_place() {
    let mut rig = Rig::in_sync(|_| {});
    rig.tell(Input::Synthetic(message(1)));
    rig.tell(Input::Synthetic(message(2)));
    rig.sees(&["turn 1, first"]);
    rig.control(Control::Stop);
    rig.sees(&["tell Stop", "cancel"]);
    rig.end(1, ending(Ending::Cancelled));
    rig.sees(&[]);
    rig.control(Control::Play);
    rig.sees(&["turn 1"]);
    rig.end(1, ending(Ending::NotAccepted));
    rig.sees(&["next"]);
    rig.next(None);
    rig.sees(&[]);
    rig.wait(500);
    rig.sees(&["turn 1"]);
    rig.end(1, done());
    rig.sees(&["turn 2"]);
}

#[test]
fn a_hub_shows_nobody_that_it_is_at_work() {
    let mut rig = Rig::new(|config| config.history = false);
    rig.tell(Input::Hub);
    rig.sees(&["next"]);
    rig.next(None);
    rig.tell(Input::Synthetic(message(1)));
    rig.sees(&["participants"]);
    rig.participants();
    rig.sees(&["turn 1, first"]);
}
