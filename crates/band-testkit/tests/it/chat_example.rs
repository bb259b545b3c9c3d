//! The adapter of `docs/adapters/your-own.md`, as it stands there: with a scripted model and a real platform.

use band::testing::FakeTools;
use band::{Agent, FrameworkAdapter};
use band_testkit::{ModelServer, ModelStep, PATIENCE, Platform};
use band_wire::phx::Topic;
use serde_json::{Value, json};

#[path = "../../examples/chat_completions.rs"]
#[allow(dead_code, reason = "its main is for people")]
mod example;

use example::ChatAdapter;

const PAGE: &str = include_str!("../../../../docs/adapters/your-own.md");
const FILE: &str = include_str!("../../examples/chat_completions.rs");

fn adapter(model: &ModelServer) -> ChatAdapter {
    // Whoever comes second finds it installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let (url, key) = (format!("{}/chat/completions", model.openai_url()), "sk-1".to_owned());
    ChatAdapter { url, key, model: "m".to_owned(), ..ChatAdapter::default() }
}

#[test]
fn the_page_shows_the_whole_adapter_and_it_is_short() {
    let (_, rest) = PAGE.split_once("```rust,ignore\n").expect("the page has a block of code");
    let (shown, _) = rest.split_once("```").expect("the block has an end");
    assert_eq!(shown, FILE, "put examples/chat_completions.rs into docs/adapters/your-own.md");
    assert!(FILE.lines().count() < 100, "{} lines", FILE.lines().count());
}

#[tokio::test]
async fn a_person_is_answered_after_tools_were_called_and_the_room_shows_the_calls() {
    let platform = Platform::start().await.unwrap();
    let ann = platform.add_person("Ann").await.unwrap();
    let agent = ann.register("Helper", "Helps in the kitchen.").await.unwrap();
    let room = ann.room_with("Kitchen", &agent).await.unwrap();
    let mut watcher = ann.watch().await.unwrap();
    watcher.join(Topic::ChatRoom(room)).await.unwrap();
    let wrong = json!({ "content": "to nobody", "mentions": [] });
    let model = ModelServer::start([
        ModelStep::call("band_get_participants", json!({})).and_call("band_send_message", wrong),
        ModelStep::say("You and I."),
        ModelStep::say("Still so."),
    ]);
    let model = model.await.unwrap().with_key("sk-1");
    let state = tempfile::tempdir().unwrap();
    let built = Agent::builder(adapter(&model))
        .credentials(agent.id, agent.key.clone())
        .rest_url(platform.base_url())
        .build_with([("BAND_STATE_DIR", state.path().display().to_string())].into_iter().collect());
    let running = built.unwrap().start().await.unwrap();
    for (question, answer) in [("who is here?", "You and I."), ("and now?", "Still so.")] {
        ann.say(room, agent.id, question).await.unwrap();
        let seen = watcher.message("the answer", |seen| seen.content.contains(answer)).await.unwrap();
        assert!(seen.content.contains(&ann.details().id.to_string()), "it mentions her: {}", seen.content);
    }
    assert!(running.stop(Some(PATIENCE)).await.unwrap().graceful);

    assert_eq!((model.refusals(), model.steps_left()), (Vec::new(), 0));
    let messages = model.last().body["messages"].as_array().unwrap().clone();
    let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles.first(), Some(&"system"));
    let talk = ["user", "assistant", "tool", "tool", "assistant", "user"];
    assert!(roles.ends_with(&talk), "the conversation was kept: {roles:?}");
    let told = |at: usize| messages[messages.len() - at]["content"].as_str().unwrap().to_owned();
    assert!(told(4).contains("Ann") && told(3).contains("mention"), "{} {}", told(4), told(3));
    let timeline = ann.timeline(room).await.unwrap();
    let shown: Vec<(&str, Value)> = timeline
        .iter()
        .filter(|message| message.message_type.starts_with("tool_"))
        .map(|message| (message.message_type.as_str(), serde_json::from_str(&message.content).unwrap()))
        .collect();
    let kinds: Vec<&str> = shown.iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, ["tool_call", "tool_result", "tool_call", "tool_result"]);
    assert_eq!(shown[0].1["tool_call_id"], shown[1].1["tool_call_id"]);
}

#[tokio::test]
async fn after_ten_rounds_without_an_answer_the_turn_fails_and_its_question_is_not_kept() {
    let steps = (0..10).map(|_| ModelStep::call("band_get_participants", json!({})));
    let model = ModelServer::start(steps.chain([ModelStep::say("Hello.")])).await.unwrap();
    let room = FakeTools::new();
    let adapter = adapter(&model);
    adapter.on_started(room.identity(), &room.platform().unwrap()).await.unwrap();
    let failure = adapter.on_event(room.turn("go round")).await.unwrap_err();
    assert_eq!(failure.to_string(), "No final answer after 10 tool rounds");
    assert_eq!(model.seen().len(), 10);
    let mut next = room.turn("hi");
    next.is_bootstrap = false;
    adapter.on_event(next).await.unwrap();
    assert_eq!(room.sent()[0].content, "Hello.");
    assert!(!model.last().body.to_string().contains("go round"));
    adapter.on_cleanup(room.tools().room()).await.unwrap();
    assert!(adapter.rooms.lock().await.is_empty());
}
