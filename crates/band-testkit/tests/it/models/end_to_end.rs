//! Two agents with models of their own, and a person, on the real platform.

use std::time::Duration;

use band::{Agent, Capability, Features, Running};
use band_testkit::{ModelServer, ModelStep, NewAgent, PATIENCE, Platform};
use band_wire::phx::Topic;
use serde_json::{Value, json};

use super::Setup;
use super::subjects::{ANTHROPIC, CHAT, GEMINI, GENERIC, RESPONSES, Subject};

/// What each of the two may do.
fn everything() -> Setup {
    let groups = Capability::Contacts | Capability::Memory | Capability::Files | Capability::Tasks;
    Setup { features: Some(Features::new().capabilities(groups)), ..Setup::default() }
}

async fn start(
    platform: &Platform,
    state: &tempfile::TempDir,
    agent: &NewAgent,
    subject: &Subject,
    model: &ModelServer,
) -> Running {
    let built = Agent::builder((subject.make)(model, everything()))
        .credentials(agent.id, agent.key.clone())
        .rest_url(platform.base_url())
        .build_with([("BAND_STATE_DIR", state.path().display().to_string())].into_iter().collect());
    built.unwrap().start().await.unwrap()
}

/// A person asks the planner, the planner asks the critic, the critic answers it, and the planner the person. On the
/// way they look at contacts, remember something and share a file.
async fn two_agents_talk(subject: &Subject) {
    let platform = Platform::start().await.unwrap();
    let ann = platform.add_person("Ann").await.unwrap();
    let planner = ann.register("Planner", "Plans what Ann wants to have done.").await.unwrap();
    let critic = ann.register("Critic", "Finds what is wrong with a plan.").await.unwrap();
    let room = ann.room_with("Plans", &planner).await.unwrap();
    ann.add(room, critic.id).await.unwrap();
    let plans = ModelServer::start([
        ModelStep::call("band_get_participants", json!({})).and_call("band_list_contacts", json!({})),
        ModelStep::call("band_send_room_file", json!({
            "content": "1. Buy paint.\n2. Paint the shed.", "filename": "plan.txt", "caption": "What is wrong with it?",
            "mentions": ["ann/critic"],
        })),
        ModelStep::say("Asked."),
        ModelStep::send("The critic says: no brush.", &["ann"]).when("no brush"),
        ModelStep::say("Done.").when("no brush"),
    ])
    .await
    .unwrap();
    let reviews = ModelServer::start([
        ModelStep::call("band_list_room_files", json!({})),
        ModelStep::call("band_store_memory", json!({
            "content": "Ann's plans forget tools.", "system": "long_term", "type": "semantic", "segment": "agent",
            "thought": "it may help next time", "scope": "agent",
        })),
        ModelStep::call("band_list_memories", json!({})),
        ModelStep::send("There is no brush in it.", &["ann/planner"]),
        ModelStep::say("Answered."),
    ])
    .await
    .unwrap();
    let state = tempfile::tempdir().unwrap();
    let mut watcher = ann.watch().await.unwrap();
    watcher.join(Topic::ChatRoom(room)).await.unwrap();
    let running = [
        start(&platform, &state, &planner, subject, &plans).await,
        start(&platform, &state, &critic, subject, &reviews).await,
    ];
    ann.say(room, planner.id, "@planner plan how to paint the shed, and ask the critic").await.unwrap();
    let wanted = |message: &band_wire::rest::Message| {
        message.sender_id == planner.id.into() && message.content.contains("The critic says: no brush.")
    };
    watcher.message("the planner's answer", wanted).await.unwrap();
    for running in running {
        running.stop(Some(PATIENCE.min(Duration::from_secs(10)))).await.unwrap();
    }
    for model in [&plans, &reviews] {
        assert_eq!(model.refusals(), Vec::<String>::new());
        assert_eq!(model.steps_left(), 0);
    }
    assert_told(&ann.timeline(room).await.unwrap());
    platform.stop().await.unwrap();
}

/// What the room holds in the end.
fn assert_told(timeline: &[band_wire::rest::Message]) {
    let results: Vec<Value> = timeline
        .iter()
        .filter(|message| message.message_type == "tool_result")
        .filter_map(|message| serde_json::from_str(&message.content).ok())
        .collect();
    let failed: Vec<&Value> = results.iter().filter(|result| result["is_error"] != false).collect();
    assert!(failed.is_empty(), "{failed:?}");
    let named = |name: &str| {
        results.iter().find(|result| result["name"] == name).map(|result| result["output"].to_string())
    };
    assert!(named("band_list_room_files").unwrap().contains("plan.txt"));
    assert!(named("band_list_memories").unwrap().contains("forget tools"));
    let texts: Vec<&str> = timeline
        .iter()
        .filter(|message| message.message_type == "text")
        .map(|message| message.content.as_str())
        .collect();
    assert_eq!(texts.len(), 4, "each said one thing at a time: {texts:?}");
    assert!(!timeline.iter().any(|message| message.message_type == "error"));
}

macro_rules! end_to_end {
    ($($test:ident = $subject:ident;)+) => {$(
        #[tokio::test]
        async fn $test() {
            two_agents_talk(&$subject).await;
        }
    )+};
}

end_to_end! {
    two_agents_of_chat_completions_talk_with_tools_files_and_memory = CHAT;
    two_agents_of_responses_talk_with_tools_files_and_memory = RESPONSES;
    two_agents_of_anthropic_talk_with_tools_files_and_memory = ANTHROPIC;
    two_agents_of_gemini_talk_with_tools_files_and_memory = GEMINI;
    two_agents_of_a_function_talk_with_tools_files_and_memory = GENERIC;
}
