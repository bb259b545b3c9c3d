//! What only some adapters have.

use band::testing::FakeTools;
use band::{BoxedAdapter, Features, FrameworkAdapter};
use band_adapters::generic::Generic;
use band_adapters::openai::Chat;
use band_adapters::{ModelRequest, Step, registry};
use band_testkit::{ModelServer, ModelStep};
use serde_json::json;

use super::subjects::{ANTHROPIC, CHAT};
use super::{Setup, Stage};

#[tokio::test]
async fn arguments_that_are_no_json_go_back_bounded() {
    let calls = ["{not json", "[]", "\"x\"", "{} trailing"]
        .map(|text| ModelStep::call_raw("band_send_message", text));
    let long = ModelStep::call_raw("band_send_message", format!("{{\"content\": \"{}", "x".repeat(100_000)));
    let script = calls.into_iter().chain([long, ModelStep::say("I give up.")]);
    let stage = Stage::of(&CHAT, script).await;
    stage.hear("hi").await.unwrap();
    assert_eq!(stage.said(), ["I give up."]);
    let results = stage.events("tool_result");
    for result in &results {
        let output = result["output"].as_str().unwrap();
        assert!(output.starts_with("Invalid arguments for band_send_message: "), "{output}");
        assert!(output.chars().count() <= 800, "{}", output.len());
        assert_eq!(result["is_error"], true);
    }
    assert_eq!(results.len(), 5);
    assert!(stage.asked().len() < 30_000, "what was wrong does not fill the conversation");
}

#[tokio::test]
async fn a_function_is_a_model() {
    let adapter = Generic::new(|request: ModelRequest| async move {
        let said = request.transcript.entries().len();
        let has_answer = format!("{:?}", request.transcript).contains("\"counted\"");
        if has_answer {
            return Ok(Step::say("Done."));
        }
        let mut step = Step::call("band_send_message", json!({ "content": "counted", "mentions": ["ada"] }));
        step.thoughts.push(format!("{said} entries"));
        Ok(step)
    });
    let room = FakeTools::new().with_features(
        Features::new().resolve("Generic", &band::SimpleAdapter::supported(&adapter)).unwrap(),
    );
    adapter.on_event(room.turn("hi")).await.unwrap();
    assert_eq!(room.sent()[0].content, "counted");
    let thoughts: Vec<String> = room
        .events()
        .into_iter()
        .filter(|event| event.kind.as_str() == "thought")
        .map(|event| event.content)
        .collect();
    assert_eq!(thoughts, ["2 entries"]);
}

#[tokio::test]
async fn a_client_of_ones_own_is_used() {
    let model = ModelServer::start([ModelStep::say("Hi.")]).await.unwrap();
    // A client of one's own brings its own TLS.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().user_agent("mine/1").build().unwrap();
    let adapter = Chat::new("m").base_url(model.openai_url()).provider_key("k").http_client(client);
    let adapter = adapter.header("x-team", "blue").unwrap();
    let room = FakeTools::new();
    adapter.on_event(room.turn("hi")).await.unwrap();
    let seen = model.last();
    assert_eq!(seen.headers.get("user-agent").map(String::as_str), Some("mine/1"));
    assert_eq!(seen.headers.get("x-team").map(String::as_str), Some("blue"));
    assert!(!format!("{adapter:?}").contains("blue"));
}

#[tokio::test]
async fn the_registry_makes_each_adapter_from_settings() {
    for (name, at) in [("openai", "/v1"), ("anthropic", ""), ("gemini", "")] {
        let model =
            ModelServer::start([ModelStep::send("Hi.", &["ada"]), ModelStep::silence()]).await.unwrap();
        let settings = registry::Settings::from([
            ("model".to_owned(), json!("m")),
            ("base_url".to_owned(), json!(format!("{}{at}", model.url()))),
            ("provider_key".to_owned(), json!("k")),
        ]);
        let adapter: BoxedAdapter = registry::make(name, &settings).unwrap();
        let room = FakeTools::new();
        adapter.on_event(room.turn("hi")).await.unwrap();
        assert_eq!(room.sent()[0].content, "Hi.", "{name}");
        let wrong = registry::Settings::from([("modle".to_owned(), json!("m"))]);
        let err = registry::make(name, &wrong).unwrap_err().to_string();
        assert!(err.ends_with("modle: Extra inputs are not permitted. Did you mean 'model'?"), "{err}");
    }
}

#[tokio::test]
async fn the_prompt_of_anthropic_is_cached_with_the_conversation() {
    let script = [
        ModelStep::call("band_get_participants", json!({})),
        ModelStep::send("Hi.", &["ada"]),
        ModelStep::silence(),
    ];
    let stage = Stage::with(&ANTHROPIC, script, super::room(), Setup::default()).await;
    stage.hear("hi").await.unwrap();
    for body in stage.model.bodies() {
        assert_eq!(body["system"][0]["cache_control"]["type"], "ephemeral");
        assert_eq!(body.to_string().matches("cache_control").count(), 2);
        let last = body["messages"].as_array().unwrap().last().unwrap();
        let block = last["content"].as_array().unwrap().last().unwrap();
        assert_eq!(block["cache_control"]["type"], "ephemeral");
    }
    stage.assert_accepted();
}
