//! The conversation: what a model is told, and what is kept.

use band::testing::FakeTools;
use band::{FrameworkAdapter, HistoryItem, RawHistory, Role};
use band_testkit::ModelStep;
use band_wire::Id;
use serde_json::{Map, json};
use uuid::Uuid;

use super::subjects::{Subject, stamp};
use super::{Setup, Stage};

async fn the_final_text_goes_where_the_adapter_says(subject: &Subject) {
    let stage = Stage::of(subject, [ModelStep::say("Hello, Ada.")]).await;
    let turn = stage.room.turn("hi");
    let tools = turn.tools.clone();
    stage.adapter.on_event(turn).await.unwrap();
    if subject.relays {
        assert_eq!(stage.room.sent()[0].mentions, [FakeTools::ada()]);
        assert_eq!(stage.said(), ["Hello, Ada."]);
    } else {
        assert!(stage.said().is_empty() && !tools.is_complete(), "only tools speak");
    }
    let seen = stage.model.last();
    assert_eq!(seen.dialect, subject.dialect);
    assert_eq!(seen.key.as_deref(), Some(super::subjects::KEY));
    let asked = stage.asked();
    for told in ["You are Echo", "Be brief.", "[System]: ## Current Participants", "[Ada]: hi"] {
        assert!(asked.contains(told), "{told}: {asked}");
    }
    stage.assert_accepted();
}

async fn a_room_keeps_its_conversation_until_it_is_cleaned_up(subject: &Subject) {
    let steps =
        ["One.", "Two.", "Three."].map(|text| [ModelStep::send(text, &["ada"]), ModelStep::say("Sent.")]);
    let stage = Stage::of(subject, steps.into_iter().flatten()).await;
    stage.hear("apples").await.unwrap();
    stage.hear_next("pears").await.unwrap();
    let asked = stage.asked();
    assert!(
        asked.contains("[Ada]: apples") && asked.contains("One.") && asked.contains("[Ada]: pears"),
        "{asked}"
    );
    stage.adapter.on_cleanup(stage.room.tools().room()).await.unwrap();
    stage.hear_next("plums").await.unwrap();
    let asked = stage.asked();
    assert!(!asked.contains("apples") && !asked.contains("One."), "{asked}");
    stage.assert_accepted();
}

fn entry(kind: &str, is_own: bool, content: &str) -> HistoryItem {
    HistoryItem {
        id: Id::new(Uuid::new_v4()),
        role: if is_own { Role::Assistant } else { Role::User },
        content: content.to_owned(),
        sender_id: Id::new(Uuid::nil()),
        sender_name: if is_own { "Echo" } else { "Ada" }.to_owned(),
        sender_handle: None,
        sender_type: if is_own { "Agent" } else { "User" }.to_owned(),
        message_type: kind.to_owned(),
        metadata: Map::new(),
        is_own,
        created_at: None,
        attachments: Vec::new(),
    }
}

async fn after_a_restart_answered_questions_stay_answered(subject: &Subject) {
    let call = |id: &str| json!({ "name": "band_send_message", "args": {}, "tool_call_id": id }).to_string();
    let result = |id: &str| json!({ "name": "f", "output": "ok", "tool_call_id": id }).to_string();
    let items = vec![
        entry("text", false, "question one"),
        entry("tool_call", true, &call("1")),
        entry("text", true, "answer one"),
        entry("tool_result", true, &result("1")),
        entry("text", false, "question two"),
        entry("thought", true, "hm"),
        entry("text", true, "answer two"),
        entry("tool_call", true, &call("2")),
        entry("text", false, "question three"),
        entry("tool_result", true, &result("9")),
        entry("text", true, "answer three"),
        entry("error", true, "a failure"),
    ];
    let stage = Stage::of(subject, [ModelStep::send("new answer", &["ada"]), ModelStep::silence()]).await;
    let turn = stage.room.turn_after("new question", RawHistory { items, truncated: false });
    stage.adapter.on_event(turn).await.unwrap();
    assert_eq!(stage.said(), ["new answer"]);
    let asked = stage.model.bodies()[0].to_string();
    for told in ["[Ada]: question one", "answer two", "answer three", "[Ada]: new question"] {
        assert!(asked.contains(told), "{told}: {asked}");
    }
    assert!(!asked.contains("\"hm\"") && !asked.contains("a failure"), "{asked}");
    stage.assert_accepted();
}

async fn thoughts_go_back_within_their_turn_and_no_further(subject: &Subject) {
    if !subject.keeps_thoughts {
        return;
    }
    let call =
        ModelStep::call("band_get_participants", json!({})).thinking("who may be here").saying("I look.");
    let script = [
        call,
        ModelStep::send("Ada is here.", &["ada"]).thinking("now I know"),
        ModelStep::silence(),
        ModelStep::send("Yes.", &["ada"]).thinking("again"),
        ModelStep::silence(),
    ];
    let setup = Setup { thinking: true, ..Setup::default() };
    let stage = Stage::with(subject, script, super::room(), setup).await;
    stage.hear("who is here?").await.unwrap();
    let signed = |body: &serde_json::Value| body.to_string().matches("c2lnbmVk").count();
    let counts: Vec<usize> = stage.model.bodies().iter().map(signed).collect();
    assert_eq!(counts, [0, 1, 2], "each comes back with its call");
    stage.hear_next("sure?").await.unwrap();
    assert_eq!(signed(&stage.model.bodies()[3]), 0, "a new turn begins without");
    stage.assert_accepted();
}

async fn an_image_reaches_the_model_as_one(subject: &Subject) {
    let camera = band::tools::Tool::new("camera", |_: Nothing, _| async move {
        Ok(json!({ "content": [{ "type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png" }] }))
    });
    let room = super::room().with_tools(vec![camera.clone()]);
    let setup = Setup { tools: vec![camera], ..Setup::default() };
    let script =
        [ModelStep::call("camera", json!({})), ModelStep::send("A cat.", &["ada"]), ModelStep::silence()];
    let stage = Stage::with(subject, script, room, setup).await;
    stage.hear("what do you see?").await.unwrap();
    let asked = stage.model.bodies()[1].to_string();
    assert!(asked.contains("iVBORw0KGgo="), "{asked}");
    let shown = stage.events("tool_result")[0].to_string();
    assert!(shown.contains("<1 image content block(s)>") && !shown.contains("iVBORw0KGgo="), "{shown}");
    stage.assert_accepted();
}

/// Takes no arguments.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nothing {}

async fn a_conversation_that_is_too_long_is_shortened_and_said_so(subject: &Subject) {
    let script = [
        ModelStep::call("band_get_participants", json!({})),
        ModelStep::send("One.", &["ada"]),
        ModelStep::silence(),
        ModelStep::overflow(),
        ModelStep::send("Two.", &["ada"]),
        ModelStep::silence(),
    ];
    let stage = Stage::of(subject, script).await;
    stage.hear(&"long ago ".repeat(300)).await.unwrap();
    stage.hear_next("now").await.unwrap();
    assert_eq!(stage.said(), ["One.", "Two."]);
    let thoughts: Vec<String> = stage.events("thought").iter().map(ToString::to_string).collect();
    assert!(thoughts[0].contains("too long for the model"), "{thoughts:?}");
    let bodies = stage.model.bodies();
    assert!(bodies[4].to_string().len() < bodies[3].to_string().len());
    assert!(stage.asked().contains("[Ada]: now"));
    stage.assert_accepted();
}

async fn a_turn_that_fails_leaves_no_question_behind(subject: &Subject) {
    let script = [
        ModelStep::refuse(400, "invalid_request_error", "no"),
        ModelStep::send("Back.", &["ada"]),
        ModelStep::silence(),
    ];
    let stage = Stage::of(subject, script).await;
    stage.hear("are you there?").await.unwrap_err();
    stage.hear_next("are you there?").await.unwrap();
    let asked = stage.model.bodies()[1].to_string();
    assert_eq!(asked.matches("are you there?").count(), 1, "{asked}");
}

stamp!(
    the_final_text_goes_where_the_adapter_says,
    a_room_keeps_its_conversation_until_it_is_cleaned_up,
    after_a_restart_answered_questions_stay_answered,
    thoughts_go_back_within_their_turn_and_no_further,
    an_image_reaches_the_model_as_one,
    a_conversation_that_is_too_long_is_shortened_and_said_so,
    a_turn_that_fails_leaves_no_question_behind,
);
