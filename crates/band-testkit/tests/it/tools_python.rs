//! The same calls through the Python SDK's tools and through ours, each against a platform of its own: the same effect
//! on the room, and the same class of outcome. Where they differ on purpose, the list says why.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use band::tools::ToolOutcome;
use band::{
    AdapterResult, Agent, Capabilities, Capability, Features, RawHistory, SimpleAdapter, Supported, Turn,
};
use band_testkit::{NewAgent, PATIENCE, Person, Platform, Process, peers};
use band_wire::ChatId;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use uuid::Uuid;

#[derive(Debug, Deserialize)]
struct Calls {
    same: Vec<Call>,
    different: Vec<Call>,
}

#[derive(Debug, Clone, Deserialize)]
struct Call {
    name: String,
    args: Value,
    /// Of both.
    class: Option<String>,
    python: Option<String>,
    ours: Option<String>,
    why: Option<String>,
    /// Under which name the id of its result is known to later calls.
    save: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct CallResult {
    class: String,
    text: String,
    /// The fields of a result that is an object.
    #[serde(default)]
    keys: Option<Vec<String>>,
}

fn calls() -> Calls {
    let text = std::fs::read_to_string(peers::script("tool_calls.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A platform with Ann, two of her agents in a room, two beside it, and Bob, whom nobody knows.
struct House {
    platform: Platform,
    ann: Person,
    helper: NewAgent,
    room: ChatId,
    known: BTreeMap<String, String>,
    folder: TempDir,
}

impl House {
    async fn build() -> Self {
        let platform = Platform::start().await.unwrap();
        let ann = platform.add_person("Ann").await.unwrap();
        platform.add_person("Bob").await.unwrap();
        let helper = ann.register("Helper", "Calls its tools.").await.unwrap();
        let room = ann.create_room("Kitchen").await.unwrap();
        let owner = json!({ "participant": { "participant_id": helper.id, "role": "owner" } });
        let path = band_wire::rest::routes::me_participants(room);
        ann.api().post::<Value>(&path, owner).await.unwrap();
        let writer = ann.register("Writer", "Writes what it is told.").await.unwrap();
        ann.add(room, writer.id).await.unwrap();
        for name in ["Scout", "Cook"] {
            ann.register(name, "Waits to be brought in.").await.unwrap();
        }
        let known = BTreeMap::from([("ann".to_owned(), ann.details().id.to_string())]);
        Self { platform, ann, helper, room, known, folder: tempfile::tempdir().unwrap() }
    }

    async fn say(&self, text: &str) {
        self.ann.say(self.room, self.helper.id, text).await.unwrap();
    }

    /// What can be seen of what was done, without ids and times.
    async fn seen(&self) -> Value {
        let agents = self.ann.api_of(&self.helper).unwrap();
        let room = self.room;
        let mut seen = Map::new();
        for (what, api, path) in [
            ("participants", self.ann.api(), format!("/api/v1/me/chats/{room}/participants")),
            ("tasks", self.ann.api(), format!("/api/v1/me/chats/{room}/tasks?state=all")),
            ("board", self.ann.api(), format!("/api/v1/me/chats/{room}/board?include=history")),
            ("history", self.ann.api(), format!("/api/v1/me/chats/{room}/tasks/1/history")),
            ("rooms", &agents, "/api/v1/agent/chats?page_size=100".to_owned()),
            ("memories", &agents, "/api/v1/agent/memories?status=all".to_owned()),
            ("contacts", &agents, "/api/v1/agent/contacts".to_owned()),
            ("requests", &agents, "/api/v1/agent/contacts/requests?sent_status=all".to_owned()),
        ] {
            let answer: Value = api.get(&path).await.unwrap();
            seen.insert(what.to_owned(), bare(&answer["data"]));
        }
        let timeline = self.ann.timeline(room).await.unwrap();
        let by_helper = timeline.iter().filter(|message| message.sender_id == self.helper.id.into());
        let said = by_helper.map(|message| {
            let files: Vec<String> = message.files().into_iter().map(|file| file.name).collect();
            let content = without_ids(&message.content);
            let start: String = content.chars().take(200).collect();
            let end: String = content.chars().skip(content.chars().count().saturating_sub(20)).collect();
            json!([message.message_type, start, end, message.content.chars().count(), files])
        });
        seen.insert("said".to_owned(), said.collect());
        seen.into()
    }

    async fn python(&self) -> Process {
        let mut command = peers::python().unwrap();
        command
            .arg(peers::script("tool_calls.py"))
            .env("BAND_AGENT_ID", self.helper.id.to_string())
            .env("BAND_API_KEY", &self.helper.key)
            .env("BAND_REST_URL", self.ann.api().base_url())
            .env("BAND_WS_URL", self.ann.api().ws_url())
            .env("TMPDIR", self.folder.path())
            .env("PEER_CALLS", peers::script("tool_calls.json"))
            .env("PEER_KNOWN", json!(self.known).to_string())
            .env("PEER_RESULTS", self.results());
        let mut process = Process::start("the Python agent", &mut command).unwrap();
        process.line("Agent started: Helper (band-sdk 6.0.1)", PATIENCE).await.unwrap();
        process
    }

    fn results(&self) -> std::path::PathBuf {
        self.folder.path().join("results.json")
    }
}

/// Ids and times are different each time.
fn bare(value: &Value) -> Value {
    match value {
        Value::String(text) => without_ids(text).into(),
        Value::Array(items) => items.iter().map(bare).collect(),
        Value::Object(map) => {
            let kept = map.iter().filter(|(key, _)| !key.ends_with("_at") && *key != "at");
            kept.map(|(key, value)| (key.clone(), bare(value))).collect()
        }
        other => other.clone(),
    }
}

fn without_ids(text: &str) -> String {
    const LENGTH: usize = 36;
    let mut bare = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let id = rest.split_at_checked(LENGTH).filter(|(id, _)| Uuid::try_parse(id).is_ok());
        if let Some((_, after)) = id {
            bare.push_str("<id>");
            rest = after;
        } else {
            bare.push(next);
            rest = rest.split_at_checked(next.len_utf8()).map_or("", |(_, after)| after);
        }
    }
    bare
}

fn filled(value: &Value, known: &BTreeMap<String, String>) -> Value {
    match value {
        Value::String(text) => known
            .iter()
            .fold(text.clone(), |text, (name, id)| text.replace(&format!("{{{name}}}"), id))
            .into(),
        Value::Array(items) => items.iter().map(|item| filled(item, known)).collect(),
        Value::Object(map) => match (map.get("repeat"), map.get("times")) {
            (Some(one), Some(times)) => {
                let times = usize::try_from(times.as_u64().unwrap()).unwrap();
                one.as_str().unwrap().repeat(times).into()
            }
            _ => map.iter().map(|(key, value)| (key.clone(), filled(value, known))).collect(),
        },
        other => other.clone(),
    }
}

fn everything() -> Capabilities {
    Capability::Files | Capability::Contacts | Capability::Memory | Capability::Tasks
}

/// Makes the calls that a message names, like the script.
#[derive(Debug)]
struct Caller {
    known: Mutex<BTreeMap<String, String>>,
    results: Arc<Mutex<Vec<CallResult>>>,
    called: Arc<tokio::sync::Notify>,
}

impl SimpleAdapter for Caller {
    type Converter = RawHistory;

    fn supported(&self) -> Supported {
        Supported { capabilities: everything(), ..Supported::default() }
    }

    fn features(&self) -> Features {
        Features::new().capabilities(everything())
    }

    async fn on_message(&self, turn: Turn) -> AdapterResult {
        let calls = calls();
        let calls = if turn.text().contains("same") { calls.same } else { calls.different };
        let mut results = Vec::new();
        for call in calls {
            let args = filled(&call.args, &self.known.lock().unwrap());
            let outcome = turn.tools.call(&call.name, args).await;
            let class = match &outcome {
                ToolOutcome::Done(_) => "ok",
                ToolOutcome::Refused(_) | ToolOutcome::TurnOver(_) => "raise",
                _ => "text",
            };
            if let (Some(name), ToolOutcome::Done(value)) = (call.save, &outcome) {
                let id = value.get("id").or_else(|| value.get("attachment")?.get("id"));
                self.known.lock().unwrap().insert(name, id.unwrap().as_str().unwrap().to_owned());
            }
            let text = outcome.to_model_text().chars().take(300).collect();
            let keys = match &outcome {
                ToolOutcome::Done(Value::Object(fields)) => Some(fields.keys().cloned().collect()),
                _ => None,
            };
            results.push(CallResult { class: class.to_owned(), text, keys });
        }
        *self.results.lock().unwrap() = results;
        self.called.notify_one();
        Ok(())
    }
}

/// Whether a result has every field that the other has.
fn has_fields(ours: &CallResult, theirs: &CallResult) -> bool {
    let Some(wanted) = &theirs.keys else { return ours.keys.is_none() };
    ours.keys.as_ref().is_some_and(|keys| wanted.iter().all(|key| keys.contains(key)))
}

/// What the script has written.
fn read(path: &Path) -> Vec<CallResult> {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The calls whose class is another one than expected, with the texts.
fn wrong(calls: &[Call], results: &[CallResult], expected: impl Fn(&Call) -> Option<&String>) -> Vec<String> {
    assert_eq!(calls.len(), results.len());
    let wrong = calls.iter().zip(results).filter(|(call, result)| expected(call) != Some(&result.class));
    wrong
        .map(|(call, result)| format!("{} {}: {} {}", call.name, call.args, result.class, result.text))
        .collect()
}

#[tokio::test]
async fn the_same_calls_have_the_same_effect_and_the_same_class_of_outcome() {
    let calls = calls();
    assert!(calls.same.len() >= 80, "{} calls", calls.same.len());
    assert!(calls.different.iter().all(|call| call.why.is_some()));
    let (theirs, ours) = (House::build().await, House::build().await);

    let mut python = theirs.python().await;
    theirs.say("same").await;
    python.line("called same", PATIENCE * 4).await.unwrap();
    let python_same = read(&theirs.results());
    let python_seen = theirs.seen().await;
    theirs.say("different").await;
    python.line("called different", PATIENCE * 2).await.unwrap();
    let python_different = read(&theirs.results());
    python.kill().await.unwrap();

    let (results, called) = (Arc::default(), Arc::new(tokio::sync::Notify::new()));
    let caller = Caller {
        known: Mutex::new(ours.known.clone()),
        results: Arc::clone(&results),
        called: Arc::clone(&called),
    };
    let agent = Agent::builder(caller)
        .credentials(ours.helper.id, ours.helper.key.clone())
        .rest_url(ours.platform.base_url())
        .build_with([("BAND_STATE_DIR", ours.folder.path().display().to_string())].into_iter().collect());
    let running = agent.unwrap().start().await.unwrap();
    ours.say("same").await;
    tokio::time::timeout(PATIENCE * 4, called.notified()).await.unwrap();
    let our_same = results.lock().unwrap().clone();
    let our_seen = ours.seen().await;
    ours.say("different").await;
    tokio::time::timeout(PATIENCE * 2, called.notified()).await.unwrap();
    let our_different = results.lock().unwrap().clone();
    running.stop(None).await.unwrap();

    let none: [String; 0] = [];
    assert_eq!(wrong(&calls.same, &python_same, |call| call.class.as_ref()), none, "theirs");
    assert_eq!(wrong(&calls.same, &our_same, |call| call.class.as_ref()), none, "ours");
    assert_eq!(wrong(&calls.different, &python_different, |call| call.python.as_ref()), none, "theirs");
    assert_eq!(wrong(&calls.different, &our_different, |call| call.ours.as_ref()), none, "ours");
    let both = calls.same.iter().zip(python_same.iter().zip(&our_same));
    let fields = both.filter(|(_, (theirs, ours))| theirs.class == "ok" && !has_fields(ours, theirs));
    let fields =
        fields.map(|(call, (theirs, ours))| format!("{}: {:?}, {:?}", call.name, theirs.keys, ours.keys));
    assert_eq!(fields.collect::<Vec<_>>(), none, "fields of results: theirs, ours");
    for (what, theirs) in python_seen.as_object().unwrap() {
        assert_eq!(&our_seen[what], theirs, "{what}: ours, theirs");
    }
}
