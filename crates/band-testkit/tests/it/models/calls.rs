//! Tools: what is offered, how calls are run, and how their results go back.

use band::testing::FakeTools;
use band::tools::{Effect, Tool};
use band::{ApiError, Capability, Emit, Features, FrameworkAdapter};
use band_testkit::ModelStep;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::subjects::{Subject, stamp};
use super::{Setup, Stage};

/// Files a ticket with the operations team.
#[derive(Deserialize, JsonSchema)]
struct OpenTicket {
    /// One line: what is broken.
    summary: String,
}

fn open_ticket() -> Tool {
    Tool::new("open_ticket", |args: OpenTicket, _| async move { Ok(format!("filed: {}", args.summary)) })
        .effect(Effect::Act)
}

async fn tools_run_and_their_results_go_back(subject: &Subject) {
    let stage = Stage::of(
        subject,
        [
            ModelStep::call("band_get_participants", json!({})).and_call("band_fly", json!({})),
            ModelStep::send("Here.", &["ada"]),
            ModelStep::say("All done."),
        ],
    )
    .await;
    stage.hear("who is here?").await.unwrap();
    assert_eq!(stage.said(), ["Here."], "after a reply the final text is not relayed");
    let asked = stage.asked();
    assert!(asked.contains("ada") && asked.contains("Unknown tool: band_fly"), "{asked}");
    let calls = stage.events("tool_call");
    let names: Vec<&Value> = calls.iter().map(|call| &call["name"]).collect();
    assert_eq!(names, ["band_get_participants", "band_fly", "band_send_message"]);
    let results = stage.events("tool_result");
    let failed: Vec<&Value> = results.iter().map(|result| &result["is_error"]).collect();
    assert_eq!(failed, [false, true, false]);
    let ids =
        |events: &[Value]| events.iter().map(|event| event["tool_call_id"].to_string()).collect::<Vec<_>>();
    assert_eq!(ids(&calls), ids(&results));
    stage.assert_accepted();
}

async fn wrong_arguments_go_back_to_the_model(subject: &Subject) {
    let stage = Stage::of(
        subject,
        [
            ModelStep::call("band_send_message", json!({ "content": "x", "mentions": ["eve"] })),
            ModelStep::call("band_send_message", json!({ "content": "x" })),
            ModelStep::call("band_send_message", json!({ "content": 7, "mentions": "ada" })),
            ModelStep::send("At last.", &["ada"]),
            ModelStep::silence(),
        ],
    )
    .await;
    stage.hear("hi").await.unwrap();
    let asked = stage.asked();
    assert!(asked.contains("Unknown participant 'eve'"), "{asked}");
    assert!(asked.contains("Invalid arguments for band_send_message: mentions: Field required"), "{asked}");
    assert!(asked.contains("content: Input should be a valid string"), "{asked}");
    assert_eq!(stage.said(), ["At last."]);
    stage.assert_accepted();
}

async fn what_was_not_chosen_is_neither_offered_nor_run(subject: &Subject) {
    let features = Features::new()
        .capabilities(Capability::Contacts | Capability::Memory)
        .include_categories(["chat", "contacts"])
        .exclude_tools(["band_get_participants"]);
    let features = features.resolve("Test", &supported()).unwrap();
    let room = FakeTools::new().with_features(features);
    let script = [
        ModelStep::call("band_get_participants", json!({})),
        ModelStep::call("band_list_memories", json!({})),
        ModelStep::call("band_list_contacts", json!({})),
        ModelStep::send("Done.", &["ada"]),
        ModelStep::silence(),
    ];
    let stage = Stage::with(subject, script, room, Setup::default()).await;
    stage.hear("hi").await.unwrap();
    let body = stage.model.bodies().remove(0);
    let offered = body["tools"].to_string();
    assert!(offered.contains("band_list_contacts") && offered.contains("band_send_message"), "{offered}");
    assert!(
        !offered.contains("band_get_participants") && !offered.contains("band_list_memories"),
        "{offered}"
    );
    let asked = stage.asked();
    for unknown in ["band_get_participants", "band_list_memories"] {
        assert!(asked.contains(&format!("Unknown tool: {unknown}")), "{asked}");
    }
    assert!(!asked.contains("Unknown tool: band_list_contacts"), "{asked}");
    stage.assert_accepted();
}

fn supported() -> band::Supported {
    band::Supported {
        emit: Emit::ToolCalls | Emit::Usage,
        capabilities: Capability::Contacts | Capability::Memory | Capability::Files | Capability::Tasks,
    }
}

async fn a_tool_of_ones_own_is_offered_run_and_counts(subject: &Subject) {
    let room = super::room().with_tools(vec![open_ticket()]);
    let setup = Setup { tools: vec![open_ticket()], ..Setup::default() };
    let script = [
        ModelStep::call("open_ticket", json!({})),
        ModelStep::call("open_ticket", json!({ "summary": "printer" })),
        ModelStep::silence(),
    ];
    let stage = Stage::with(subject, script, room, setup).await;
    let turn = stage.room.turn("the printer is broken");
    let tools = turn.tools.clone();
    stage.adapter.on_event(turn).await.unwrap();
    let offered = stage.model.bodies()[0]["tools"].to_string();
    assert!(offered.contains("Files a ticket") && offered.contains("what is broken"), "{offered}");
    let asked = stage.asked();
    assert!(asked.contains("summary: Field required") && asked.contains("filed: printer"), "{asked}");
    assert!(tools.is_complete() && !tools.replied(), "it acted");
    assert_eq!(stage.adapter.tools().len(), 1);
    stage.assert_accepted();
}

async fn calls_without_ids_get_ids_of_their_own(subject: &Subject) {
    let call = || ModelStep::call("band_get_participants", json!({})).without_ids();
    let two = call().and_call("band_list_contacts", json!({}));
    let script = [two, call(), ModelStep::send("Done.", &["ada"]), ModelStep::silence()];
    let stage = Stage::of(subject, script).await;
    stage.hear("hi").await.unwrap();
    let ids: std::collections::BTreeSet<String> =
        stage.events("tool_call").iter().map(|call| call["tool_call_id"].to_string()).collect();
    assert_eq!(ids.len(), 4);
    stage.assert_accepted();
}

async fn a_tool_event_that_can_not_be_shown_leaves_the_turn_running(subject: &Subject) {
    let stage = Stage::of(
        subject,
        [
            ModelStep::call("band_get_participants", json!({})),
            ModelStep::send("Done.", &["ada"]),
            ModelStep::silence(),
        ],
    )
    .await;
    stage.room.refuse(ApiError::new(500, "bad day"));
    stage.hear("hi").await.unwrap();
    assert_eq!(stage.said(), ["Done."]);
}

async fn nothing_is_shown_when_nothing_was_chosen(subject: &Subject) {
    let features = Features::new().emit([]).resolve("Test", &supported()).unwrap();
    let room = FakeTools::new().with_features(features);
    let script = [ModelStep::send("Done.", &["ada"]), ModelStep::silence()];
    let stage = Stage::with(subject, script, room, Setup::default()).await;
    stage.hear("hi").await.unwrap();
    assert!(stage.room.events().is_empty(), "{:?}", stage.room.events());
}

stamp!(
    tools_run_and_their_results_go_back,
    wrong_arguments_go_back_to_the_model,
    what_was_not_chosen_is_neither_offered_nor_run,
    a_tool_of_ones_own_is_offered_run_and_counts,
    calls_without_ids_get_ids_of_their_own,
    a_tool_event_that_can_not_be_shown_leaves_the_turn_running,
    nothing_is_shown_when_nothing_was_chosen,
);
