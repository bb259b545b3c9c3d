//! Starting, finding, stopping a platform.

use std::time::Duration;

use band_server::server::{LockError, Server, ServerConfig, ServerFile, StartError};
use http::Method;
use secrecy::ExposeSecret;
use serde_json::json;
use tokio::time::timeout;

use crate::live::{As, PATIENCE, Phoenix, Populated, Site};

#[tokio::test]
async fn a_second_server_on_a_directory_is_told_of_the_first() {
    let site = Site::start().await;
    let config = ServerConfig::new("127.0.0.1:0".parse().unwrap(), site.dir());
    let err = Server::start(config).await.unwrap_err();
    assert!(matches!(err, StartError::Lock(LockError::Held { .. })), "{err:?}");
    assert!(err.to_string().contains(&site.origin()), "{err}");
}

#[tokio::test]
async fn a_taken_port_is_its_own_error() {
    let site = Site::start().await;
    let other = tempfile::tempdir().unwrap();
    let err = Server::start(ServerConfig::new(site.addr(), other.path())).await.unwrap_err();
    assert!(matches!(err, StartError::AddressInUse(address) if address == site.addr()), "{err:?}");
}

#[tokio::test]
async fn commands_find_the_running_server_and_no_other() {
    let site = Site::start().await;
    let found = ServerFile::running(site.dir()).unwrap().unwrap();
    assert_eq!((found.address, found.pid), (site.addr(), std::process::id()));
    assert_eq!(found.admin_token.expose_secret(), site.server().admin_token().expose_secret());
    let (server, dir) = site.into_server();
    server.shutdown();
    timeout(PATIENCE, server.wait()).await.unwrap().unwrap();
    assert!(ServerFile::running(dir.path()).unwrap().is_none());
    assert!(!dir.path().join("server.json").exists());
}

#[tokio::test]
async fn the_admin_token_is_new_for_each_run() {
    let site = Site::start().await;
    let old = site.server().admin_token().expose_secret().to_owned();
    let site = site.restart().await;
    let body = Some(json!({"user": {"name": "Eve"}}));
    site.call(As::Bearer(&old), Method::POST, "/api/v1/admin/users", body).await.refused(401, "unauthorized");
    site.user("Ann").await;
}

#[tokio::test]
async fn what_was_stored_is_there_after_a_restart() {
    let p = Populated::start().await;
    let (ann, room, waiting) = (p.ann.clone(), p.room.clone(), p.waiting.clone());
    let site = p.site.restart().await;
    let all = site.get(&ann, &format!("/api/v1/me/chats/{room}/messages")).await.expect(200);
    assert_eq!(all["data"][0]["id"], waiting.as_str());
}

#[tokio::test]
async fn a_stop_closes_sockets_with_1012_and_ends_in_time() {
    let p = Populated::start().await;
    let mut sockets = Vec::new();
    for who in [&p.ann, &p.ann, &p.bob, &p.helper] {
        sockets.push(Phoenix::open(&p.site, who).await);
    }
    p.site.server().shutdown();
    for socket in &mut sockets {
        assert_eq!(socket.closed().await, Some(1012));
    }
    let (server, _dir) = p.site.into_server();
    timeout(PATIENCE, server.wait()).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_stop_does_not_wait_for_a_peer_that_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = ServerConfig::new("127.0.0.1:0".parse().unwrap(), dir.path());
    config.drain = Duration::from_millis(300);
    let server = Server::start(config).await.unwrap();
    // Half a request: never finished.
    let mut stream = tokio::net::TcpStream::connect(server.addr()).await.unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut stream, b"POST /api/v1/auth/sign-in HTTP/1.1\r\nhost: x\r\n")
        .await
        .unwrap();
    server.shutdown();
    timeout(PATIENCE, server.wait()).await.unwrap().unwrap();
}

#[tokio::test]
async fn files_of_the_directory_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let site = Populated::start().await.site;
    for entry in std::fs::read_dir(site.dir()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode & 0o077, 0, "{} has mode {mode:o}", entry.path().display());
    }
}

#[tokio::test]
async fn without_its_store_a_platform_asks_to_come_back() {
    let p = Populated::start().await;
    let mut agent = Phoenix::open(&p.site, &p.helper).await;
    p.site.server().app().close().await;
    let answer = p.site.get(&p.helper, &format!("/api/v1/agent/chats/{}", p.room)).await;
    assert_eq!(answer.header("retry-after"), Some("1"));
    answer.refused(503, "service_unavailable");
    // No error reply to the join: the client would give the room up for good.
    let room = format!("chat_room:{}", p.room);
    agent.send(&json!(["1", "1", room, "phx_join", {}]).to_string()).await;
    assert_eq!(agent.closed().await, Some(1011));
    assert!(agent.kept().is_empty());
}
