//! A real platform on a free port, spoken to as any client would.

mod answer;
mod phoenix;
mod populated;

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use band_server::server::{RunningServer, Server, ServerConfig};
use http::Method;
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use sha2::Digest;

pub(crate) use answer::Answer;
pub(crate) use phoenix::{Phoenix, text_of};
pub(crate) use populated::Populated;

/// Nothing on loopback takes this long; a test that waits so long has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A running platform in a folder of its own.
pub(crate) struct Site {
    server: RunningServer,
    dir: tempfile::TempDir,
    client: reqwest::Client,
}

/// A user or agent with its key.
#[derive(Debug, Clone)]
pub(crate) struct Party {
    pub(crate) id: String,
    pub(crate) handle: String,
    pub(crate) key: String,
}

/// How a request says who sends it.
#[derive(Debug, Clone)]
pub(crate) enum As<'a> {
    Nobody,
    Key(&'a str),
    Bearer(&'a str),
    /// The session cookie, with this `Origin`.
    Cookie(&'a str, Option<&'a str>),
}

impl Site {
    pub(crate) async fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let server = serve(dir.path()).await;
        Self { server, dir, client: client() }
    }

    /// The same data under a new server.
    pub(crate) async fn restart(self) -> Self {
        let Self { server, dir, client } = self;
        server.shutdown();
        server.wait().await.unwrap();
        let server = serve(dir.path()).await;
        Self { server, dir, client }
    }

    pub(crate) fn addr(&self) -> SocketAddr {
        self.server.addr()
    }

    pub(crate) fn server(&self) -> &RunningServer {
        &self.server
    }

    pub(crate) fn dir(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn into_server(self) -> (RunningServer, tempfile::TempDir) {
        (self.server, self.dir)
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.addr())
    }

    /// A request with more than [`Site::call`] knows of.
    pub(crate) fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method, self.url(path))
    }

    /// A request with a JSON body, or none.
    pub(crate) async fn call(&self, who: As<'_>, method: Method, path: &str, body: Option<Value>) -> Answer {
        let mut request = with_credentials(self.request(method, path), &who);
        if let Some(body) = body {
            request = request.json(&body);
        }
        Answer::of(request).await
    }

    pub(crate) async fn get(&self, who: &Party, path: &str) -> Answer {
        self.call(As::Key(&who.key), Method::GET, path, None).await
    }

    pub(crate) async fn post(&self, who: &Party, path: &str, body: Value) -> Answer {
        self.call(As::Key(&who.key), Method::POST, path, Some(body)).await
    }

    /// An upload with its headers, to a path that ends with `/files`.
    pub(crate) async fn upload(&self, who: &Party, path: &str, name: &str, bytes: &[u8]) -> Answer {
        let digest = sha2::Sha256::digest(bytes);
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let request = self.request(Method::PUT, path).header("x-api-key", &who.key);
        let request = request.header("x-file-name", name).header("x-file-sha256", digest);
        Answer::of(request.body(bytes.to_vec())).await
    }

    pub(crate) async fn put(&self, who: &Party, path: &str, body: Value) -> Answer {
        self.call(As::Key(&who.key), Method::PUT, path, Some(body)).await
    }

    pub(crate) async fn patch(&self, who: &Party, path: &str, body: Value) -> Answer {
        self.call(As::Key(&who.key), Method::PATCH, path, Some(body)).await
    }

    pub(crate) async fn delete(&self, who: &Party, path: &str) -> Answer {
        self.call(As::Key(&who.key), Method::DELETE, path, None).await
    }

    pub(crate) async fn admin(&self, path: &str, body: Value) -> Answer {
        let token = self.server.admin_token().expose_secret().to_owned();
        self.call(As::Bearer(&token), Method::POST, path, Some(body)).await
    }

    /// A new person.
    pub(crate) async fn user(&self, name: &str) -> Party {
        let made = self.admin("/api/v1/admin/users", json!({"user": {"name": name}})).await.expect(201);
        Party {
            id: text_of(&made["data"]["user"]["id"]),
            handle: text_of(&made["data"]["user"]["handle"]),
            key: text_of(&made["data"]["credentials"]["api_key"]),
        }
    }

    /// A new agent of a person.
    pub(crate) async fn agent(&self, owner: &Party, name: &str) -> Party {
        let body = json!({"agent": {"name": name, "description": "Helps with the tests of the platform."}});
        let made = self.post(owner, "/api/v1/me/agents/register", body).await.expect(201);
        let key = text_of(&made["data"]["credentials"]["api_key"]);
        let me = self.call(As::Key(&key), Method::GET, "/api/v1/agent/me", None).await.expect(200);
        Party { id: text_of(&me["data"]["id"]), handle: text_of(&me["data"]["handle"]), key }
    }

    /// A new room of a person, with these agents in it.
    pub(crate) async fn room(&self, owner: &Party, agents: &[&Party]) -> String {
        let made =
            self.post(owner, "/api/v1/me/chats", json!({"chat": {"title": "Tests"}})).await.expect(201);
        let room = text_of(&made["data"]["id"]);
        for agent in agents {
            self.add(owner, &room, agent).await.expect(201);
        }
        room
    }

    pub(crate) async fn add(&self, owner: &Party, room: &str, who: &Party) -> Answer {
        let body = json!({"participant": {"participant_id": who.id}});
        self.post(owner, &format!("/api/v1/me/chats/{room}/participants"), body).await
    }

    pub(crate) async fn remove(&self, owner: &Party, room: &str, who: &Party) -> Answer {
        self.delete(owner, &format!("/api/v1/me/chats/{room}/participants/{}", who.id)).await
    }

    /// A message of a person to an agent.
    pub(crate) async fn say(&self, from: &Party, room: &str, to: &Party, text: &str) -> String {
        let body = json!({"message": {"content": text, "mentions": [{"id": to.id}]}});
        let sent = self.post(from, &format!("/api/v1/me/chats/{room}/messages"), body).await.expect(201);
        text_of(&sent["data"]["id"])
    }

    /// A message of an agent.
    pub(crate) async fn reply(&self, from: &Party, room: &str, to: &Party, text: &str) -> String {
        let body = json!({"message": {"content": text, "mentions": [{"id": to.id}]}});
        let sent = self.post(from, &format!("/api/v1/agent/chats/{room}/messages"), body).await.expect(201);
        text_of(&sent["data"]["id"])
    }

    /// A session cookie of a person, by a sign-in link.
    pub(crate) async fn session(&self, who: &Party) -> String {
        let answer = self.sign_in(&self.sign_in_token(who).await).await;
        answer.expect_empty(204);
        answer.cookie().unwrap()
    }

    pub(crate) async fn sign_in_token(&self, who: &Party) -> String {
        let body = json!({"sign_in_link": {"user": who.id}});
        let link = self.admin("/api/v1/admin/sign-in-links", body).await.expect(201);
        text_of(&link["data"]["token"])
    }

    pub(crate) async fn sign_in(&self, token: &str) -> Answer {
        let body = json!({"token": token});
        self.call(As::Nobody, Method::POST, "/api/v1/auth/sign-in", Some(body)).await
    }

    /// The value of an `Origin` header of the page itself.
    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.addr())
    }
}

pub(crate) async fn serve(dir: &Path) -> RunningServer {
    let config = ServerConfig::new("127.0.0.1:0".parse().unwrap(), dir);
    Server::start(config).await.unwrap()
}

pub(crate) fn with_credentials(request: reqwest::RequestBuilder, who: &As<'_>) -> reqwest::RequestBuilder {
    match who {
        As::Nobody => request,
        As::Key(key) => request.header("x-api-key", *key),
        As::Bearer(token) => request.bearer_auth(token),
        As::Cookie(secret, origin) => {
            let request = request.header("cookie", format!("band_session={secret}"));
            origin.iter().fold(request, |request, origin| request.header("origin", *origin))
        }
    }
}

/// No TLS is spoken here, but the library wants to know who would.
fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().timeout(PATIENCE).no_proxy().build().unwrap()
}
