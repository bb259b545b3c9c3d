//! How a running link ends.

use super::*;
use crate::link::Disconnect;

#[tokio::test(start_paused = true)]
async fn a_stop_leaves_control_closes_with_1000_and_ends() {
    for by_token in [true, false] {
        let (mut world, mut peer) = World::in_room().await;
        if by_token {
            world.stop.cancel();
        } else {
            world.handle.close();
        }
        let leave = peer.accept_request().await;
        assert_eq!(
            (leave.event, leave.topic),
            (reserved::LEAVE.to_owned(), format!("agent_control:{AGENT}"))
        );
        assert_eq!(peer.closed().await.0, 1000);
        assert_eq!(peer.socket.next().await.map(|last| last.is_ok()), None);
        assert_eq!(world.ended().await, StopReason::Requested);
        assert_eq!(world.event().await, LinkEvent::Ended(StopReason::Requested));
        assert_eq!(world.handle.ended(), Some(StopReason::Requested));
    }
}

#[tokio::test(start_paused = true)]
async fn a_stop_takes_seven_seconds_at_most_when_the_platform_says_nothing() {
    let (mut world, _peer) = World::connected().await;
    let start = tokio::time::Instant::now();
    world.stop.cancel();
    assert_eq!(world.ended().await, StopReason::Requested);
    assert_eq!(start.elapsed().as_secs(), 7);
}

#[tokio::test(start_paused = true)]
async fn a_stop_while_connecting_or_waiting_ends_at_once() {
    let mut connecting = World::start();
    let _silent = connecting.dialled().await;
    connecting.stop.cancel();
    assert_eq!(connecting.ended().await, StopReason::Requested);

    let mut waiting = World::start();
    waiting.answer(&["HTTP/1.1 429 Later\r\nRetry-After: 600\r\n\r\n"]).await;
    waiting.event().await;
    let start = tokio::time::Instant::now();
    waiting.stop.cancel();
    assert_eq!(waiting.ended().await, StopReason::Requested);
    assert_eq!(start.elapsed(), Duration::ZERO);
}

fn supersede(retryable: bool, retry_after: Option<u64>) -> Value {
    json!({
        "reason": "session.already_connected", "message": "another one", "retryable": retryable,
        "retry_after": retry_after, "target_socket_id": format!("agent_socket:{AGENT}"),
        "correlation_id": "evict-1",
    })
}

#[tokio::test(start_paused = true)]
async fn a_superseded_link_ends_with_the_platforms_words_and_does_not_come_back() {
    let (mut world, mut peer) = World::in_room().await;
    peer.push(1, &format!("agent_control:{AGENT}"), "supersede", &supersede(false, None)).await;
    let reason = StopReason::Superseded {
        reason: "session.already_connected".to_owned(),
        message: "another one".to_owned(),
        retryable: false,
        correlation_id: Some("evict-1".to_owned()),
    };
    assert_eq!(peer.closed().await.0, 1000);
    assert_eq!(world.ended().await, reason);
    assert_eq!(world.event().await, LinkEvent::Ended(reason));
    assert!(world.pipes.try_recv().is_err(), "no other attempt");
}

#[tokio::test(start_paused = true)]
async fn a_link_that_is_superseded_for_now_comes_back_later() {
    let (mut world, mut peer) = World::connected().await;
    let start = tokio::time::Instant::now();
    peer.push(1, &format!("agent_control:{AGENT}"), "supersede", &supersede(true, Some(15))).await;
    let event = world.event().await;
    assert!(
        matches!(event, LinkEvent::Disconnected { reason: Disconnect::Superseded { .. }, .. }),
        "{event:?}"
    );
    world.accept().await.join_own_topics().await;
    assert_eq!(start.elapsed().as_secs(), 15);
}

#[tokio::test(start_paused = true)]
async fn a_control_topic_that_is_refused_ends_the_start() {
    let mut world = World::start();
    let mut peer = world.accept().await;
    let control = peer.frame().await;
    peer.reply(&control, reply_error("unauthorized")).await;
    let reason = StopReason::ControlRejected { reason: "unauthorized".to_owned() };
    assert_eq!(world.ended().await, reason);
}
