//! Starts that meet each other, fail, or are stopped on their way.

use std::sync::Arc;
use std::time::Duration;

use band::config::Env;
use band::{Error, SessionConfig};
use serde_json::json;

use crate::platform::{Platform, room};
use crate::scene::{Book, PATIENCE, Puppet, agent_of, builder_of, start};

#[tokio::test]
async fn whoever_starts_an_agent_that_is_starting_joins_it() {
    let platform = Platform::start(&[1]).await;
    let gate = platform.hold("me");
    let (agent, book) = agent_of(&platform, SessionConfig::default());
    let both = async {
        tokio::join!(agent.start(), agent.start(), async {
            platform.saw("me", 1).await;
            gate.notify_one();
        })
    };
    let (first, second, ()) = tokio::time::timeout(PATIENCE, both).await.unwrap();
    let (first, second) = (first.unwrap(), second.unwrap());
    assert_eq!(platform.count("me"), 1);
    assert_eq!(book.notes(), ["started Helper: Helps."]);
    let third = agent.start().await.unwrap();
    drop((first, second));
    assert!(third.is_running(), "each handle keeps it alive");
    third.stop(None).await.unwrap();
    assert_eq!(book.notes().iter().filter(|note| *note == "cleanup all").count(), 1);
}

#[tokio::test]
async fn whoever_joined_a_start_that_fails_gets_its_error() {
    let platform = Platform::start(&[]).await;
    let gate = platform.hold("me");
    platform.refuse("me", 401);
    let (agent, _) = agent_of(&platform, SessionConfig::default());
    // The held request is answered as usual: the next one, of the same start, is not there. So refuse it.
    platform.set_me("description", json!(""));
    let both = async {
        tokio::join!(agent.start(), agent.start(), async {
            platform.saw("me", 1).await;
            gate.notify_one();
        })
    };
    let (first, second, ()) = tokio::time::timeout(PATIENCE, both).await.unwrap();
    assert_eq!(first.unwrap_err().to_string(), second.unwrap_err().to_string());
    assert_eq!(platform.count("me"), 1, "one start");
}

#[tokio::test]
async fn a_stop_during_the_start_undoes_it_and_returns_at_once() {
    let platform = Platform::start(&[1]).await;
    let _gate = platform.hold("chats");
    let (agent, book) = agent_of(&platform, SessionConfig::default());
    let both = async {
        tokio::join!(agent.start(), async {
            platform.saw("chats", 1).await;
            agent.stop(Some(PATIENCE)).await.unwrap()
        })
    };
    let (started, stopped) = tokio::time::timeout(PATIENCE, both).await.unwrap();
    assert!(matches!(started.unwrap_err(), Error::Ended(band::link::StopReason::Requested)));
    assert!(stopped.graceful);
    assert_eq!(book.notes(), ["started Helper: Helps.", "cleanup all"]);
    agent.start().await.unwrap().stop(None).await.unwrap();
}

#[tokio::test]
async fn stopping_what_does_not_run_has_nothing_to_do() {
    let platform = Platform::start(&[1]).await;
    let (agent, book) = agent_of(&platform, SessionConfig::default());
    assert!(agent.stop(None).await.unwrap().graceful);
    let running = agent.start().await.unwrap();
    let again = running.clone();
    running.stop(None).await.unwrap();
    assert!(!again.is_running());
    again.clone().stop(None).await.unwrap();
    let second_life = agent.start().await.unwrap();
    again.stop(None).await.unwrap();
    assert!(second_life.is_running(), "an old handle does not reach a new life");
    second_life.stop(None).await.unwrap();
    assert_eq!(book.notes().iter().filter(|note| *note == "cleanup all").count(), 2);
}

#[tokio::test]
async fn two_stops_at_once_are_one_and_both_tell_how_it_went() {
    let platform = Platform::start(&[1]).await;
    let (running, book) = start(&platform).await;
    platform.say(1, "wait").await;
    book.saw("turn wait, past [], first true").await;
    let patient = running.clone().stop(Some(PATIENCE));
    let hasty = running.clone().stop(None);
    let both = tokio::time::timeout(PATIENCE, async { tokio::join!(patient, hasty) });
    let (patient, hasty) = both.await.unwrap();
    assert!(!patient.unwrap().graceful && !hasty.unwrap().graceful, "the hasty one cut the turn short");
    assert_eq!(book.notes().iter().filter(|note| *note == "cleanup all").count(), 1);
}

#[tokio::test]
async fn a_failed_start_that_cannot_be_undone_keeps_its_lock_until_a_stop_succeeds() {
    let platform = Platform::start(&[1]).await;
    let folder = tempfile::tempdir().unwrap();
    let env: Env = [("TMPDIR", folder.path().to_str().unwrap())].into_iter().collect();
    let build = || {
        let book = Arc::new(Book::default());
        let builder = builder_of(&platform, Puppet(Arc::clone(&book))).single_instance(true);
        (builder.build_with(env.clone()).unwrap(), book)
    };
    let (agent, book) = build();
    book.failing.lock().unwrap().extend(["on_started", "cleanup_all"]);
    let err = agent.start().await.unwrap_err();
    assert_eq!(
        err.to_string(),
        "the adapter could not start: on_started failed\nAgent cleanup is incomplete; retain this host and call \
         stop() to retry"
    );
    let err = agent.start().await.unwrap_err();
    assert_eq!(err.to_string(), "Agent cleanup is incomplete; call stop() to retry it");
    let (other, _) = build();
    assert!(matches!(other.start().await.unwrap_err(), Error::AlreadyRunning(_)), "the lock is held");
    book.failing.lock().unwrap().push("cleanup_all");
    let err = agent.stop(None).await.unwrap_err();
    assert_eq!(
        err.to_string(),
        "Agent cleanup remains incomplete: Adapter cleanup failed; retry stop() or shutdown() on the same host: \
         cleanup_all failed"
    );
    agent.stop(None).await.unwrap();
    other.start().await.unwrap().stop(None).await.unwrap();
    agent.start().await.unwrap().stop(None).await.unwrap();
}

#[tokio::test]
async fn a_stop_that_is_dropped_leaves_the_rest_to_the_next() {
    let platform = Platform::start(&[1]).await;
    let (running, book) = start(&platform).await;
    platform.say(1, "wait").await;
    book.saw("turn wait, past [], first true").await;
    let given_up =
        tokio::time::timeout(Duration::from_millis(20), running.clone().stop(Some(PATIENCE))).await;
    assert!(given_up.is_err());
    assert!(!running.is_running());
    book.gate.notify_one();
    assert!(running.stop(Some(PATIENCE)).await.unwrap().graceful);
    assert_eq!(platform.texts(), ["re: wait"]);
    let cleanup = [format!("cleanup {}", room(1)), "cleanup all".to_owned()];
    assert!(book.notes().ends_with(&cleanup));
}

#[tokio::test]
async fn a_handle_that_is_dropped_cuts_everything_off() {
    let platform = Platform::start(&[1]).await;
    let (agent, book) = agent_of(&platform, SessionConfig::default());
    drop(agent.start().await.unwrap());
    let running = agent.start().await.unwrap();
    assert_eq!(book.notes(), ["started Helper: Helps.", "started Helper: Helps."]);
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn a_start_that_is_dropped_while_it_takes_its_place_leaves_that_to_the_next() {
    let platform = Platform::start(&[1]).await;
    let state = tempfile::tempdir().unwrap();
    let folder = state.path().display().to_string();
    let env: Env = [("BAND_STATE_DIR", folder.clone()), ("TMPDIR", folder)].into_iter().collect();
    let builder = builder_of(&platform, Puppet(Arc::default())).session(SessionConfig::default());
    let agent = builder.single_instance(true).build_with(env).unwrap();
    for _ in 0..20 {
        {
            let mut dropped = std::pin::pin!(agent.start());
            assert!(futures_util::poll!(dropped.as_mut()).is_pending());
        }
        agent.start().await.unwrap().stop(None).await.unwrap();
    }
}
