//! Whether an agent is well, over HTTP.

use std::net::SocketAddr;

use band::SessionConfig;
use band::health::HealthServer;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::platform::{Platform, agent};
use crate::scene::{PATIENCE, agent_of};

async fn ask(address: SocketAddr, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

async fn becomes(address: SocketAddr, status: u16) -> Value {
    let reached = async {
        loop {
            let (now, text) = ask(address, "/readyz").await;
            if now == status {
                return serde_json::from_str(&text).unwrap();
            }
        }
    };
    tokio::time::timeout(PATIENCE, reached).await.unwrap()
}

#[tokio::test]
async fn an_agent_is_ready_while_it_is_connected_and_alive_all_along() {
    let platform = Platform::start(&[1, 2]).await;
    let (band_agent, _) = agent_of(&platform, SessionConfig::default());
    let server = HealthServer::bind("127.0.0.1:0".parse().unwrap(), [&band_agent]).await.unwrap();
    let at = server.address();
    assert_eq!(ask(at, "/healthz").await, (200, "{\"status\":\"alive\"}".to_owned()));
    let not_yet = becomes(at, 503).await;
    assert_eq!(
        (&not_yet["agents"][0]["ready"], &not_yet["agents"][0]["silent_seconds"]),
        (&false.into(), &Value::Null)
    );

    let running = band_agent.start().await.unwrap();
    let ready = becomes(at, 200).await;
    assert_eq!(ready["agents"][0]["agent_id"], agent().to_string());
    assert_eq!((&ready["status"], &ready["agents"][0]["rooms"]), (&"ready".into(), &2.into()));
    assert!(band_agent.health().ready);
    let (status, text) = ask(at, "/metrics").await;
    assert_eq!(status, 200);
    assert!(text.contains(&format!("band_rooms{{agent=\"{}\"}} 2\n", agent())), "{text}");

    platform.refuse_sockets(true);
    platform.drop_socket().await;
    let away = becomes(at, 503).await;
    assert_eq!(away["agents"][0]["connected"], false);
    platform.refuse_sockets(false);
    becomes(at, 200).await;

    running.stop(None).await.unwrap();
    becomes(at, 503).await;
    assert_eq!(ask(at, "/healthz").await.0, 200);
    assert_eq!(ask(at, "/other").await.0, 404);
}

#[tokio::test]
async fn an_address_that_is_taken_is_told_and_nothing_is_started() {
    let platform = Platform::start(&[]).await;
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let agent =
        band::Agent::builder(band::adapter_fn(|turn: band::Turn| async move { turn.reply("x").await }))
            .credentials(agent(), "k")
            .rest_url(platform.url())
            .single_instance(false)
            .health(address)
            .build()
            .unwrap();
    let err = agent.start().await.unwrap_err().to_string();
    assert!(err.starts_with(&format!("health address {address}: ")), "{err}");
    assert_eq!(platform.log().len(), 0);
    drop(taken);
    let running = agent.start().await.unwrap();
    assert_eq!(ask(address, "/readyz").await.0, 200);
    running.stop(None).await.unwrap();
    let free = async {
        while std::net::TcpListener::bind(address).is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, free).await.unwrap();
}

/// Somebody who begins to ask and never goes on.
async fn half_a_request(address: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // Refused where the place was given to somebody else already.
    let _ = stream.write_all(b"GET /healthz HT").await;
    stream
}

#[tokio::test]
async fn two_hundred_who_do_not_go_on_keep_nobody_from_an_answer() {
    let platform = Platform::start(&[]).await;
    let (band_agent, _) = agent_of(&platform, SessionConfig::default());
    let server = HealthServer::bind("127.0.0.1:0".parse().unwrap(), [&band_agent]).await.unwrap();
    let mut slow = Vec::new();
    for _ in 0..200 {
        slow.push(half_a_request(server.address()).await);
    }
    for _ in 0..3 {
        let answered = tokio::time::timeout(PATIENCE, ask(server.address(), "/healthz")).await.unwrap();
        assert_eq!(answered.0, 200);
    }
    // The last of them have a place, until their time for a head is over.
    let mut last = slow.pop().unwrap();
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(PATIENCE, last.read_to_end(&mut rest)).await;
    assert!(ended.is_ok(), "it is closed");
}
