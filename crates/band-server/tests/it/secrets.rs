//! No key, token or cookie in the log, at any level.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use http::Method;
use secrecy::ExposeSecret;
use serde_json::json;
use tracing::Level;

use crate::live::{As, Phoenix, Populated};

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn no_secret_is_logged_at_any_level() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_max_level(Level::TRACE)
        .with_writer(move || writer.clone());
    tracing::subscriber::set_global_default(subscriber.finish()).unwrap();
    let p = Populated::start().await;
    let token = p.site.sign_in_token(&p.ann).await;
    let cookie = p.site.sign_in(&token).await.cookie().unwrap();
    p.site.sign_in(&token).await.refused(401, "unauthorized");
    p.site.call(As::Cookie(&cookie, None), Method::GET, "/api/v1/me/profile", None).await.expect(200);
    p.site
        .call(As::Key("band_u_1_wrong-key"), Method::GET, "/api/v1/me/profile", None)
        .await
        .refused(401, "unauthorized");
    let path = format!("/api/v1/me/profile?api_key={}", p.bob.key);
    p.site.call(As::Nobody, Method::GET, &path, None).await.refused(401, "unauthorized");
    let query = format!("vsn=2.0.0&api_key={}", p.helper.key);
    let mut socket = Phoenix::try_open(&p.site, &query, &[]).await.unwrap();
    socket.join(&format!("agent_control:{}", p.helper.id)).await;
    let body = json!({"message": {"content": "a private thought", "mentions": [{"id": p.helper.id}]}});
    p.site.post(&p.ann, &format!("/api/v1/me/chats/{}/messages", p.room), body).await.expect(201);
    let admin = p.site.server().admin_token().expose_secret().to_owned();
    let keys = [p.ann.key.clone(), p.bob.key.clone(), p.helper.key.clone(), p.rival.key.clone()];
    p.site.restart().await;
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(text.contains("route=\"/api/v1/me/profile\""), "the log has no requests: {text}");
    let secrets = keys
        .into_iter()
        .chain([token, cookie, admin])
        .chain(["wrong-key".to_owned(), "a private thought".to_owned()]);
    for secret in secrets {
        assert!(!text.contains(&secret), "{secret} is in the log: {}", near(&text, &secret));
    }
}

/// The line of a text that has this in it.
fn near<'a>(text: &'a str, what: &str) -> &'a str {
    text.lines().find(|line| line.contains(what)).unwrap_or_default()
}
