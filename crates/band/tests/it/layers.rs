//! The layers below the agent, each alone.

use std::sync::Arc;

use band::link::{LinkConfig, LinkEvent};
use band::presence::{PresenceEvent, RoomPresence};
use band::rest::{RestClient, RestConfig};
use band::{Delivery, MessageStream, message_stream};

use crate::platform::{Platform, agent, room};
use crate::scene::{Book, PATIENCE, Puppet, agent_of, builder_of};

async fn next(messages: &mut MessageStream) -> Delivery {
    tokio::time::timeout(PATIENCE, messages.next()).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_stream_of_messages_has_no_gap_where_the_connection_had_one() {
    let platform = Platform::start(&[1]).await;
    let (adapter, mut messages) = message_stream();
    let running = builder_of(&platform, adapter).build().unwrap().start().await.unwrap();
    let before = platform.say(1, "before").await;
    next(&mut messages).await.done();
    platform.stands(1, before, "processed").await;
    platform.drop_socket().await;
    for text in ["one", "two", "three"] {
        platform.store(1, text);
    }
    for text in ["one", "two", "three"] {
        let delivery = next(&mut messages).await;
        assert_eq!(delivery.input.text(), text);
        let id = delivery.input.message.id;
        delivery.done();
        platform.stands(1, id, "processed").await;
    }
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn a_message_that_is_dropped_from_the_stream_comes_again_and_one_that_failed_does_not() {
    let platform = Platform::start(&[1]).await;
    let (adapter, mut messages) = message_stream();
    let running = builder_of(&platform, adapter).build().unwrap().start().await.unwrap();
    let id = platform.say(1, "hi").await;
    drop(next(&mut messages).await);
    let again = next(&mut messages).await;
    assert_eq!(again.input.message.id, id);
    assert!(again.input.is_bootstrap, "what it was to bring is still owed");
    again.failed("no idea");
    platform.stands(1, id, "failed").await;
    running.stop(None).await.unwrap();
    assert!(messages.next().await.is_none() || messages.next().await.is_none());
}

#[tokio::test]
async fn presence_alone_follows_the_rooms_and_says_where_to_look() {
    let platform = Platform::start(&[1]).await;
    let rest = RestClient::new(RestConfig::new(platform.url(), "band_a_key".into())).unwrap();
    let ws = format!("{}/api/v1/socket/websocket", platform.url().replace("http", "ws"));
    let mut presence =
        RoomPresence::connect(rest, &LinkConfig::new(ws, "band_a_key".into(), agent())).unwrap();
    let mut seen = async |wanted: fn(&PresenceEvent) -> bool| {
        let found = async {
            loop {
                let event = presence.next().await.unwrap();
                if wanted(&event) {
                    return;
                }
            }
        };
        tokio::time::timeout(PATIENCE, found).await.unwrap();
    };
    seen(|event| *event == PresenceEvent::Subscribed(room(1))).await;
    seen(|event| *event == PresenceEvent::Ready(1)).await;
    platform.say(1, "hi").await;
    seen(|event| matches!(event, PresenceEvent::Heard(LinkEvent::Message { .. }))).await;
    platform.drop_socket().await;
    seen(|event| *event == PresenceEvent::Unsubscribed(room(1))).await;
    seen(|event| *event == PresenceEvent::Subscribed(room(1))).await;
    platform.add_room(2).await;
    seen(|event| *event == PresenceEvent::Subscribed(room(2))).await;
    platform.remove_room(1).await;
    seen(|event| *event == PresenceEvent::Left(room(1))).await;
    assert_eq!(presence.rooms(), [room(2)]);
    presence.close();
    let ended = async { while presence.next().await.is_some() {} };
    tokio::time::timeout(PATIENCE, ended).await.unwrap();
}

/// A handle made on one runtime works from another thread with a runtime of its own.
#[tokio::test]
async fn handles_work_from_another_runtime() {
    let platform = Platform::start(&[1]).await;
    let (agent, book) = agent_of(&platform, band::SessionConfig::default());
    let running = agent.start().await.unwrap();
    platform.say(1, "wait").await;
    book.saw("turn wait, past [], first true").await;
    let elsewhere = tokio::task::spawn_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            assert_eq!(running.rooms(), [room(1)]);
            let handle = running.clone();
            tokio::join!(running.stop(Some(PATIENCE)), async {
                let _ = handle.closed().await;
            })
            .0
        })
    });
    book.gate.notify_one();
    assert!(elsewhere.await.unwrap().unwrap().graceful);
}

#[test]
fn everything_that_is_held_can_be_sent_and_shared() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<band::Agent>();
    is_shared::<band::Running>();
    is_shared::<band::AgentInput>();
    is_shared::<band::tools::RoomTools>();
    is_shared::<band::link::LinkHandle>();
    is_shared::<RestClient>();
    is_shared::<band::PlatformConnection>();
    is_shared::<band::Cleanups>();
    is_shared::<Arc<Puppet>>();
    is_shared::<Book>();
}
