//! The real network, as far as loopback goes.

use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::link::Disconnect;

/// A listener, and a link that connects to it. The pipes stay unused.
async fn on_tcp() -> (TcpListener, World) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}/socket", listener.local_addr().unwrap());
    let (handle, events, driver) = Link::new(&config(&url)).unwrap();
    let (_, pipes) = mpsc::channel(1);
    (listener, World::run(handle, events, driver, pipes))
}

async fn accept(listener: &TcpListener) -> Peer<TcpStream> {
    Peer::accept(listener.accept().await.unwrap().0).await
}

#[tokio::test]
async fn a_link_over_tcp_connects_and_comes_back_after_a_reset() {
    let (listener, mut world) = on_tcp().await;
    let mut peer = accept(&listener).await;
    peer.join_own_topics().await;
    assert_eq!(world.event().await, LinkEvent::Connected { reconnect: false });
    // Closing with zero linger sends a reset.
    peer.socket.get_ref().set_zero_linger().unwrap();
    drop(peer);
    let event = world.event().await;
    assert!(matches!(event, LinkEvent::Disconnected { reason: Disconnect::Broken(_), .. }), "{event:?}");
    let mut peer = accept(&listener).await;
    peer.join_own_topics().await;
    assert_eq!(world.event().await, LinkEvent::Connected { reconnect: true });
    world.stop.cancel();
    peer.accept_request().await;
    peer.closed().await;
    drop(peer);
    assert_eq!(world.ended().await, StopReason::Requested);
}

#[tokio::test]
async fn a_port_where_nobody_listens_is_named_and_tried_again() {
    let (listener, mut world) = on_tcp().await;
    let address = listener.local_addr().unwrap();
    // The first attempt may have reached the listener's queue; the next ones can't.
    drop(listener);
    loop {
        let event = world.event().await;
        let LinkEvent::Disconnected { reason, .. } = &event else { panic!("{event:?}") };
        if let Disconnect::Unreachable(what) = reason
            && what.starts_with(&format!("connect to {address}: "))
        {
            break;
        }
    }
    world.stop.cancel();
    assert_eq!(world.ended().await, StopReason::Requested);
}

#[tokio::test]
async fn a_platform_without_tls_is_named_as_such() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("wss://{}/socket", listener.local_addr().unwrap());
    let (handle, events, driver) = Link::new(&config(&url)).unwrap();
    let (_, pipes) = mpsc::channel(1);
    let mut world = World::run(handle, events, driver, pipes);
    let (mut stream, _) = listener.accept().await.unwrap();
    stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
    let event = world.event().await;
    assert!(
        matches!(&event, LinkEvent::Disconnected { reason: Disconnect::Unreachable(what), .. }
            if what.starts_with("TLS with 127.0.0.1:")),
        "{event:?}"
    );
    world.stop.cancel();
    assert_eq!(world.ended().await, StopReason::Requested);
}
