//! An open socket: pushes, losses, reconnects.

use super::*;
use crate::link::Disconnect;

#[tokio::test(start_paused = true)]
async fn after_a_close_the_link_comes_back_and_joins_its_rooms_again() {
    for code in [1000, 1001, 1008, 1011, 1012, 1013, 4000] {
        let (mut world, mut peer) = World::in_room().await;
        peer.close(code).await;
        let event = world.event().await;
        let reason = Disconnect::Closed { code: Some(code), reason: "because".to_owned() };
        assert_eq!(event, LinkEvent::Disconnected { reason, retry_in: Duration::ZERO });
        let mut peer = world.accept().await;
        peer.join_own_topics().await;
        for topic in ["chat_room", "room_participants"] {
            assert_eq!(peer.accept_request().await.topic, format!("{topic}:{}", room(1)));
        }
        assert_eq!(world.event().await, LinkEvent::RoomJoined(room(1)));
        assert_eq!(world.event().await, LinkEvent::Connected { reconnect: true });
    }
}

#[tokio::test(start_paused = true)]
async fn the_platforms_close_is_answered() {
    let (_world, mut peer) = World::connected().await;
    peer.close(1012).await;
    assert_eq!(peer.closed().await, (1012, "because".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn after_a_connection_that_breaks_off_the_link_comes_back() {
    let (mut world, peer) = World::connected().await;
    drop(peer);
    let event = world.event().await;
    assert!(matches!(event, LinkEvent::Disconnected { reason: Disconnect::Broken(_), .. }), "{event:?}");
    world.accept().await.join_own_topics().await;
    assert_eq!(world.event().await, LinkEvent::Connected { reconnect: true });
}

#[tokio::test(start_paused = true)]
async fn a_platform_that_answers_no_heartbeat_is_left_with_4000() {
    let (mut world, mut peer) = World::connected().await;
    let start = tokio::time::Instant::now();
    assert_eq!(peer.frame().await.encode(), r#"[null,"3","phoenix","heartbeat",{}]"#);
    assert_eq!(start.elapsed().as_secs(), 30);
    assert_eq!(peer.closed().await, (4000, "Heartbeat dead-threshold exceeded".to_owned()));
    assert_eq!(start.elapsed().as_secs(), 40);
    let event = world.event().await;
    assert_eq!(event, LinkEvent::Disconnected { reason: Disconnect::Dead, retry_in: Duration::ZERO });
    // The new socket does not wait for the old one's goodbye.
    world.accept().await.join_own_topics().await;
    assert_eq!(start.elapsed().as_secs(), 40);
}

#[tokio::test(start_paused = true)]
async fn heartbeats_that_are_answered_keep_the_link_open_for_hours() {
    let (mut world, mut peer) = World::connected().await;
    for _ in 0..240 {
        assert_eq!(peer.accept_request().await.event, reserved::HEARTBEAT);
    }
    peer.close(1012).await;
    assert!(matches!(world.event().await, LinkEvent::Disconnected { .. }), "the first event in two hours");
}

#[tokio::test(start_paused = true)]
async fn pings_are_answered() {
    let (_world, mut peer) = World::connected().await;
    peer.socket.send(Message::Ping(vec![1, 2, 3].into())).await.unwrap();
    assert_eq!(peer.socket.next().await.unwrap().unwrap(), Message::Pong(vec![1, 2, 3].into()));
}

#[tokio::test(start_paused = true)]
async fn a_malformed_frame_is_skipped_and_the_next_message_arrives() {
    let (mut world, mut peer) = World::in_room().await;
    peer.text("not a frame".to_owned()).await;
    peer.socket.send(Message::binary(vec![0xff, 0xfe])).await.unwrap();
    peer.push_message(9).await;
    assert_eq!(message_id(&world.event().await), Some(9));
    assert_eq!(world.handle.counters().malformed_frames, 2);
}

#[tokio::test(start_paused = true)]
async fn a_frame_of_more_than_a_mebibyte_costs_the_socket_and_nothing_else() {
    let (mut world, mut peer) = World::in_room().await;
    let text = "x".repeat(1024 * 1024 + 1);
    // The link hangs up in the middle of it.
    let _ = peer.socket.send(Message::text(text)).await;
    let event = world.event().await;
    assert!(matches!(event, LinkEvent::Disconnected { reason: Disconnect::Broken(_), .. }), "{event:?}");
    world.accept().await.join_own_topics().await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_join_is_reported_after_ten_seconds_and_tried_again() {
    let (mut world, mut peer) = World::connected().await;
    world.handle.join_room(room(1)).await;
    let start = tokio::time::Instant::now();
    // The participants' topic is answered, the messages' one never; the heartbeat of the probe is.
    let chat = peer.frame().await;
    peer.accept_request().await;
    assert_eq!(peer.accept_request().await.event, reserved::HEARTBEAT);
    let event = world.event().await;
    assert!(
        matches!(&event, LinkEvent::RoomJoinFailed { reason, retry_in: Some(wait), .. }
            if reason == "timeout" && wait.as_secs() == 1),
        "{event:?}"
    );
    assert_eq!(start.elapsed().as_secs(), 10);
    assert_eq!(peer.accept_request().await.event, reserved::LEAVE);
    let again = peer.accept_request().await;
    assert_eq!((again.event, &again.topic), (reserved::JOIN.to_owned(), &chat.topic));
}

#[tokio::test(start_paused = true)]
async fn a_refused_room_is_reported_with_the_platforms_word() {
    let (mut world, mut peer) = World::connected().await;
    world.handle.join_room(room(1)).await;
    let chat = peer.frame().await;
    peer.reply(&chat, reply_error("unauthorized")).await;
    let event = world.event().await;
    assert!(
        matches!(&event, LinkEvent::RoomJoinFailed { reason, .. } if reason == "unauthorized"),
        "{event:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_thousand_rooms_are_asked_for_before_the_first_is_answered() {
    let (mut world, mut peer) = World::connected().await;
    for number in 0..1_000 {
        world.handle.join_room(room(number)).await;
    }
    let mut requests = Vec::new();
    for _ in 0..2_000 {
        requests.push(peer.frame().await);
    }
    for request in &requests {
        peer.reply(request, reply_ok(json!({}))).await;
    }
    for number in 0..1_000 {
        assert_eq!(world.event().await, LinkEvent::RoomJoined(room(number)));
    }
    // And once more after a loss.
    peer.close(1012).await;
    assert!(matches!(world.event().await, LinkEvent::Disconnected { .. }));
    let mut peer = world.accept().await;
    let mut requests = Vec::new();
    for _ in 0..2_002 {
        requests.push(peer.frame().await);
    }
    for request in &requests {
        peer.reply(request, reply_ok(json!({}))).await;
    }
    for number in 0..1_000 {
        assert_eq!(world.event().await, LinkEvent::RoomJoined(room(number)));
    }
    assert_eq!(world.event().await, LinkEvent::Connected { reconnect: true });
}

#[tokio::test(start_paused = true)]
async fn a_platform_that_stops_reading_is_noticed_and_left() {
    let (mut world, peer) = World::connected().await;
    for number in 0..1_000 {
        world.handle.join_room(room(number)).await;
    }
    // The pipe is full long before the last join is written. Nobody reads it.
    let mut event = world.event().await;
    while matches!(event, LinkEvent::RoomJoinFailed { .. }) {
        event = world.event().await;
    }
    assert!(matches!(event, LinkEvent::Disconnected { reason: Disconnect::Dead, .. }), "{event:?}");
    world.accept().await.join_own_topics().await;
    drop(peer);
}

#[tokio::test(start_paused = true)]
async fn messages_that_came_in_before_a_write_failed_are_delivered() {
    let (mut world, mut peer) = World::in_room().await;
    // Nothing here yields: the link sees the messages, the command and the end of the pipe together.
    for id in 0..3 {
        peer.push_message(id).await;
    }
    world.handle.join_room(room(2)).await;
    drop(peer);
    for id in 0..3 {
        assert_eq!(message_id(&world.event().await), Some(id));
    }
    let event = world.event().await;
    assert!(matches!(event, LinkEvent::Disconnected { reason: Disconnect::Broken(_), .. }), "{event:?}");
}
