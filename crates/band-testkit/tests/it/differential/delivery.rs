//! What a one-shot host does with events, and what it remembers.
//!
//! | The released functions | Ours |
//! |---|---|
//! | a payload may be any Python value | it is JSON |
//! | a message that is not the oldest is done, or another's turn | it is looked for in the list of open messages first |
//! | a ledger of claims for any texts, its acks counted | UUIDs; an ack is owed until it holds |

use band_core::oneshot::{
    Answer, Call, Claims, DRAIN_MAX, DrainStep, Envelope, Flow, Outcome, PAGES_KEPT, Route, Start, Waiting,
    drain_step, is_self_echo, route,
};
use band_wire::{AgentId, ChatId, Id, MessageId};
use proptest::prelude::*;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Script, compare, same};

#[derive(Debug, Clone)]
enum Op {
    Event { name: &'static str, room: Option<&'static str>, payload: Value },
    Drain { id: &'static str, sender: &'static str, kind: &'static str, seen: Vec<&'static str> },
    NoCandidate,
    Next(Option<u8>),
}

fn field() -> impl Strategy<Value = Option<Value>> {
    prop_oneof![
        8 => prop::sample::select(&["", "me", "x", "Agent", "User"][..]).prop_map(|text| Some(json!(text))),
        1 => Just(None),
        1 => prop::sample::select(vec![Some(json!(null)), Some(json!(7)), Some(json!([])), Some(json!({}))]),
    ]
}

fn payload() -> impl Strategy<Value = Value> {
    let keys = ["id", "content", "message_type", "sender_type", "inserted_at", "updated_at", "chat_room_id"];
    let fields = prop::collection::vec(field(), keys.len() + 1);
    let object = fields.prop_map(move |fields| {
        let keys = keys.iter().chain(&["sender_id"]);
        let pairs = keys.zip(fields).filter_map(|(key, value)| Some(((*key).to_owned(), value?)));
        Value::Object(pairs.collect())
    });
    prop_oneof![12 => object, 1 => Just(json!(7)), 1 => Just(json!([])), 1 => Just(json!(null)), 1 => Just(json!("id"))]
}

fn op() -> impl Strategy<Value = Op> {
    let names = [
        "message_created",
        "message_created",
        "message_created",
        "room_removed",
        "room_deleted",
        "message_updated",
        "room_added",
        "participant_added",
        "contact_added",
        "supersede",
        "agent.control",
        "event_created",
        "",
        "x",
    ];
    let room = prop::sample::select(&[None, None, Some(""), Some("room")][..]);
    let word = || prop::sample::select(&["", "me", "x"][..]);
    let kind = prop::sample::select(&["Agent", "agent", "User", ""][..]);
    prop_oneof![
        6 => (prop::sample::select(names.to_vec()), room, payload())
            .prop_map(|(name, room, payload)| Op::Event { name, room, payload }),
        3 => (word(), word(), kind, prop::collection::vec(word(), 0..3))
            .prop_map(|(id, sender, kind, seen)| Op::Drain { id, sender, kind, seen }),
        1 => Just(Op::NoCandidate),
        1 => prop::option::of(0_u8..3).prop_map(Op::Next),
    ]
}

fn routed(name: &str, room: Option<&str>, payload: &Value) -> Value {
    let envelope = Envelope { event: name, room, payload };
    match route(envelope, "me") {
        Ok(Route::Invocation { room, message }) => json!({
            "decision": "invocation", "room_id": room, "message_id": message, "sender_id": payload["sender_id"],
            "sender_type": payload["sender_type"],
        }),
        Ok(Route::SkipSelf { room, message }) => {
            json!({"decision": "skip_self", "room_id": room, "message_id": message})
        }
        Ok(Route::Cleanup { room }) => json!({"decision": "cleanup", "room_id": room}),
        Ok(Route::Ignored) => json!({"decision": "ignored", "event_type": name}),
        Err(err) => {
            let issue =
                |issue: &band_wire::event::Issue| json!([issue.path, issue.code.as_str(), issue.message]);
            let issues: Vec<Value> = err.issues.iter().map(issue).collect();
            json!({"raised": "ValueError", "text": err.to_string(), "issues": issues})
        }
    }
}

fn drained(waiting: Option<Waiting<'_>>, seen: &[&str]) -> Value {
    let id = waiting.map(|waiting| waiting.id);
    match drain_step(waiting, |id| seen.contains(&id), "me") {
        DrainStep::NoCandidate => json!({"decision": "no_candidate"}),
        DrainStep::SelfEcho => json!({"decision": "self_echo", "message_id": id}),
        DrainStep::Drain => json!({"decision": "drain", "message_id": id}),
        DrainStep::OutOfSnapshot => json!({"decision": "out_of_snapshot", "message_id": id}),
    }
}

fn id<M>(number: u8) -> Id<M> {
    Id::new(Uuid::from_u128(u128::from(number)))
}

/// What a flow about message 0 makes of the message that is served next.
fn next(served: Option<u8>) -> Value {
    let mut claims = Claims::new();
    let (agent, room, message): (AgentId, ChatId, MessageId) = (id(9), id(8), id(0));
    let start = Start { agent, room, message, drain_max: DRAIN_MAX, pages_kept: PAGES_KEPT };
    let mut flow = Flow::new(start, &mut claims);
    assert_eq!(flow.poll(), Some(Call::Next));
    let served = served.map(|number| Box::new(super::claims::message(id(number))));
    flow.answer(Answer::Next(Ok(served)), &mut claims);
    match (flow.poll(), flow.end()) {
        (Some(Call::Claim(_)), None) => json!({"decision": "ready_to_claim"}),
        (None, Some(Ok(Outcome::NoPending { .. }))) => json!({"decision": "no_pending"}),
        (Some(Call::List { .. }), None) => {
            flow.answer(Answer::Listed(Ok(band_core::room::Listing::default())), &mut claims);
            let Some(Ok(Outcome::AlreadyProcessed { next_open, .. })) = flow.end() else {
                panic!("{flow:?}")
            };
            json!({"decision": "already_processed", "next_open_id": next_open})
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn events_are_routed_and_messages_drained_as_released() {
    compare("delivery decisions", op(), |wheel, ops| {
        let mut script = Script::functions();
        let mut ours = Vec::new();
        for op in ops {
            match op {
                Op::Event { name, room, payload } => {
                    script.call(json!(["evaluate_delivery_event", name, room, payload, "me"]));
                    ours.push(routed(name, *room, payload));
                }
                Op::Drain { id, sender, kind, seen } => {
                    let candidate = json!({"id": id, "sender_id": sender, "sender_type": kind});
                    script.call(json!(["evaluate_drain_candidate", candidate, seen, "me"]));
                    ours.push(drained(Some(Waiting { id, sender_id: sender, sender_type: kind }), seen));
                    script.call(json!(["is_self_echo", sender, kind, "me"]));
                    ours.push(json!(is_self_echo(sender, kind, "me")));
                }
                Op::NoCandidate => {
                    script.call(json!(["evaluate_drain_candidate", null, [], "me"]));
                    ours.push(drained(None, &[]));
                }
                Op::Next(served) => {
                    let (trigger, served_id): (MessageId, Option<MessageId>) = (id(0), served.map(id));
                    script.call(json!(["evaluate_next_message", trigger, served_id]));
                    ours.push(next(*served));
                }
            }
        }
        for (at, (ours, theirs)) in ours.iter().zip(wheel.play(&script)).enumerate() {
            same(at, "the decision", ours, &theirs.said)?;
        }
        Ok(())
    });
}

#[derive(Debug, Clone, Copy)]
enum Claiming {
    Claim,
    Release,
    Owe,
    Complete,
    Forget,
}

#[test]
fn what_is_in_hand_owed_and_handled_is_remembered_as_in_the_released_ledger() {
    let ops = [Claiming::Claim, Claiming::Release, Claiming::Owe, Claiming::Complete, Claiming::Forget];
    let op = (prop::sample::select(ops.to_vec()), 0_u8..3, 0_u8..5);
    compare("claims of a one-shot host", op, |wheel, ops| {
        let mut script = Script::of("ClaimRegistry", &json!([500]), &json!({}));
        let mut claims = Claims::new();
        let mut ours = Vec::new();
        for (what, room, message) in ops {
            let (room, message): (ChatId, MessageId) = (id(*room), id(*message));
            let (name, said) = match what {
                Claiming::Claim => ("try_claim", json!(claims.try_claim(room, message))),
                Claiming::Release => ("release", json!(claims.release(room, message))),
                Claiming::Owe => ("remember_ack_pending", json!(claims.remember_owed(room, message))),
                Claiming::Complete => ("remember_completed", json!(claims.remember_completed(room, message))),
                Claiming::Forget => ("discard_completed", json!(claims.forget_room(room))),
            };
            script.call(if name == "discard_completed" {
                json!([name, room])
            } else {
                json!([name, room, message])
            });
            ours.push(said);
            script.call(json!(["is_completed", room, message]));
            ours.push(json!(claims.is_completed(room, message)));
            script.call(json!(["is_ack_pending", room, message]));
            ours.push(json!(claims.is_owed(room, message)));
        }
        for (at, (ours, theirs)) in ours.iter().zip(wheel.play(&script)).enumerate() {
            same(at, "the ledger", ours, &theirs.said)?;
        }
        Ok(())
    });
}
