//! Start and stop.

use std::time::Duration;

use band::config::Env;
use band::testing::running_agents;
use band::{Agent, Error, SessionConfig};
use serde_json::json;

use crate::platform::{Platform, agent, agent as agent_id, room};
use crate::scene::{Book, PATIENCE, Puppet, agent_of, journalless, start};

#[tokio::test]
async fn the_adapter_starts_before_the_socket_opens_and_rooms_are_joined_before_the_start_is_done() {
    let platform = Platform::start(&[1, 2]).await;
    let (running, book) = start(&platform).await;
    assert_eq!((running.name(), running.description()), ("Helper", "Helps."));
    assert_eq!(running.effective_config().session, journalless(SessionConfig::default()));
    assert_eq!(running.rooms(), [room(1), room(2)]);
    assert_eq!(book.notes(), ["started Helper: Helps."]);
    let log = platform.log();
    let at = |word: &str| log.iter().position(|name| name == word).unwrap();
    assert!(at("me") < at("socket") && at("socket") < at("phx_join agent_control"));
    assert!(at("chats") < at("phx_join chat_room"));
    let stopped = running.stop(Some(PATIENCE)).await.unwrap();
    assert!(stopped.graceful && stopped.reason.is_none());
}

#[tokio::test]
async fn a_wrong_key_is_told_with_the_platforms_own_words() {
    let platform = Platform::start(&[]).await;
    platform.refuse("me", 401);
    let (agent, book) = agent_of(&platform, SessionConfig::default());
    let err = agent.start().await.unwrap_err();
    assert!(matches!(err, Error::Unauthorized(_)));
    assert!(err.to_string().contains("status_code: 401"), "{err}");
    let api = err.api().unwrap();
    assert_eq!((api.code.as_str(), api.request_id.as_deref()), ("x", Some("r")));
    assert!(book.notes().is_empty(), "the adapter was never started");
}

#[tokio::test]
async fn an_agent_without_a_description_or_with_another_agents_key_does_not_start() {
    let platform = Platform::start(&[]).await;
    platform.set_me("description", json!(" "));
    let (agent, _) = agent_of(&platform, SessionConfig::default());
    let err = agent.start().await.unwrap_err();
    assert_eq!(err.to_string(), format!("Agent {} has no description", agent.id()));
    platform.set_me("id", json!(room(9)));
    let err = agent.start().await.unwrap_err().to_string();
    assert!(err.starts_with("the key belongs to agent"), "{err}");
}

#[tokio::test]
async fn a_failed_start_cleans_up_and_the_same_agent_can_be_started_again() {
    let platform = Platform::start(&[1]).await;
    let (agent, book) = agent_of(&platform, SessionConfig::default());
    book.failing.lock().unwrap().push("on_started");
    let err = agent.start().await.unwrap_err();
    assert_eq!(err.to_string(), "the adapter could not start: on_started failed");
    assert_eq!(book.notes(), ["started Helper: Helps.", "cleanup all"]);
    let running = agent.start().await.unwrap();
    assert!(running.is_running());
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn a_second_start_of_the_same_agent_is_refused_before_its_adapter_is() {
    let platform = Platform::start(&[]).await;
    let folder = tempfile::tempdir().unwrap();
    let build = || {
        let book = std::sync::Arc::new(Book::default());
        let env: Env = [("TMPDIR", folder.path().to_str().unwrap())].into_iter().collect();
        let agent = Agent::builder(Puppet(std::sync::Arc::clone(&book)))
            .credentials(agent(), "k")
            .rest_url(platform.url())
            .build_with(env)
            .unwrap();
        (agent, book)
    };
    let (first, _) = build();
    let running = first.start().await.unwrap();
    let (second, book) = build();
    let err = second.start().await.unwrap_err();
    assert!(matches!(err, Error::AlreadyRunning(_)), "{err}");
    assert!(err.to_string().contains("is already running on this host (lock: "), "{err}");
    assert!(book.notes().is_empty());
    running.stop(None).await.unwrap();
    second.start().await.unwrap().stop(None).await.unwrap();
}

#[tokio::test]
async fn a_graceful_stop_lets_the_turn_finish_and_begins_no_other() {
    let platform = Platform::start(&[1]).await;
    let (running, book) = start(&platform).await;
    let first = platform.say(1, "wait").await;
    book.saw("turn wait, past [], first true").await;
    let second = platform.say(1, "later").await;
    let stop = tokio::join!(running.stop(Some(PATIENCE)), async {
        platform.saw("phx_join", 4).await;
        book.gate.notify_one();
    });
    assert!(stop.0.unwrap().graceful);
    assert_eq!(platform.status(1, first), Some("processed"));
    assert_eq!(platform.status(1, second), None, "it is left for the next start");
    let cleanup = [format!("cleanup {}", room(1)), "cleanup all".to_owned()];
    assert!(book.notes().ends_with(&cleanup), "{:?}", book.notes());
    assert_eq!(platform.texts(), ["re: wait"]);
}

#[tokio::test]
async fn a_turn_that_is_cancelled_by_the_stop_leaves_its_message_open() {
    let platform = Platform::start(&[1, 2]).await;
    let (running, book) = start(&platform).await;
    let polite = platform.say(1, "wait").await;
    let stubborn = platform.say(2, "stubborn").await;
    platform.stands(1, polite, "processing").await;
    platform.stands(2, stubborn, "processing").await;
    book.saw("turn stubborn, past [], first true").await;
    let stopped = running.stop(Some(Duration::from_millis(50))).await.unwrap();
    assert!(!stopped.graceful);
    assert_eq!(platform.status(1, polite), Some("processing"));
    assert_eq!(platform.status(2, stubborn), Some("processing"));
    assert!(book.notes().contains(&"cancelled".to_owned()));
    assert_eq!(platform.count("failed"), 0);
}

#[tokio::test]
async fn what_could_not_be_cleaned_up_comes_back_and_only_that_is_tried_again() {
    let platform = Platform::start(&[1, 2]).await;
    let (running, book) = start(&platform).await;
    book.failing.lock().unwrap().extend(["on_cleanup", "cleanup_all"]);
    let incomplete = running.stop(None).await.unwrap_err();
    assert_eq!(incomplete.failures.len(), 2);
    assert!(
        incomplete
            .to_string()
            .starts_with("Agent cleanup remains incomplete: Execution cleanup remains incomplete: room ")
    );
    let before = book.notes().len();
    incomplete.running.stop(None).await.unwrap();
    assert_eq!(book.notes().len(), before + 2, "one room and the adapter: {:?}", book.notes());
}

#[tokio::test]
async fn an_adapter_that_panics_at_the_start_fails_it_and_is_cleaned_up() {
    let platform = Platform::start(&[1]).await;
    let (agent, book) = agent_of(&platform, SessionConfig::default());
    book.failing.lock().unwrap().push("panic in on_started");
    let err = agent.start().await.unwrap_err();
    assert_eq!(err.to_string(), "the adapter could not start: it panicked");
    assert_eq!(book.notes(), ["started Helper: Helps.", "cleanup all"]);
    agent.start().await.unwrap().stop(None).await.unwrap();
}

#[tokio::test]
async fn a_run_that_is_superseded_ends_without_an_error() {
    let platform = Platform::start(&[1]).await;
    let (agent, book) = agent_of(&platform, SessionConfig::default());
    let payload = json!({
        "type": "disconnect", "reason": "session.already_connected", "message": "Replaced", "retryable": false,
        "correlation_id": "c",
    });
    let both = async {
        tokio::join!(agent.run(), async {
            platform.saw("phx_join", 4).await;
            platform.push(&format!("agent_control:{}", agent_id()), "supersede", payload).await;
        })
    };
    let (stopped, ()) = tokio::time::timeout(PATIENCE, both).await.unwrap();
    let reason = stopped.unwrap().reason.unwrap();
    assert_eq!(
        (reason.code(), reason.is_retryable(), reason.correlation_id()),
        ("session.already_connected", false, Some("c"))
    );
    assert_eq!(book.notes().last().unwrap(), "cleanup all");
}

#[tokio::test]
async fn an_agent_that_was_superseded_takes_up_nothing_more_and_says_so() {
    let platform = Platform::start(&[1]).await;
    let (running, book) = start(&platform).await;
    let payload = json!({
        "type": "disconnect", "reason": "session.already_connected", "message": "Replaced", "retryable": false,
        "correlation_id": "c",
    });
    platform.push(&format!("agent_control:{}", agent()), "supersede", payload).await;
    let reason = tokio::time::timeout(PATIENCE, running.closed()).await.unwrap();
    assert!(matches!(reason, band::link::StopReason::Superseded { .. }), "{reason:?}");
    assert!(!running.is_running());
    let late = platform.store(1, "late");
    let stopped = running.stop(None).await.unwrap();
    assert_eq!(stopped.reason, Some(reason));
    assert!(book.notes().iter().all(|note| !note.starts_with("turn")), "{:?}", book.notes());
    // Whoever comes next has it.
    let (running, _) = start(&platform).await;
    platform.stands(1, late, "processed").await;
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn a_harness_finds_the_agents_that_run_and_holds_none_of_them() {
    let platform = Platform::start(&[1]).await;
    let is_listed =
        || running_agents().iter().any(|running| running.effective_config().rest_url == platform.url());
    let (running, _) = start(&platform).await;
    assert!(is_listed());
    running.stop(None).await.unwrap();
    assert!(!is_listed(), "it has stopped");
    let (running, _) = start(&platform).await;
    assert!(is_listed());
    drop(running);
    assert!(!is_listed(), "nobody holds it");
}
