//! The bounds of the loop, and what it costs.

use band_testkit::ModelStep;
use serde_json::{Value, json};

use super::subjects::{Subject, stamp};
use super::{Setup, Stage};

async fn rounds(subject: &Subject, script: Vec<ModelStep>, rounds: u32) -> Stage {
    let setup = Setup { rounds: Some(rounds), ..Setup::default() };
    Stage::with(subject, script, super::room(), setup).await
}

/// A call that is unlike every other.
fn look(page: usize) -> ModelStep {
    ModelStep::call("band_lookup_peers", json!({ "page": page }))
}

async fn rounds_are_bounded_and_the_end_is_told(subject: &Subject) {
    let stage = rounds(subject, (1..=3).map(look).collect(), 3).await;
    let err = stage.hear("loop").await.unwrap_err();
    assert_eq!(err, "No final answer after 3 tool rounds");
    let told = stage.room.events().into_iter().find(|event| event.kind.as_str() == "error").unwrap();
    assert_eq!(told.content, err);
    let failure = &told.metadata.unwrap()["failure"];
    assert_eq!(failure["code"], "max_tool_rounds");
    assert_eq!(failure["detail"], "tool sequence: band_lookup_peers, band_lookup_peers, band_lookup_peers");
    let offered = stage.model.last().body["tools"].to_string();
    assert!(offered.contains("band_send_message") && offered.contains("band_no_reply"), "{offered}");
    assert!(!offered.contains("band_lookup_peers"), "the last round is for a reply: {offered}");
    stage.assert_accepted();
}

async fn thirty_thoughts_leave_a_round_for_the_reply(subject: &Subject) {
    let think = |n: usize| {
        let args = json!({ "content": format!("thought {n}"), "message_type": "thought" });
        ModelStep::call("band_send_event", args)
    };
    let mut script: Vec<ModelStep> = (1..25).map(think).collect();
    script.push(ModelStep::send("At last.", &["ada"]));
    let stage = Stage::of(subject, script).await;
    stage.hear("think hard").await.unwrap();
    assert_eq!(stage.said(), ["At last."]);
    assert_eq!(stage.model.seen().len(), 25);
}

async fn the_same_call_again_and_again_gets_a_hint_and_then_ends_the_turn(subject: &Subject) {
    let script = (0..9).map(|_| ModelStep::call("band_get_participants", json!({}))).collect();
    let stage = rounds(subject, script, 25).await;
    let err = stage.hear("who is here?").await.unwrap_err();
    assert!(err.contains("band_get_participants was called 5 times"), "{err}");
    let bodies = stage.model.bodies();
    assert_eq!(bodies.len(), 5);
    let hints: Vec<usize> =
        bodies.iter().map(|body| body.to_string().matches("with the same arguments").count()).collect();
    assert_eq!(hints, [0, 0, 0, 1, 2]);
    stage.assert_accepted();
}

async fn what_a_turn_took_is_told_once(subject: &Subject) {
    let script = [
        ModelStep::call("band_get_participants", json!({})).usage(100, 10).cached(60, 0),
        ModelStep::send("Here.", &["ada"]).usage(200, 20).cached(90, 0).reasoning(7),
        ModelStep::say("Done.").usage(300, 30),
    ];
    let stage = Stage::of(subject, script).await;
    stage.hear("hi").await.unwrap();
    let usage: Vec<Value> = usage(&stage);
    let expected = json!({
        "input_tokens": 600, "output_tokens": 60, "cache_read_tokens": 150, "cache_write_tokens": 0,
    });
    assert_eq!(usage, [expected]);
    assert_eq!(stage.events("task"), ["Token usage: input=600 output=60"]);
}

fn usage(stage: &Stage) -> Vec<Value> {
    let metadata = stage.room.events().into_iter().filter_map(|event| event.metadata);
    metadata.filter_map(|metadata| metadata.get("band_usage").cloned()).collect()
}

async fn what_a_turn_took_is_told_when_it_fails_too(subject: &Subject) {
    let script = [
        ModelStep::call("band_get_participants", json!({})).usage(100, 10),
        ModelStep::refuse(400, "invalid_request_error", "no"),
    ];
    let stage = Stage::of(subject, script).await;
    stage.hear("hi").await.unwrap_err();
    assert_eq!(usage(&stage).len(), 1);
    assert_eq!(usage(&stage)[0]["input_tokens"], 100);
}

async fn nothing_taken_is_not_told(subject: &Subject) {
    let stage = Stage::of(subject, [ModelStep::refuse(400, "invalid_request_error", "no")]).await;
    stage.hear("hi").await.unwrap_err();
    assert!(usage(&stage).is_empty());
}

stamp!(
    rounds_are_bounded_and_the_end_is_told,
    thirty_thoughts_leave_a_round_for_the_reply,
    the_same_call_again_and_again_gets_a_hint_and_then_ends_the_turn,
    what_a_turn_took_is_told_once,
    what_a_turn_took_is_told_when_it_fails_too,
    nothing_taken_is_not_told,
);
