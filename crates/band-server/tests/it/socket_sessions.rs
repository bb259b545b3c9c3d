//! One live socket for each agent.

use band_core::platform::hub::PROBE_GRACE;
use serde_json::Value;

use crate::live::{Phoenix, Populated};

impl Populated {
    async fn agent_socket(&self) -> Phoenix {
        let mut socket = Phoenix::open(&self.site, &self.helper).await;
        socket.join(&format!("agent_control:{}", self.helper.id)).await;
        socket.join(&format!("chat_room:{}", self.room)).await;
        socket
    }

    /// The end of a socket is known to the platform a moment after it is to the client.
    async fn rejecting_until_free(&self) -> Phoenix {
        loop {
            match self.rejecting().await {
                Ok(socket) => return socket,
                Err(status) => assert_eq!(status, 409),
            }
        }
    }

    async fn rejecting(&self) -> Result<Phoenix, u16> {
        let headers = [("x-api-key", self.helper.key.as_str())];
        let opened = Phoenix::try_open(&self.site, "vsn=2.0.0&on_conflict=reject", &headers).await;
        opened.map_err(|refused| {
            assert_eq!(refused.error["code"], "connection_conflict");
            assert_eq!(refused.error["message"], "Agent already connected");
            refused.status
        })
    }
}

#[tokio::test]
async fn a_new_socket_supersedes_the_old_one() {
    let p = Populated::start().await;
    let mut old = p.agent_socket().await;
    let mut new = p.agent_socket().await;
    let notice = old.event("supersede").await;
    assert_eq!(notice[2], format!("agent_control:{}", p.helper.id));
    let payload = &notice[4];
    assert_eq!(payload["reason"], "session.already_connected");
    assert_eq!((&payload["retryable"], &payload["retry_after"]), (&Value::Bool(false), &Value::Null));
    assert!(payload["correlation_id"].as_str().is_some_and(|id| id.starts_with("evict-")), "{payload}");
    band_wire::event::validate("supersede", payload.clone()).unwrap();
    p.site.say(&p.ann, &p.room, &p.helper, "for the new one").await;
    new.event("message_created").await;
    assert_eq!(old.closed().await, Some(1001));
    assert!(!old.kept().iter().any(|frame| frame[3] == "message_created"));
}

#[tokio::test]
async fn a_socket_that_comes_and_goes_disturbs_nobody() {
    let p = Populated::start().await;
    let mut old = p.agent_socket().await;
    // Only a visit shorter than the grace counts as one; on a busy machine the first may take longer.
    while !is_short(Box::pin(async { Phoenix::open(&p.site, &p.helper).await.close().await })).await {
        old = p.agent_socket().await;
    }
    p.site.say(&p.ann, &p.room, &p.helper, "still here").await;
    old.event("message_created").await;
    let rest = old.settled().await;
    assert!(!rest.iter().any(|frame| frame[3] == "supersede"), "{rest:?}");
}

/// Whether a visit ended within half the grace.
async fn is_short(visit: impl Future<Output = ()>) -> bool {
    let began = tokio::time::Instant::now();
    visit.await;
    began.elapsed() < PROBE_GRACE / 2
}

#[tokio::test]
async fn reject_is_409_while_the_agent_is_connected() {
    let p = Populated::start().await;
    let first = p.agent_socket().await;
    assert_eq!(p.rejecting().await.err(), Some(409));
    first.close().await;
    let second = p.rejecting_until_free().await;
    assert_eq!(p.rejecting().await.err(), Some(409));
    second.abort();
    p.rejecting_until_free().await;
}

#[tokio::test]
async fn of_many_that_reject_at_once_exactly_one_wins() {
    let p = Populated::start().await;
    let tries = futures_util::future::join_all((0..8).map(|_| p.rejecting())).await;
    assert_eq!(tries.iter().filter(|opened| opened.is_ok()).count(), 1);
}

#[tokio::test]
async fn people_may_open_many_sockets() {
    let p = Populated::start().await;
    let mut sockets = Vec::new();
    for _ in 0..3 {
        let mut socket = Phoenix::open(&p.site, &p.ann).await;
        socket.join(&format!("chat_room:{}", p.room)).await;
        sockets.push(socket);
    }
    p.site.say(&p.ann, &p.room, &p.helper, "to all three").await;
    for socket in &mut sockets {
        socket.event("message_created").await;
    }
}
