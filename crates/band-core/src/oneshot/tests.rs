//! One message's way, call by call.

use band_wire::rest::Message;
use band_wire::{Id, MessageId};
use serde_json::{Map, json};
use uuid::Uuid;

use super::{Answer, Call, Claims, End, Flow, Outcome, Page, Past, Ran, Refusal, Start};
use crate::room::{Listing, Mark};

fn id<M>(number: u128) -> Id<M> {
    Id::new(Uuid::from_u128(number))
}

fn start() -> Start {
    Start { agent: id(0xa), room: id(0xb), message: id(1), drain_max: 3, pages_kept: 20 }
}

fn message(number: u128) -> Message {
    Message {
        id: id(number),
        content: String::new(),
        message_type: "text".to_owned(),
        sender_id: id(7),
        sender_type: "User".to_owned(),
        sender_name: None,
        chat_room_id: None,
        metadata: Map::new(),
        attachments: Vec::new(),
        inserted_at: None,
        updated_at: None,
    }
}

fn served(number: u128) -> Answer {
    Answer::Next(Ok(Some(Box::new(message(number)))))
}

fn listed(numbers: &[u128], next: Option<&str>) -> Answer {
    let messages = numbers.iter().copied().map(message).collect();
    Answer::Listed(Ok(Listing { messages, next: next.map(str::to_owned) }))
}

fn past(numbers: &[u128]) -> Answer {
    let messages = numbers.iter().copied().map(message).collect();
    Answer::History(Some(Page { messages, has_more: false, cursor: None }))
}

const OK: Answer = Answer::Marked(Mark::Accepted);

/// Gives each answer to the call that is made; gives the calls by their names, and the end.
fn play(claims: &mut Claims, answers: Vec<Answer>) -> (Vec<String>, Option<End>) {
    let mut flow = Flow::new(start(), claims);
    let mut answers = answers.into_iter();
    let mut calls = Vec::new();
    while let Some(call) = flow.poll() {
        calls.push(name(&call));
        let Some(answer) = answers.next() else { break };
        flow.answer(answer, claims);
    }
    assert_eq!(answers.next(), None, "after {calls:?}");
    (calls, flow.end().cloned())
}

fn name(call: &Call) -> String {
    let number = |id: &MessageId| id.uuid().as_u128();
    match call {
        Call::Next => "next".to_owned(),
        Call::List { .. } => "list".to_owned(),
        Call::Claim(id) => format!("claim {}", number(id)),
        Call::Processed(id) => format!("processed {}", number(id)),
        Call::Failed(id, text) => format!("failed {} {text}", number(id)),
        Call::Participants => "participants".to_owned(),
        Call::Probe(_) => "probe".to_owned(),
        Call::History { .. } => "history".to_owned(),
        Call::Run(..) => "run".to_owned(),
    }
}

fn done(drained: &[u128], drain_truncated: bool) -> Outcome {
    let drained = drained.iter().copied().map(id).collect();
    let (room, message) = (start().room, start().message);
    Outcome::Done { room, message, drained, drain_truncated, history_truncated: false }
}

/// Up to the turn's end.
fn until_run(ran: Ran) -> Vec<Answer> {
    let (probed, past) = (Answer::Probed(Ok(false)), past(&[1, 2, 3, 4, 5, 6]));
    vec![served(1), OK, Answer::Participants, probed, past, Answer::Ran(ran)]
}

fn after_run(ran: Ran, more: Vec<Answer>) -> (Vec<String>, Option<End>) {
    let mut claims = Claims::new();
    let (calls, end) = play(&mut claims, until_run(ran).into_iter().chain(more).collect());
    assert_eq!(calls[..6], ["next", "claim 1", "participants", "probe", "history", "run"]);
    if end.is_some() {
        assert!(claims.try_claim(start().room, start().message), "it is out of hand");
    }
    (calls[6..].to_vec(), end)
}

#[test]
fn a_good_turn_is_marked_and_what_the_model_saw_is_drained() {
    let (calls, end) = after_run(Ran::Done, vec![OK, served(2), OK, OK, Answer::Next(Ok(None))]);
    assert_eq!(calls, ["processed 1", "next", "claim 2", "processed 2", "next"]);
    assert_eq!(end, Some(Ok(done(&[2], false))));
}

#[test]
fn the_drain_ends_with_the_first_thing_that_is_off_and_the_message_stays_done() {
    let error = || Answer::Next(Err(()));
    let mut own = message(9);
    (own.sender_id, own.sender_type) = (id(0xa), "Agent".to_owned());
    let own = || Answer::Next(Ok(Some(Box::new(own.clone()))));
    let lost = || Answer::Marked(Mark::Lost);
    let table: [(Vec<Answer>, &[u128], bool); 7] = [
        (vec![OK, error()], &[], false),
        (vec![OK, served(2), lost()], &[], false),
        (vec![OK, served(2), OK, lost()], &[], false),
        (vec![OK, served(77)], &[], false),
        (vec![OK, own(), own()], &[], false),
        (vec![OK, own(), served(2), OK, OK, error()], &[2], false),
        (vec![OK, served(2), OK, OK, served(3), OK, OK, served(4), OK, OK], &[2, 3, 4], true),
    ];
    for (answers, drained, truncated) in table {
        let told = format!("{answers:?}");
        assert_eq!(after_run(Ran::Done, answers).1, Some(Ok(done(drained, truncated))), "{told}");
    }
}

#[test]
fn a_mark_that_did_not_hold_is_owed_and_the_next_event_pays_it_without_a_turn() {
    let mut claims = Claims::new();
    let mut answers = until_run(Ran::Done);
    answers.push(Answer::Marked(Mark::Lost));
    assert_eq!(play(&mut claims, answers).1, Some(Err(Refusal::Completion)));
    let (calls, end) = play(&mut claims, vec![OK]);
    assert_eq!((calls, end), (vec!["processed 1".to_owned()], Some(Ok(done(&[], false)))));
    let (calls, end) = play(&mut claims, vec![]);
    let already = Outcome::AlreadyProcessed { message: start().message, next_open: None };
    assert_eq!((calls.len(), end), (0, Some(Ok(already))));
}

#[test]
fn each_bad_end_of_a_turn_has_its_mark_or_none() {
    let long = "x".repeat(600);
    let failed = |text: &str| after_run(Ran::Failed(text.to_owned()), vec![OK]);
    assert_eq!(failed("no model"), (vec!["failed 1 no model".to_owned()], Some(Err(Refusal::Adapter))));
    assert_eq!(failed(" ").0, ["failed 1 error"]);
    assert_eq!(failed(&long).0[0].len(), "failed 1 ".len() + 500);
    assert_eq!(after_run(Ran::Stopped, vec![]), (vec![], Some(Err(Refusal::Stopped))));
    let refused = Outcome::NotAccepted { room: Some(start().room), message: start().message };
    assert_eq!(after_run(Ran::NotAccepted, vec![]), (vec![], Some(Ok(refused))));
}

#[test]
fn what_can_not_be_claimed_or_asked_for_is_an_error_and_out_of_hand() {
    for (answers, refusal) in [
        (vec![Answer::Next(Err(()))], Refusal::Call),
        (vec![served(2), Answer::Listed(Err(()))], Refusal::Call),
        (vec![served(1), Answer::Marked(Mark::Refused)], Refusal::Claim),
        (vec![served(1), Answer::Marked(Mark::Stopped)], Refusal::Stopped),
        (vec![served(1), Answer::Participants], Refusal::Call),
    ] {
        let mut claims = Claims::new();
        assert_eq!(play(&mut claims, answers).1, Some(Err(refusal)));
        assert!(claims.try_claim(start().room, start().message));
    }
}

#[test]
fn a_message_that_is_in_hand_is_not_taken_twice() {
    let mut claims = Claims::new();
    let _first = Flow::new(start(), &mut claims);
    let busy = Outcome::NotAccepted { room: None, message: start().message };
    assert_eq!(play(&mut claims, vec![]), (vec![], Some(Ok(busy))));
}

#[test]
fn a_message_that_is_drained_is_named_as_long_as_it_is_in_hand() {
    let mut claims = Claims::new();
    let mut flow = Flow::new(start(), &mut claims);
    let mut named = Vec::new();
    let probed = Answer::Probed(Ok(false));
    let turn = [served(1), OK, Answer::Participants, probed, past(&[1, 2]), Answer::Ran(Ran::Done), OK];
    for answer in turn.into_iter().chain([served(2), OK, OK, Answer::Next(Ok(None))]) {
        let call = flow.poll().unwrap();
        named.extend(flow.draining().map(|id| (name(&call), id.uuid().as_u128())));
        flow.answer(answer, &mut claims);
    }
    assert_eq!(named, [("claim 2".to_owned(), 2), ("processed 2".to_owned(), 2)]);
    assert_eq!((flow.draining(), flow.end()), (None, Some(&Ok(done(&[2], false)))));
}

#[test]
fn a_message_behind_another_is_looked_for_and_only_a_word_to_work_under_way_is_taken() {
    let behind = || vec![served(9), listed(&[9, 8], Some("a")), listed(&[1], None), Answer::Participants];
    let mut waits = behind();
    waits.push(Answer::Probed(Ok(false)));
    let already = Outcome::AlreadyProcessed { message: start().message, next_open: Some(id(9)) };
    let (calls, end) = play(&mut Claims::new(), waits);
    assert_eq!(calls, ["next", "list", "list", "participants", "probe"], "it is not claimed");
    assert_eq!(end, Some(Ok(already.clone())));

    let mut taken = behind();
    taken.extend([Answer::Probed(Ok(true)), OK, OK]);
    let (calls, end) = play(&mut Claims::new(), taken);
    assert_eq!(calls[5..], ["claim 1", "processed 1"]);
    assert_eq!(end, Some(Ok(done(&[], false))));

    let gone = vec![served(9), listed(&[9], None)];
    assert_eq!(play(&mut Claims::new(), gone).1, Some(Ok(already)));
}

#[test]
fn a_message_that_is_processed_or_served_no_more_needs_nothing() {
    let mut processed = message(1);
    let own = id::<band_wire::id::Agent>(0xa).to_string();
    processed.metadata.insert("delivery_status".to_owned(), json!({own: {"status": "processed"}}));
    let answers = vec![Answer::Next(Ok(Some(Box::new(processed))))];
    let already = Outcome::AlreadyProcessed { message: start().message, next_open: None };
    assert_eq!(play(&mut Claims::new(), answers).1, Some(Ok(already)));
    let none = Outcome::NoPending { message: start().message };
    assert_eq!(play(&mut Claims::new(), vec![Answer::Next(Ok(None))]).1, Some(Ok(none)));
}

#[test]
fn the_turn_gets_what_could_be_read_of_the_past() {
    let mut claims = Claims::new();
    let mut flow = Flow::new(start(), &mut claims);
    let page = |number, cursor: Option<&str>| {
        let messages = vec![message(number)];
        Answer::History(Some(Page { messages, has_more: true, cursor: cursor.map(str::to_owned) }))
    };
    let probed = Answer::Probed(Ok(false));
    for answer in [served(1), OK, Answer::Participants, probed, page(5, Some("a")), page(6, None)] {
        assert!(flow.poll().is_some());
        flow.answer(answer, &mut claims);
    }
    let Some(Call::Run(trigger, past)) = flow.poll() else { panic!("no turn: {flow:?}") };
    assert_eq!(trigger.id, start().message);
    assert_eq!(*past, Past { messages: vec![message(5), message(6)], truncated: true });
}
