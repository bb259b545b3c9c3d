//! The Python SDK from the registry, unmodified, against our platform.

use band_testkit::{PATIENCE, peers};
use band_wire::rest::DeliveryRecord;
use serde::Deserialize;

use crate::stage::Stage;

#[tokio::test]
async fn it_starts_joins_gets_a_mention_replies_and_the_message_ends_processed() {
    let stage = Stage::set().await;
    let mut watcher = stage.watch().await;
    let mut agent = stage.python_agent().await;

    let message = stage.say("how are you?").await;
    let answer = stage.answer(&mut watcher, "echo: how are you?").await;
    assert!(answer.mentions().iter().any(|mention| mention.id == stage.person.details().id.into()));
    stage.processed(&mut watcher, message).await;

    agent.terminate().await.unwrap();
    agent.line("Agent stopped: Helper (graceful=True)", PATIENCE).await.unwrap();
    agent.ended(PATIENCE).await.unwrap();
}

#[tokio::test]
async fn it_catches_up_with_what_was_said_while_it_was_away() {
    let stage = Stage::set().await;
    let mut watcher = stage.watch().await;
    for text in ["one", "two", "three"] {
        stage.say(text).await;
    }
    let _agent = stage.python_agent().await;
    for text in ["echo: one", "echo: two", "echo: three"] {
        stage.answer(&mut watcher, text).await;
    }
}

#[tokio::test]
async fn it_joins_a_room_that_it_is_added_to_while_it_runs() {
    let stage = Stage::set().await;
    let _agent = stage.python_agent().await;
    let later = stage.person.room_with("Garden", &stage.agent).await.unwrap();
    let mut watcher = stage.person.watch().await.unwrap();
    watcher.join(band_wire::phx::Topic::ChatRoom(later)).await.unwrap();
    stage.person.say(later, stage.agent.id, "who is here?").await.unwrap();
    stage.answer(&mut watcher, "echo: who is here?").await;
}

#[tokio::test]
async fn killed_in_the_middle_of_a_turn_and_restarted_it_handles_that_message_again() {
    let stage = Stage::set().await;
    let mut watcher = stage.watch().await;
    let mut first = stage.python_agent().await;

    let message = stage.say("[[sleep:60000]] still there?").await;
    first.line(&format!("turn {message}"), PATIENCE).await.unwrap();
    first.kill().await.unwrap();

    let _second = stage.python_agent_with(&[("PEER_SLEEPS", "off")], stage.folder.path());
    stage.answer(&mut watcher, "echo: [[sleep:60000]] still there?").await;
    let settled = stage.processed(&mut watcher, message).await;
    let record = &settled.metadata["delivery_status"][stage.agent.id.to_string()];
    let record = DeliveryRecord::deserialize(record).unwrap();
    assert_eq!(record.attempts.len(), 1, "an open attempt is taken over, not counted anew");
    assert_eq!(stage.said_by_the_agent().await.len(), 1);
}

#[tokio::test]
async fn a_second_instance_supersedes_the_first_which_ends_without_a_reconnect() {
    let stage = Stage::set().await;
    let mut watcher = stage.watch().await;
    let mut first = stage.python_agent().await;

    let elsewhere = tempfile::tempdir().unwrap();
    let mut second = stage.python_agent_with(&[("PEER_SINGLE_INSTANCE", "off")], elsewhere.path());
    second.line("Agent started: Helper", PATIENCE).await.unwrap();
    let line = first.line("WebSocket connection superseded", PATIENCE).await.unwrap();
    assert!(line.contains("session.already_connected"), "{line}");
    assert!(
        first.ended(PATIENCE).await.unwrap().success(),
        "superseded agents end with 0:\n{}",
        first.tail()
    );

    stage.say("which one are you?").await;
    stage.answer(&mut watcher, "echo: which one are you?").await;
    assert_eq!(stage.said_by_the_agent().await.len(), 1);
}

#[tokio::test]
async fn with_reject_a_second_instance_is_refused_with_the_documented_error() {
    let stage = Stage::set().await;
    let mut watcher = stage.watch().await;
    let _first = stage.python_agent().await;

    let elsewhere = tempfile::tempdir().unwrap();
    let settings = [("PEER_SINGLE_INSTANCE", "off"), ("PEER_CONFLICT", "reject")];
    let mut second = stage.python_agent_with(&settings, elsewhere.path());
    let status = second.ended(PATIENCE).await.unwrap();
    assert!(!status.success());
    let id = stage.agent.id;
    let wanted =
        format!("AgentAlreadyRunningError: Agent {id} already has a live connection to the platform");
    assert!(!second.lines_with(&wanted).is_empty(), "{}", second.tail());

    stage.say("are you still there?").await;
    stage.answer(&mut watcher, "echo: are you still there?").await;
}

#[tokio::test]
async fn it_is_the_release_that_the_documents_speak_of() {
    let mut python = peers::python().unwrap();
    let script = "import importlib.metadata as m; print(m.version('band-sdk'))";
    let output = python.args(["-c", script]).output().await.unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "6.0.1");
}
