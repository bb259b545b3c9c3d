//! What every answer has.

use http::Method;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::live::{Answer, As, Site};

#[tokio::test]
async fn an_unknown_path_is_404_in_the_one_shape() {
    let site = Site::start().await;
    for path in
        ["/api", "/api/", "/api/v1/nothing", "/nothing", "/api/v1/agent/me/", "/..%2fetc/passwd", "/%00"]
    {
        for who in [As::Nobody, As::Key("x")] {
            site.call(who, Method::GET, path, None).await.refused(404, "not_found");
        }
    }
    site.call(As::Nobody, Method::POST, "/api/v1/nothing", None).await.refused(404, "not_found");
    site.call(As::Nobody, Method::POST, "/", None).await.refused(405, "method_not_allowed");
}

#[tokio::test]
async fn every_answer_has_a_request_id_and_a_sane_one_of_the_caller_is_kept() {
    let site = Site::start().await;
    let get = async |path: &str, id: &str| {
        Answer::of(site.request(Method::GET, path).header("x-request-id", id)).await
    };
    for path in ["/", "/api/version", "/api/v1/agent/me", "/nothing"] {
        assert_eq!(get(path, "trace-1").await.header("x-request-id"), Some("trace-1"), "{path}");
        let own = get(path, "a b").await;
        assert!(own.header("x-request-id").is_some_and(|id| id.len() == 36), "{path}");
    }
}

#[tokio::test]
async fn answers_are_neither_sniffed_nor_stored() {
    let site = Site::start().await;
    let answer = site.call(As::Nobody, Method::GET, "/api/version", None).await;
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    assert_eq!(answer.expect(200)["data"]["version"], "1.51.0");
    let health = site.call(As::Nobody, Method::GET, "/api/v1/health", None).await.expect(200);
    assert_eq!(health["data"]["status"], "ok");
}

#[tokio::test]
async fn a_head_request_has_no_body() {
    let site = Site::start().await;
    site.call(As::Nobody, Method::HEAD, "/nothing", None).await.expect_empty(404);
    site.call(As::Nobody, Method::HEAD, "/api/version", None).await.expect_empty(200);
}

#[tokio::test]
async fn a_missing_key_says_how_to_send_one() {
    let site = Site::start().await;
    let answer = site.call(As::Nobody, Method::GET, "/api/v1/agent/me", None).await;
    assert!(answer.header("www-authenticate").is_some());
    let error = answer.refused(401, "unauthorized");
    assert!(error["message"].as_str().unwrap().contains("X-API-Key"), "{error}");
}

#[tokio::test]
async fn what_is_no_http_costs_that_connection_only() {
    let site = Site::start().await;
    for bytes in [&b"hello\r\n\r\n"[..], b"GET / HTTP/1.1\r\nbad header\r\n\r\n", b"\x16\x03\x01\x02\x00\x01"]
    {
        let mut stream = TcpStream::connect(site.addr()).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        assert!(answer.starts_with(b"HTTP/1.1 400"), "{}", String::from_utf8_lossy(&answer));
    }
    site.call(As::Nobody, Method::GET, "/api/version", None).await.expect(200);
}
