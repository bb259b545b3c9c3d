//! The example of a minimal adapter, against the scripted model.

#[path = "../../../examples/chat_completions/adapter.rs"]
mod chat_completions;

use band::FrameworkAdapter;
use band_testkit::{ModelServer, ModelStep};
use serde_json::json;

use self::chat_completions::ChatCompletions;

async fn hear(script: Vec<ModelStep>) -> (ModelServer, band::testing::FakeTools, Result<(), String>) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let model = ModelServer::start(script).await.unwrap();
    let adapter = ChatCompletions {
        http: reqwest::Client::new(),
        base_url: model.openai_url(),
        model: "m".into(),
        me: std::sync::OnceLock::new(),
        rooms: tokio::sync::Mutex::default(),
    };
    let room = super::room();
    adapter.on_started(room.identity(), &room.platform().unwrap()).await.unwrap();
    let outcome = adapter.on_event(room.turn("who is here?")).await.map_err(|err| err.to_string());
    (model, room, outcome)
}

#[tokio::test]
async fn the_example_runs_tools_and_relays_the_final_text() {
    let script = vec![ModelStep::call("band_get_participants", json!({})), ModelStep::say("Ada is here.")];
    let (model, room, outcome) = hear(script).await;
    outcome.unwrap();
    assert_eq!(room.sent()[0].content, "Ada is here.");
    let kinds: Vec<&str> = room.events().iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["tool_call", "tool_result"]);
    assert!(model.refusals().is_empty());
}

#[tokio::test]
async fn the_example_gives_up_after_ten_rounds() {
    let script = (0..10).map(|page| ModelStep::call("band_lookup_peers", json!({ "page": page + 1 })));
    let (model, room, outcome) = hear(script.collect()).await;
    assert_eq!(outcome.unwrap_err(), "No final answer after 10 tool rounds");
    assert!(room.sent().is_empty() && model.steps_left() == 0);
    let source = include_str!("../../../examples/chat_completions/adapter.rs");
    assert!(source.lines().count() < 100, "it stays short");
}
