//! A small populated platform without a listener, and a record of what it pushes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use band_core::platform::hub::Readers;
use band_core::platform::{Audience, Principal, Push};
use band_server::app::{App, AppError, AppResult};
use band_server::bus::Outlet;
use band_server::store::DataDir;
use band_wire::phx::Topic;
use band_wire::rest::{
    AddParticipant, CreateAgent, CreateChat, CreateEvent, CreateUser, EventType, MentionInput, MessageSent,
    Role, SendMessage,
};
use band_wire::{AgentId, ChatId, ParticipantId};
use rusqlite::{Connection, OpenFlags};
use tokio::sync::Notify;

/// Keeps what is pushed, and answers as it is told.
#[derive(Default)]
pub(crate) struct Record {
    pushes: Mutex<Vec<Push>>,
    revoked: Mutex<Vec<AgentId>>,
    listening: Mutex<Vec<(AgentId, ChatId)>>,
    online: Mutex<Vec<ParticipantId>>,
    asked: Mutex<Vec<(Principal, ChatId)>>,
    readers: Mutex<BTreeMap<String, Vec<(Principal, bool)>>>,
    pub(crate) pushed: Notify,
}

impl Record {
    /// The pushes since the last call.
    pub(crate) fn take(&self) -> Vec<Push> {
        std::mem::take(&mut *self.pushes.lock().unwrap())
    }

    /// Their names and topics.
    pub(crate) fn take_names(&self) -> Vec<(&'static str, Topic)> {
        self.take().iter().map(|push| (push.event, push.topic)).collect()
    }

    pub(crate) fn revoked(&self) -> Vec<AgentId> {
        self.revoked.lock().unwrap().clone()
    }

    pub(crate) fn listen(&self, who: Principal, chat: ChatId) {
        self.listening.lock().unwrap().push((agent(who), chat));
    }

    pub(crate) fn connect(&self, who: Principal) {
        self.online.lock().unwrap().push(who.participant());
    }

    /// From now on each push of a room asks whether these may read it; [`Record::readers`] has the answers.
    pub(crate) fn ask(&self, who: Principal, chat: ChatId) {
        self.asked.lock().unwrap().push((who, chat));
    }

    /// The answers of the last push of an event.
    pub(crate) fn readers(&self, event: &str) -> Vec<(Principal, bool)> {
        self.readers.lock().unwrap().get(event).cloned().unwrap_or_default()
    }
}

impl Outlet for Record {
    fn publish(&self, pushes: &[Push], readers: &dyn Readers) {
        for push in pushes {
            let asked = self.asked.lock().unwrap();
            let answers = asked.iter().map(|(who, chat)| (*who, readers.may_read(*who, *chat))).collect();
            self.readers.lock().unwrap().insert(push.event.to_owned(), answers);
        }
        self.pushes.lock().unwrap().extend(pushes.iter().cloned());
        self.pushed.notify_waiters();
    }

    fn is_listening(&self, agent: AgentId, chat: ChatId) -> bool {
        self.listening.lock().unwrap().contains(&(agent, chat))
    }

    fn is_online(&self, who: ParticipantId) -> bool {
        self.online.lock().unwrap().contains(&who)
    }

    fn revoke(&self, agent: AgentId) {
        self.revoked.lock().unwrap().push(agent);
    }
}

/// Ann (the first, so she administers) and Bob; Ann's agents Echo and Mate, Bob's agent Far; Ann's room with
/// Echo and Mate in it.
pub(crate) struct Site {
    pub(crate) app: App,
    pub(crate) record: Arc<Record>,
    pub(crate) dir: DataDir,
    pub(crate) ann: Principal,
    pub(crate) bob: Principal,
    pub(crate) echo: Principal,
    pub(crate) mate: Principal,
    pub(crate) far: Principal,
    pub(crate) room: ChatId,
    pub(crate) keys: BTreeMap<&'static str, String>,
    _temp: tempfile::TempDir,
}

impl Site {
    pub(crate) async fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let dir = DataDir::open(temp.path().join("data")).unwrap();
        let record = Arc::new(Record::default());
        let app = App::open(&dir, record.clone()).await.unwrap();
        let mut keys = BTreeMap::new();
        let ann = add_user(&app, "Ann", &mut keys).await;
        let bob = add_user(&app, "Bob", &mut keys).await;
        let echo = add_agent(&app, "ann", "Echo", &mut keys).await;
        let mate = add_agent(&app, "ann", "Mate", &mut keys).await;
        let far = add_agent(&app, "bob", "Far", &mut keys).await;
        let room = app.create_my_chat(ann, titled("Hall"), None).await.unwrap().id;
        for agent in [echo, mate] {
            app.add_participant(ann, room, adding(agent, Role::Member), None).await.unwrap();
        }
        record.take();
        Self { app, record, dir, ann, bob, echo, mate, far, room, keys, _temp: temp }
    }

    /// Ann writes to an agent.
    pub(crate) async fn say(&self, to: Principal, text: &str) -> MessageSent {
        self.send(self.ann, to, text).await.unwrap()
    }

    /// Someone writes to someone in the room.
    pub(crate) async fn send(&self, from: Principal, to: Principal, text: &str) -> AppResult<MessageSent> {
        self.app.send_message(from, self.room, message(text, &[to]), None).await
    }

    /// Rows of every table.
    pub(crate) fn counts(&self) -> BTreeMap<String, u64> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let connection = Connection::open_with_flags(self.dir.database(), flags).unwrap();
        let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        let mut tables = connection.prepare(sql).unwrap();
        let tables: Vec<String> =
            tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        let count = |table: String| {
            let sql = format!("SELECT count(*) FROM {table}");
            let rows: u64 = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
            (table, rows)
        };
        tables.into_iter().map(count).collect()
    }

    /// Expects a refusal with this status and code, and that it stores and pushes nothing.
    pub(crate) async fn refused<T: std::fmt::Debug>(
        &self,
        (status, code): (u16, &str),
        call: impl Future<Output = AppResult<T>>,
    ) {
        self.record.take();
        let before = self.counts();
        let refusal = call.await.expect_err("it was not refused").into_refusal();
        assert_eq!((refusal.status, refusal.code), (status, code), "{refusal}");
        assert_eq!(
            refusal.status == 422,
            refusal.details.is_some(),
            "422 and only 422 has details: {refusal}"
        );
        assert_eq!(self.counts(), before, "{refusal} stored something");
        assert_eq!(self.record.take(), [], "{refusal} pushed something");
    }
}

async fn add_user(app: &App, name: &'static str, keys: &mut BTreeMap<&'static str, String>) -> Principal {
    let created = app.create_user(CreateUser { name: name.to_owned() }).await.unwrap();
    keys.insert(name, created.credentials.api_key);
    Principal::User(created.user.id)
}

async fn add_agent(
    app: &App,
    owner: &str,
    name: &'static str,
    keys: &mut BTreeMap<&'static str, String>,
) -> Principal {
    let issued = app.create_agent(new_agent(owner, name)).await.unwrap();
    keys.insert(name, issued.credentials.api_key);
    Principal::Agent { id: issued.agent.id, owner: issued.agent.owner_id }
}

pub(crate) fn new_agent(owner: &str, name: &str) -> CreateAgent {
    let description = format!("{name} answers questions");
    CreateAgent { owner: Some(owner.to_owned()), name: name.to_owned(), description }
}

pub(crate) fn agent(who: Principal) -> AgentId {
    who.agent().unwrap().0
}

pub(crate) fn titled(title: &str) -> CreateChat {
    CreateChat { title: Some(title.to_owned()), task_id: None }
}

pub(crate) fn adding(who: Principal, role: Role) -> AddParticipant {
    AddParticipant { participant_id: who.participant(), role }
}

pub(crate) fn message(content: &str, to: &[Principal]) -> SendMessage {
    let mentions = to.iter().map(|who| MentionInput::of(who.participant())).collect();
    SendMessage { content: content.to_owned(), mentions, attachment_ids: Vec::new() }
}

pub(crate) fn event(message_type: EventType, content: &str) -> CreateEvent {
    CreateEvent { content: content.to_owned(), message_type, metadata: None }
}

/// Who of a topic's subscribers gets a push.
pub(crate) fn audience(push: &Push) -> Option<Vec<AgentId>> {
    match &push.audience {
        Audience::Everyone => None,
        Audience::Users => Some(Vec::new()),
        Audience::UsersAnd(agents) => Some(agents.clone()),
        Audience::These(_) => panic!("{} is for some alone", push.event),
    }
}

/// A push's payload.
pub(crate) fn payload(push: &Push) -> serde_json::Value {
    serde_json::from_str(&push.payload).unwrap()
}

/// The status of a failure.
pub(crate) fn status<T>(result: &Result<T, AppError>) -> u16 {
    result.as_ref().map_or_else(AppError::status, |_| 200)
}
