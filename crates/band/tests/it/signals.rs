//! `run()` and the signals that end it. Each test has a process of its own.

use std::process::Command;

use band::SessionConfig;

use crate::platform::Platform;
use crate::scene::{PATIENCE, agent_of};

fn signal(name: &str) {
    let sent = Command::new("kill").args([name, &std::process::id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[tokio::test]
async fn the_first_signal_lets_the_turn_finish_and_the_second_ends_it_at_once() {
    let platform = Platform::start(&[1]).await;
    let (agent, book) = agent_of(&platform, SessionConfig::default());
    let script = async {
        platform.saw("phx_join", 4).await;
        let id = platform.say(1, "wait").await;
        book.saw("turn wait, past [], first true").await;
        signal("-TERM");
        let later = platform.say(1, "later").await;
        signal("-INT");
        book.saw("cancelled").await;
        (id, later)
    };
    let both = async { tokio::join!(agent.run(), script) };
    let (stopped, (id, later)) = tokio::time::timeout(PATIENCE, both).await.unwrap();
    assert!(!stopped.unwrap().graceful);
    assert_eq!(platform.status(1, id), Some("processing"));
    assert_eq!(platform.status(1, later), None);
}

#[tokio::test]
async fn a_signal_during_the_start_undoes_it() {
    let platform = Platform::start(&[1]).await;
    let _gate = platform.hold("chats");
    let (agent, book) = agent_of(&platform, SessionConfig::default());
    let script = async {
        platform.saw("chats", 1).await;
        signal("-INT");
    };
    let both = async { tokio::join!(agent.run(), script) };
    let (stopped, ()) = tokio::time::timeout(PATIENCE, both).await.unwrap();
    assert!(stopped.unwrap().graceful);
    assert_eq!(book.notes().last().unwrap(), "cleanup all");
}
