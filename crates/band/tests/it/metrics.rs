//! What an agent counts.

use band::SessionConfig;
use band::metrics::{Metrics, TurnOutcome, render};

use crate::platform::Platform;
use crate::scene::{PATIENCE, agent_of};

/// Resolves when the numbers are like this.
async fn counted(metrics: &Metrics, is_so: impl Fn(&Metrics) -> bool) {
    let waited = async {
        while !is_so(metrics) {
            tokio::task::yield_now().await;
        }
    };
    if tokio::time::timeout(PATIENCE, waited).await.is_err() {
        panic!("{:?}", metrics.snapshot());
    }
}

#[tokio::test]
async fn turns_rooms_reconnects_and_what_is_owed_are_counted() {
    let platform = Platform::start(&[1, 2]).await;
    let (agent, _) = agent_of(&platform, SessionConfig::default());
    let running = agent.start().await.unwrap();
    let metrics = agent.metrics();
    let seen = metrics.snapshot();
    assert_eq!((seen.rooms, seen.is_connected, seen.reconnects), (2, true, 0));

    let refused = platform.hold("processed");
    platform.say(1, "hello").await;
    counted(metrics, |metrics| metrics.snapshot().acks_owed == 1).await;
    refused.notify_one();
    platform.say(2, "error").await;
    counted(metrics, |metrics| metrics.turns_ended(TurnOutcome::Failed) == 1).await;
    assert_eq!(metrics.turns_ended(TurnOutcome::Processed), 1);
    counted(metrics, |metrics| metrics.snapshot().acks_owed == 0).await;

    platform.drop_socket().await;
    counted(metrics, |metrics| metrics.snapshot().reconnects == 1).await;
    let text = render([(running.name(), metrics)]);
    assert!(text.contains("band_claim_duration_seconds_count{agent=\"Helper\"} 2\n"), "{text}");

    running.stop(Some(PATIENCE)).await.unwrap();
    let seen = metrics.snapshot();
    assert_eq!((seen.rooms, seen.queued, seen.is_connected), (0, 0, false));
}

#[tokio::test]
async fn messages_that_wait_are_counted_and_a_cancelled_turn_is_no_failure() {
    let platform = Platform::start(&[1]).await;
    let (agent, book) = agent_of(&platform, SessionConfig::default());
    let running = agent.start().await.unwrap();
    let metrics = agent.metrics();
    platform.saw("next", 1).await;
    platform.say(1, "wait").await;
    book.saw("turn wait, past [], first true").await;
    platform.say(1, "second").await;
    counted(metrics, |metrics| metrics.snapshot().queued == 1).await;
    running.stop(None).await.unwrap();
    assert_eq!(metrics.turns_ended(TurnOutcome::Cancelled), 1);
    let seen = metrics.snapshot();
    assert_eq!((seen.turns_started, seen.turns_ended, seen.queued), (1, 1, 0));
}
