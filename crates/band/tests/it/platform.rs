//! A platform of one agent that does as it is told: it can refuse, hang, and lose pushes.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::body::Bytes;
use axum::extract::ws::{Message as Frame, WebSocket};
use axum::extract::{FromRequestParts, Request, State, WebSocketUpgrade};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use band_wire::{AgentId, ChatId, Id, MessageId};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;
use uuid::Uuid;

/// How the next request whose name starts with a word is answered.
pub(crate) enum Fault {
    /// With a status and a body.
    Answer(u16, Value),
    /// Only when it is told to go on; then as usual.
    Hold(Arc<Notify>),
}

#[derive(Clone)]
pub(crate) struct Stored {
    pub(crate) id: MessageId,
    body: Value,
    status: Option<&'static str>,
}

#[derive(Default)]
struct Site {
    me: Value,
    rooms: BTreeMap<ChatId, Vec<Stored>>,
    faults: BTreeMap<String, VecDeque<Fault>>,
    log: Vec<String>,
    sent: Vec<(Option<String>, Value)>,
    events: Vec<Value>,
    socket: Option<mpsc::Sender<Option<String>>>,
    refuses_sockets: bool,
    /// Topic to join ref.
    joined: BTreeMap<String, Value>,
}

struct Shared {
    site: Mutex<Site>,
    /// Counts what was logged, so that tests can wait for it.
    logged: watch::Sender<usize>,
}

#[derive(Clone)]
pub(crate) struct Platform {
    shared: Arc<Shared>,
    address: String,
    _server: Arc<Mutex<JoinSet<()>>>,
}

pub(crate) fn agent() -> AgentId {
    Id::new(Uuid::from_u128(0xa))
}

pub(crate) fn ada() -> Uuid {
    Uuid::from_u128(0xb)
}

pub(crate) fn room(n: u128) -> ChatId {
    Id::new(Uuid::from_u128(0x1000 + n))
}

impl Platform {
    /// With these rooms.
    pub(crate) async fn start(rooms: &[u128]) -> Self {
        let site = Site {
            me: json!({
                "id": agent(), "name": "Helper", "handle": "ada/helper", "description": "Helps.",
                "owner_uuid": ada(), "inserted_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
            }),
            rooms: rooms.iter().map(|n| (room(*n), Vec::new())).collect(),
            ..Site::default()
        };
        let shared = Arc::new(Shared { site: Mutex::new(site), logged: watch::channel(0).0 });
        let router = Router::new().fallback(answer).with_state(Arc::clone(&shared));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let mut server = JoinSet::new();
        server.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { shared, address, _server: Arc::new(Mutex::new(server)) }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn site(&self) -> MutexGuard<'_, Site> {
        self.shared.site.lock().unwrap()
    }

    pub(crate) fn set_me(&self, key: &str, value: Value) {
        self.site().me[key] = value;
    }

    /// The next request whose name starts with `word` meets this.
    pub(crate) fn fault(&self, word: &str, fault: Fault) {
        self.site().faults.entry(word.to_owned()).or_default().push_back(fault);
    }

    pub(crate) fn refuse(&self, word: &str, status: u16) {
        let body = json!({ "error": { "code": "x", "message": "no", "request_id": "r" } });
        self.fault(word, Fault::Answer(status, body));
    }

    /// Holds the next such request until the handle is notified.
    pub(crate) fn hold(&self, word: &str) -> Arc<Notify> {
        let gate = Arc::new(Notify::new());
        self.fault(word, Fault::Hold(Arc::clone(&gate)));
        gate
    }

    /// Stores a message without pushing it.
    pub(crate) fn store(&self, n: u128, text: &str) -> MessageId {
        let id = Id::new(Uuid::now_v7());
        let body = json!({
            "id": id, "content": text, "message_type": "text", "sender_id": ada(), "sender_type": "User",
            "sender_name": "Ada", "chat_room_id": room(n), "attachments": [],
            "metadata": { "mentions": [{ "id": agent(), "handle": "ada/helper", "name": "Helper" }], "status": "sent" },
            "inserted_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        });
        self.site().rooms.get_mut(&room(n)).unwrap().push(Stored { id, body, status: None });
        id
    }

    /// Changes a field of a stored message.
    pub(crate) fn change(&self, n: u128, id: MessageId, field: &str, value: Value) {
        let mut site = self.site();
        let stored = site.rooms.get_mut(&room(n)).unwrap();
        stored.iter_mut().find(|stored| stored.id == id).unwrap().body[field] = value;
    }

    /// Marks a stored message as processed long ago.
    pub(crate) fn settle(&self, n: u128, id: MessageId) {
        let mut site = self.site();
        let stored = site.rooms.get_mut(&room(n)).unwrap();
        stored.iter_mut().find(|stored| stored.id == id).unwrap().status = Some("processed");
    }

    /// Stores a message and pushes it.
    pub(crate) async fn say(&self, n: u128, text: &str) -> MessageId {
        let id = self.store(n, text);
        self.push_again(n, id).await;
        id
    }

    /// Pushes a stored message once more.
    pub(crate) async fn push_again(&self, n: u128, id: MessageId) {
        let body = self.stored(n, id).body;
        self.push(&format!("chat_room:{}", room(n)), "message_created", body).await;
    }

    pub(crate) async fn push(&self, topic: &str, event: &str, payload: Value) {
        let (socket, frame) = {
            let site = self.site();
            let Some(join_ref) = site.joined.get(topic) else { return };
            (site.socket.clone(), json!([join_ref, null, topic, event, payload]).to_string())
        };
        if let Some(socket) = socket {
            let _ = socket.send(Some(frame)).await;
        }
    }

    pub(crate) async fn add_room(&self, n: u128) {
        self.site().rooms.insert(room(n), Vec::new());
        self.tell_membership("room_added", n).await;
    }

    /// Says that the agent was added to a room, or removed, which keeps what was said there.
    pub(crate) async fn tell_membership(&self, event: &str, n: u128) {
        self.push(&format!("agent_rooms:{}", agent()), event, room_record(n)).await;
    }

    pub(crate) async fn remove_room(&self, n: u128) {
        self.site().rooms.remove(&room(n));
        self.push(&format!("agent_rooms:{}", agent()), "room_removed", room_record(n)).await;
    }

    /// Whether every new socket is answered 503.
    pub(crate) fn refuse_sockets(&self, on: bool) {
        self.site().refuses_sockets = on;
    }

    /// Cuts the connection.
    pub(crate) async fn drop_socket(&self) {
        let socket = self.site().socket.take().unwrap();
        self.site().joined.clear();
        let _ = socket.send(None).await;
    }

    fn stored(&self, n: u128, id: MessageId) -> Stored {
        self.site().rooms[&room(n)].iter().find(|stored| stored.id == id).unwrap().clone()
    }

    pub(crate) fn status(&self, n: u128, id: MessageId) -> Option<&'static str> {
        self.stored(n, id).status
    }

    /// What was sent: idempotency key and body.
    pub(crate) fn sent(&self) -> Vec<(Option<String>, Value)> {
        self.site().sent.clone()
    }

    pub(crate) fn texts(&self) -> Vec<String> {
        self.sent().iter().map(|(_, body)| body["message"]["content"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn events(&self) -> Vec<Value> {
        self.site().events.clone()
    }

    /// The names of all requests so far.
    pub(crate) fn log(&self) -> Vec<String> {
        self.site().log.clone()
    }

    pub(crate) fn count(&self, word: &str) -> usize {
        self.log().iter().filter(|name| name.starts_with(word)).count()
    }

    /// Waits until so many requests with such a name have come.
    pub(crate) async fn saw(&self, word: &str, times: usize) {
        let mut logged = self.shared.logged.subscribe();
        let enough = async {
            while self.count(word) < times {
                logged.changed().await.unwrap();
            }
        };
        if tokio::time::timeout(std::time::Duration::from_secs(20), enough).await.is_err() {
            panic!("{word:?} was not seen {times} times: {:#?}", self.log());
        }
    }

    /// Waits until a message stands like this.
    pub(crate) async fn stands(&self, n: u128, id: MessageId, status: &'static str) {
        let mut logged = self.shared.logged.subscribe();
        let reached = async {
            while self.status(n, id) != Some(status) {
                logged.changed().await.unwrap();
            }
        };
        if tokio::time::timeout(std::time::Duration::from_secs(20), reached).await.is_err() {
            panic!("not {status}: {:?}\n{:#?}", self.status(n, id), self.log());
        }
    }
}

impl Shared {
    fn log(&self, name: String) {
        self.site.lock().unwrap().log.push(name);
    }

    fn done(&self) {
        self.logged.send_modify(|count| *count += 1);
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let path = request.uri().path().to_owned();
    if path.ends_with("/socket/websocket") && shared.site.lock().unwrap().refuses_sockets {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    if path.ends_with("/socket/websocket") {
        let (mut parts, _) = request.into_parts();
        let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &()).await.unwrap();
        return upgrade.on_upgrade(move |socket| serve_socket(socket, shared));
    }
    let (method, query) = (request.method().clone(), request.uri().query().unwrap_or_default().to_owned());
    let key = request.headers().get("idempotency-key").map(|key| key.to_str().unwrap().to_owned());
    let body = axum::body::to_bytes(request.into_body(), usize::MAX).await.unwrap();
    let name = name(&method, &path, &body);
    shared.log(name.clone());
    shared.done();
    let fault = {
        let mut site = shared.site.lock().unwrap();
        let word = site.faults.iter().find(|(word, faults)| name.starts_with(*word) && !faults.is_empty());
        let word = word.map(|(word, _)| word.clone());
        word.and_then(|word| site.faults.get_mut(&word)?.pop_front())
    };
    match fault {
        Some(Fault::Answer(status, body)) => {
            return (StatusCode::from_u16(status).unwrap(), body.to_string()).into_response();
        }
        Some(Fault::Hold(gate)) => gate.notified().await,
        None => {}
    }
    let (status, body) = shared.site.lock().unwrap().act(&method, &path, &query, key, &body);
    shared.done();
    match body {
        Value::Null => status.into_response(),
        body => (status, body.to_string()).into_response(),
    }
}

/// A short name: `me`, `chats`, `next 1`, `processing 1`, `activity true`, `send`, …
fn name(method: &Method, path: &str, body: &Bytes) -> String {
    let words: Vec<&str> = path.trim_start_matches("/api/v1/agent/").split('/').collect();
    match words.as_slice() {
        [one] => (*one).to_owned(),
        ["chats", _, "messages"] if *method == Method::POST => "send".to_owned(),
        ["chats", _, "messages"] => "list".to_owned(),
        ["chats", _, "messages", "next"] => "next".to_owned(),
        ["chats", _, "messages", _, mark] => (*mark).to_owned(),
        ["chats", _, "activity"] => {
            let working = serde_json::from_slice::<Value>(body).unwrap()["working"].clone();
            format!("activity {working}")
        }
        ["chats", _, last] => (*last).to_owned(),
        _ => path.to_owned(),
    }
}

impl Site {
    fn act(
        &mut self,
        method: &Method,
        path: &str,
        query: &str,
        key: Option<String>,
        body: &Bytes,
    ) -> (StatusCode, Value) {
        let words: Vec<&str> = path.trim_start_matches("/api/v1/agent/").split('/').collect();
        let id = words.get(1).and_then(|id| id.parse::<ChatId>().ok());
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        if words == ["me"] {
            return (StatusCode::OK, json!({ "data": self.me }));
        }
        if words == ["chats"] {
            let rooms: Vec<Value> = self
                .rooms
                .keys()
                .map(|id| json!({ "id": id, "title": "T", "inserted_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z" }))
                .collect();
            let page = json!({ "page": 1, "page_size": 100, "total_count": rooms.len(), "total_pages": 1 });
            return (StatusCode::OK, json!({ "data": rooms, "metadata": page }));
        }
        let Some(stored) = id.and_then(|id| self.rooms.get_mut(&id)) else {
            let gone = json!({ "error": { "code": "not_found", "message": "Resource not found", "request_id": "r" } });
            return (StatusCode::NOT_FOUND, gone);
        };
        match (words.get(2).copied(), words.get(3).copied(), words.get(4).copied()) {
            (Some("participants"), ..) => (StatusCode::OK, json!({ "data": people() })),
            (Some("context"), ..) => context(stored, query),
            (Some("activity"), ..) => (StatusCode::OK, json!({ "data": { "working": body["working"] } })),
            (Some("events"), ..) => {
                self.events.push(body);
                let made = json!({ "id": Uuid::now_v7(), "message_type": "error", "success": true });
                (StatusCode::CREATED, json!({ "data": made }))
            }
            (Some("messages"), None, _) if *method == Method::POST => {
                self.sent.push((key, body));
                let made = json!({ "id": Uuid::now_v7(), "success": true, "recipients": [] });
                (StatusCode::CREATED, json!({ "data": made }))
            }
            (Some("messages"), None, _) => {
                let open: Vec<Value> =
                    stored.iter().filter(|one| one.is_open()).map(|one| one.body.clone()).collect();
                (
                    StatusCode::OK,
                    json!({ "data": open, "metadata": { "has_more": false, "limit": 100, "next_cursor": null } }),
                )
            }
            (Some("messages"), Some("next"), _) => match stored.iter().find(|one| one.is_open()) {
                Some(one) => (StatusCode::OK, json!({ "data": one.body })),
                None => (StatusCode::NO_CONTENT, Value::Null),
            },
            (Some("messages"), Some(id), Some(mark)) => {
                let status = ["processing", "processed", "failed"].into_iter().find(|known| *known == mark);
                let one = stored.iter_mut().find(|one| one.id.to_string() == id).unwrap();
                one.status = status;
                let made = json!({ "id": id, "status": mark, "attempt_number": 1, "success": true });
                (StatusCode::OK, json!({ "data": made }))
            }
            _ => panic!("{method} {path} is not scripted"),
        }
    }
}

impl Stored {
    fn is_open(&self) -> bool {
        self.status != Some("processed")
    }
}

fn room_record(n: u128) -> Value {
    let at = "2026-01-01T00:00:00Z";
    json!({ "id": room(n), "title": "Room", "task_id": null, "inserted_at": at, "updated_at": at })
}

fn people() -> Value {
    json!([
        { "id": ada(), "type": "User", "role": "owner", "status": "active", "name": "Ada", "handle": "ada" },
        { "id": agent(), "type": "Agent", "role": "member", "status": "inactive", "name": "Helper", "handle": "ada/helper" },
    ])
}

/// Pages of two.
fn context(stored: &[Stored], query: &str) -> (StatusCode, Value) {
    let parameter = |name: &str| query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
    let mut all: Vec<Value> = stored.iter().map(|one| one.body.clone()).collect();
    if parameter("sort_order") == Some("desc") {
        all.reverse();
    }
    let from: usize = parameter("cursor").map_or(0, |cursor| cursor.parse().unwrap());
    let page: Vec<Value> = all.iter().skip(from).take(2).cloned().collect();
    let has_more = all.len() > from + 2;
    let next = has_more.then(|| (from + 2).to_string());
    let metadata = json!({ "has_more": has_more, "limit": 2, "next_cursor": next });
    (StatusCode::OK, json!({ "data": page, "metadata": metadata }))
}

async fn serve_socket(mut socket: WebSocket, shared: Arc<Shared>) {
    let (sender, mut outgoing) = mpsc::channel(64);
    shared.log("socket".to_owned());
    shared.site.lock().unwrap().socket = Some(sender);
    shared.done();
    loop {
        tokio::select! {
            frame = outgoing.recv() => match frame {
                Some(Some(text)) => {
                    if socket.send(Frame::Text(text.into())).await.is_err() {
                        return;
                    }
                }
                Some(None) | None => return,
            },
            received = socket.recv() => {
                let Some(Ok(Frame::Text(text))) = received else { return };
                let reply = shared.reply(&serde_json::from_str(&text).unwrap());
                shared.done();
                if socket.send(Frame::Text(reply.to_string().into())).await.is_err() {
                    return;
                }
            }
        }
    }
}

impl Shared {
    fn reply(&self, frame: &Value) -> Value {
        let (join_ref, reference) = (frame[0].clone(), frame[1].clone());
        let (topic, event) = (frame[2].as_str().unwrap(), frame[3].as_str().unwrap());
        let mut site = self.site.lock().unwrap();
        site.log.push(format!("{event} {}", topic.split(':').next().unwrap()));
        match event {
            "phx_join" => drop(site.joined.insert(topic.to_owned(), join_ref.clone())),
            "phx_leave" => drop(site.joined.remove(topic)),
            _ => {}
        }
        json!([join_ref, reference, topic, "phx_reply", { "status": "ok", "response": {} }])
    }
}
