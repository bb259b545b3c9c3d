//! Sign-in links, the session cookie, and who may use it.

use http::Method;
use serde_json::json;

use crate::live::{Answer, As, Phoenix, Populated};

#[tokio::test]
async fn a_link_signs_in_once() {
    let p = Populated::start().await;
    let token = p.site.sign_in_token(&p.ann).await;
    let first = p.site.sign_in(&token).await;
    let set = first.header("set-cookie").unwrap().to_owned();
    assert!(set.contains("HttpOnly") && set.contains("SameSite=Strict") && set.contains("Path=/"), "{set}");
    let cookie = first.cookie().unwrap();
    let me =
        p.site.call(As::Cookie(&cookie, None), Method::GET, "/api/v1/me/profile", None).await.expect(200);
    assert_eq!(me["data"]["id"], p.ann.id.as_str());
    let error = p.site.sign_in(&token).await.refused(401, "unauthorized");
    assert!(error["message"].as_str().unwrap().contains("band user link"), "{error}");
    p.site.sign_in("nonsense").await.refused(401, "unauthorized");
    let missing = p.site.call(As::Nobody, Method::POST, "/api/v1/auth/sign-in", Some(json!({}))).await;
    missing.invalid("/token", "Missing field: token");
}

#[tokio::test]
async fn a_session_ends_with_the_sign_out() {
    let p = Populated::start().await;
    let cookie = p.site.session(&p.ann).await;
    let origin = p.site.origin();
    let here = As::Cookie(&cookie, Some(&origin));
    let foreign = As::Cookie(&cookie, Some("http://evil.example"));
    p.site.call(foreign, Method::POST, "/api/v1/auth/sign-out", None).await.refused(403, "forbidden");
    let out = p.site.call(here, Method::POST, "/api/v1/auth/sign-out", None).await;
    out.expect_empty(204);
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
    let late = p.site.call(As::Cookie(&cookie, None), Method::GET, "/api/v1/me/profile", None).await;
    late.refused(401, "unauthorized");
    p.site.call(As::Nobody, Method::POST, "/api/v1/auth/sign-out", None).await.expect_empty(204);
}

#[tokio::test]
async fn a_session_outlives_the_server() {
    let p = Populated::start().await;
    let cookie = p.site.session(&p.ann).await;
    let site = p.site.restart().await;
    site.call(As::Cookie(&cookie, None), Method::GET, "/api/v1/me/profile", None).await.expect(200);
}

#[tokio::test]
async fn another_site_can_neither_write_nor_sign_in_with_the_cookie() {
    let p = Populated::start().await;
    let cookie = p.site.session(&p.ann).await;
    let body = || Some(json!({"chat": {"title": "forged"}}));
    for origin in [None, Some("http://evil.example"), Some("null"), Some("http://127.0.0.1:1")] {
        let answer = p.site.call(As::Cookie(&cookie, origin), Method::POST, "/api/v1/me/chats", body()).await;
        answer.refused(403, "forbidden");
    }
    let origin = p.site.origin();
    p.site
        .call(As::Cookie(&cookie, Some(&origin)), Method::POST, "/api/v1/me/chats", body())
        .await
        .expect(201);
    let token = p.site.sign_in_token(&p.ann).await;
    let request =
        p.site.request(Method::POST, "/api/v1/auth/sign-in").header("origin", "http://evil.example");
    Answer::of(request.json(&json!({ "token": token }))).await.refused(403, "forbidden");
    p.site.sign_in(&token).await.expect_empty(204);
}

#[tokio::test]
async fn the_cookie_opens_a_socket_of_the_page_only() {
    let p = Populated::start().await;
    let cookie = format!("band_session={}", p.site.session(&p.ann).await);
    let origin = p.site.origin();
    let mut socket =
        Phoenix::try_open(&p.site, "vsn=2.0.0", &[("cookie", &cookie), ("origin", &origin)]).await.unwrap();
    socket.join(&format!("user_rooms:{}", p.ann.id)).await;
    for headers in
        [vec![("cookie", cookie.as_str())], vec![("cookie", &cookie), ("origin", "http://evil.example")]]
    {
        let refused = Phoenix::try_open(&p.site, "vsn=2.0.0", &headers).await.err().unwrap();
        assert_eq!((refused.status, refused.error["code"].as_str()), (403, Some("forbidden")));
    }
}

#[tokio::test]
async fn the_cookie_is_no_agent() {
    let p = Populated::start().await;
    let cookie = p.site.session(&p.ann).await;
    let answer = p.site.call(As::Cookie(&cookie, None), Method::GET, "/api/v1/agent/me", None).await;
    assert_eq!(answer.refused(403, "forbidden")["message"], "Agent authentication required");
}

#[tokio::test]
async fn signing_out_ends_the_sockets_of_the_page() {
    let p = Populated::start().await;
    let secret = p.site.session(&p.ann).await;
    let (cookie, origin) = (format!("band_session={secret}"), p.site.origin());
    let headers = [("cookie", cookie.as_str()), ("origin", origin.as_str())];
    let mut socket = Phoenix::try_open(&p.site, "vsn=2.0.0", &headers).await.unwrap();
    let who = As::Cookie(&secret, Some(&origin));
    p.site.call(who, Method::POST, "/api/v1/auth/sign-out", None).await.expect_empty(204);
    assert_eq!(socket.closed().await, Some(1001));
    assert_eq!(Phoenix::try_open(&p.site, "vsn=2.0.0", &headers).await.err().unwrap().status, 403);
}
