//! The upgrade, accepted and refused.

use super::*;
use crate::link::{ConflictPolicy, Disconnect, Refusal};

#[tokio::test(start_paused = true)]
async fn the_key_travels_in_a_header_and_the_agent_in_the_query() {
    let mut world = World::start();
    let peer = world.accept().await;
    assert_eq!(peer.path, format!("/api/v1/socket/websocket?vsn=2.0.0&agent_id={AGENT}"));
    assert_eq!(peer.headers["x-api-key"], KEY);
    assert_eq!(peer.headers["host"], "band.test");
    assert!(peer.headers["user-agent"].to_str().unwrap().starts_with("band-rust/"));
}

#[tokio::test(start_paused = true)]
async fn reject_is_asked_for_until_the_first_upgrade_is_accepted() {
    let mut config = config("ws://band.test/s");
    config.on_conflict = ConflictPolicy::Reject;
    let mut world = World::start_with(&config);
    world.answer(&["HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"]).await;
    let second = world.accept().await;
    assert!(second.path.ends_with("&on_conflict=reject"), "{}", second.path);
    drop(second);
    let third = world.accept().await;
    assert!(!third.path.contains("on_conflict"), "{}", third.path);
}

fn envelope(code: &str) -> String {
    format!(r#"{{"error":{{"code":"{code}","message":"No.","request_id":null}}}}"#)
}

fn refused(status: u16, code: &str) -> Refusal {
    Refusal { code: Some(code.to_owned()), message: Some("No.".to_owned()), ..Refusal::status(status) }
}

#[tokio::test(start_paused = true)]
async fn four_statuses_end_a_first_connect_with_the_platforms_words() {
    for (status, code, reason) in [
        (400, "invalid_on_conflict", StopReason::BadRequest as fn(Refusal) -> StopReason),
        (401, "unauthorized", StopReason::Unauthorized),
        (403, "forbidden", StopReason::Forbidden),
        (409, "connection_conflict", StopReason::Conflict),
    ] {
        let mut world = World::start();
        let body = envelope(code);
        let head = format!("HTTP/1.1 {status} No\r\nContent-Length: {}\r\n\r\n", body.len());
        world.answer(&[&head, &body]).await;
        let reason = reason(refused(status, code));
        assert_eq!(world.event().await, LinkEvent::Ended(reason.clone()));
        assert_eq!(world.ended().await, reason);
        assert_eq!(world.events.next().await, None);
    }
}

#[tokio::test(start_paused = true)]
async fn other_statuses_are_tried_again() {
    let mut world = World::start();
    for status in [302, 404, 408, 429, 500, 502, 503] {
        world.answer(&[&format!("HTTP/1.1 {status} No\r\n\r\n")]).await;
        let event = world.event().await;
        assert!(
            matches!(&event, LinkEvent::Disconnected { reason: Disconnect::Refused(refusal), .. }
                if refusal.status == status),
            "{event:?}"
        );
    }
    world.accept().await.join_own_topics().await;
    assert_eq!(world.event().await, LinkEvent::Connected { reconnect: false });
}

#[tokio::test(start_paused = true)]
async fn the_platforms_delay_is_read_from_body_and_header_and_obeyed() {
    let in_body = r#"{"error":{"code":"tracking_failed","message":"","request_id":null,"retry_after":90}}"#;
    for (head, body) in [("", in_body), ("Retry-After: 90\r\n", ""), ("Retry-After: 90\r\n", "<html>")] {
        let mut world = World::start();
        let head = format!("HTTP/1.1 503 Later\r\n{head}Content-Length: {}\r\n\r\n", body.len());
        world.answer(&[&head, body]).await;
        let event = world.event().await;
        assert!(
            matches!(event, LinkEvent::Disconnected { retry_in, .. } if retry_in.as_secs() == 90),
            "{event:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_no_handshake_is_tried_again() {
    for answer in [
        "SSH-2.0-OpenSSH_9.2\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: bm90IHRoZSByaWdodCBvbmU=\r\n\r\n",
        "",
    ] {
        let mut world = World::start();
        world.answer(&[answer]).await;
        let event = world.event().await;
        assert!(
            matches!(&event, LinkEvent::Disconnected { reason: Disconnect::Unreachable(what), .. }
                if what.starts_with("upgrade band.test:80: ")),
            "{event:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_platform_that_accepts_tcp_and_says_nothing_is_given_up_after_ten_seconds() {
    let mut world = World::start();
    let _silent = world.dialled().await;
    let start = tokio::time::Instant::now();
    let event = world.event().await;
    assert!(matches!(event, LinkEvent::Disconnected { reason: Disconnect::OpenTimedOut, .. }), "{event:?}");
    assert_eq!(start.elapsed().as_secs(), 10);
    world.accept().await.join_own_topics().await;
}

#[tokio::test(start_paused = true)]
async fn no_event_and_no_debug_output_shows_the_key() {
    let mut world = World::start();
    world.answer(&["HTTP/1.1 401 No\r\n\r\n"]).await;
    let shown = format!("{:?} {:?} {:?}", world.event().await, world.handle, config("ws://band.test"));
    assert!(!shown.contains(KEY), "{shown}");
}

/// Takes what is logged.
#[derive(Debug, Clone, Default)]
struct Pages(Arc<std::sync::Mutex<Vec<u8>>>);

impl io::Write for Pages {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().map_err(|_| io::Error::other("poisoned"))?.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn the_most_detailed_log_holds_neither_the_key_nor_the_query() {
    let pages = Pages::default();
    let writer = pages.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let mut world = World::start_with(&config("ws://band.test/s?token=hush"));
    world.answer(&["HTTP/1.1 503 Later\r\n\r\n"]).await;
    let mut peer = world.accept().await;
    peer.join_own_topics().await;
    world.event().await;
    world.event().await;
    world.stop.cancel();
    peer.accept_request().await;
    peer.closed().await;
    drop(peer);
    world.ended().await;
    drop(guard);
    let text = String::from_utf8(pages.0.lock().unwrap().clone()).unwrap();
    assert!(text.contains("status_code: 503") && text.contains("connected"), "{text}");
    assert!(!text.contains(KEY) && !text.contains("hush"), "{text}");
}
