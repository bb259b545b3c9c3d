//! The page: embedded, cached by tag, locked down.

use http::Method;

use crate::live::{Answer, As, Site};

#[tokio::test]
async fn the_page_is_served_with_a_strict_policy() {
    let site = Site::start().await;
    let page = site.call(As::Nobody, Method::GET, "/", None).await;
    assert_eq!(page.status.as_u16(), 200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    assert!(page.text().starts_with("<!doctype html>"));
    let script = site.call(As::Nobody, Method::GET, "/app.js", None).await;
    assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
}

#[tokio::test]
async fn a_page_that_has_not_changed_is_not_sent_again() {
    let site = Site::start().await;
    let first = site.call(As::Nobody, Method::GET, "/app.css", None).await;
    let tag = first.header("etag").unwrap();
    assert_eq!(first.header("cache-control"), Some("no-cache"));
    let again = Answer::of(site.request(Method::GET, "/app.css").header("if-none-match", tag)).await;
    again.expect_empty(304);
    let other = Answer::of(site.request(Method::GET, "/app.css").header("if-none-match", "\"x\"")).await;
    assert_eq!(other.status.as_u16(), 200);
}
