//! Owners that are slow, elsewhere, or gone.

use super::*;

#[tokio::test(start_paused = true)]
async fn an_owner_that_does_not_keep_up_is_asked_to_resync_and_the_link_lives_on() {
    let (mut world, mut peer) = World::in_room().await;
    for id in 0..1_500 {
        peer.push_message(id).await;
    }
    // Only a heartbeat shows that all of them were read.
    assert_eq!(peer.accept_request().await.event, reserved::HEARTBEAT);
    let mut ids = 0;
    let mut event = world.event().await;
    while let Some(id) = message_id(&event) {
        assert_eq!(id, ids, "in order and without a gap");
        ids += 1;
        event = world.event().await;
    }
    assert_eq!(event, LinkEvent::Overflow { room: room(1) });
    assert_eq!(u128::from(world.handle.counters().dropped_events), 1_500 - ids);
    peer.push_message(7_000).await;
    assert_eq!(message_id(&world.event().await), Some(7_000));
}

#[tokio::test(start_paused = true)]
async fn a_link_whose_events_nobody_takes_still_stops() {
    let (mut world, mut peer) = World::in_room().await;
    for id in 0..200 {
        peer.push_message(id).await;
    }
    assert_eq!(peer.accept_request().await.event, reserved::HEARTBEAT);
    world.stop.cancel();
    peer.accept_request().await;
    assert_eq!(peer.closed().await.0, 1000);
    assert_eq!(world.ended().await, StopReason::Requested);
    let mut last = None;
    while let Some(event) = world.events.next().await {
        last = Some(event);
    }
    assert_eq!(last, Some(LinkEvent::Ended(StopReason::Requested)));
}

#[tokio::test(start_paused = true)]
async fn a_link_goes_on_when_its_handles_and_events_are_gone() {
    let (world, mut peer) = World::in_room().await;
    let World { handle, events, stop, mut driver, mut pipes } = world;
    drop((handle, events));
    for id in 0..200 {
        peer.push_message(id).await;
    }
    peer.close(1012).await;
    let mut peer = Peer::accept(pipes.recv().await.unwrap()).await;
    peer.join_own_topics().await;
    stop.cancel();
    drop(peer);
    assert_eq!(driver.join_next().await.unwrap().unwrap(), StopReason::Requested);
}

#[tokio::test(start_paused = true)]
async fn a_driver_that_is_dropped_hangs_up_and_the_events_end() {
    let (world, mut peer) = World::connected().await;
    let World { handle, mut events, driver, .. } = world;
    drop(driver);
    assert!(events.next().await.is_none());
    assert_eq!(handle.ended(), None);
    handle.join_room(room(1)).await;
    handle.close();
    assert!(peer.socket.next().await.is_none_or(|last| last.is_err()));
}

#[test]
fn a_handle_works_from_any_thread_and_runtime() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (first, second) = (runtime(), runtime());
    let (mut world, mut peer) = first.block_on(World::connected());
    let handle = world.handle.clone();
    std::thread::scope(|scope| {
        scope.spawn(|| second.block_on(handle.join_room(room(1)))).join().unwrap();
    });
    first.block_on(async {
        peer.accept_request().await;
        peer.accept_request().await;
        assert_eq!(world.event().await, LinkEvent::RoomJoined(room(1)));
        world.stop.cancel();
        peer.accept_request().await;
        peer.closed().await;
        drop(peer);
        world.ended().await;
    });
}
