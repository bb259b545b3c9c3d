//! People steer the agent.

use serde_json::json;

use crate::platform::{Platform, agent, room};
use crate::scene::{PATIENCE, start};

/// A person steers the agent in room 1.
pub(crate) async fn steer(platform: &Platform, mode: &str, id: &str) {
    let payload = json!({
        "type": "agent.control", "mode": mode, "scope": "room", "agent_id": agent(), "execution_id": null,
        "room_id": room(1), "reason": "user_requested", "correlation_id": id,
    });
    platform.push(&format!("agent_control:{}", agent()), "agent.control", payload).await;
}

#[tokio::test]
async fn an_interrupt_ends_the_turn_and_its_message_counts_as_handled() {
    let platform = Platform::start(&[1]).await;
    let (running, book) = start(&platform).await;
    let id = platform.say(1, "wait").await;
    book.saw("turn wait, past [], first true").await;
    book.failing.lock().unwrap().push("on_interrupt");
    steer(&platform, "interrupt", "c1").await;
    book.saw("cancelled").await;
    platform.stands(1, id, "processed").await;
    assert!(book.notes().contains(&"Interrupt".to_owned()));
    let next = platform.say(1, "next").await;
    platform.stands(1, next, "processed").await;
    assert_eq!(platform.texts(), ["re: next"], "the hook's panic costs nothing");
    assert!(running.stop(Some(PATIENCE)).await.unwrap().graceful);
}

#[tokio::test]
async fn a_stop_keeps_the_message_and_play_runs_it_again_and_each_signal_is_obeyed_once() {
    let platform = Platform::start(&[1]).await;
    let (running, book) = start(&platform).await;
    let id = platform.say(1, "wait").await;
    book.saw("turn wait, past [], first true").await;
    steer(&platform, "stop", "c1").await;
    steer(&platform, "stop", "c1").await;
    book.saw("cancelled").await;
    assert_eq!(platform.status(1, id), Some("processing"));
    steer(&platform, "play", "c2").await;
    book.saw("turn wait, past [], first false").await;
    book.gate.notify_one();
    platform.stands(1, id, "processed").await;
    assert_eq!(book.notes().iter().filter(|note| *note == "Stop").count(), 1);
    running.stop(None).await.unwrap();
}
