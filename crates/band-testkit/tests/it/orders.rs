//! The calls of a turn, recorded from the Python SDK on our platform and held against ours.
//!
//! Ours makes the same calls. Where they wait for each other they come in the same order; what does not depend on
//! each other goes out at once, so the claim of a missed message may overtake its past, and activity runs beside
//! the turn.

use band::{Agent, RawHistory, Running, Turn, adapter_fn};
use band_testkit::{NewAgent, PATIENCE, Person, Platform, Process, Tap, peers};
use band_wire::{ChatId, MessageId};
use tempfile::TempDir;

/// A platform with somebody in a room with an agent that does not run yet.
pub(crate) struct House {
    _platform: Platform,
    pub(crate) person: Person,
    pub(crate) agent: NewAgent,
    pub(crate) room: ChatId,
    pub(crate) tap: Tap,
    folder: TempDir,
}

/// The same adapter under one of the two SDKs; gone with this.
enum Host {
    Ours(Running),
    Theirs(Box<Process>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Ours,
    Theirs,
}

impl House {
    pub(crate) async fn build() -> Self {
        let platform = Platform::start().await.unwrap();
        let person = platform.add_person("Ann").await.unwrap();
        let agent = person.register("Helper", "Repeats what it is told.").await.unwrap();
        let room = person.room_with("Kitchen", &agent).await.unwrap();
        let tap = Tap::start(&platform.base_url()).await.unwrap();
        Self { _platform: platform, person, agent, room, tap, folder: tempfile::tempdir().unwrap() }
    }

    async fn start(&self, whose: Whose) -> Host {
        match whose {
            Whose::Ours => Host::Ours(self.ours().await),
            Whose::Theirs => Host::Theirs(Box::new(self.theirs(&self.agent).await)),
        }
    }

    async fn ours(&self) -> Running {
        let adapter = adapter_fn(|turn: Turn<RawHistory>| async move {
            let text = turn.text().split_whitespace().skip(1).collect::<Vec<_>>().join(" ");
            match text.as_str() {
                "[[fail]]" => Err("on purpose".to_owned()),
                "[[silent]]" => Ok(()),
                _ => turn.reply(format!("echo: {text}")).await.map(drop).map_err(|err| err.to_string()),
            }
        });
        let agent = Agent::builder(adapter)
            .credentials(self.agent.id, self.agent.key.clone())
            .rest_url(self.tap.base_url())
            .build();
        agent.unwrap().start().await.unwrap()
    }

    /// The Python SDK's agent, started and ready.
    pub(crate) async fn theirs(&self, agent: &NewAgent) -> Process {
        let mut command = peers::python().unwrap();
        command
            .arg(peers::script("echo_agent.py"))
            .env("BAND_AGENT_ID", agent.id.to_string())
            .env("BAND_API_KEY", &agent.key)
            .env("BAND_REST_URL", self.tap.base_url())
            .env("BAND_WS_URL", self.tap.ws_url())
            .env("TMPDIR", self.folder.path());
        let mut process = Process::start("the Python agent", &mut command).unwrap();
        process.line(&format!("Agent started: {}", agent.name), PATIENCE).await.unwrap();
        process
    }

    async fn say(&self, text: &str) -> MessageId {
        self.person.say(self.room, self.agent.id, text).await.unwrap()
    }

    /// Waits until a call was made so often, and gives all calls about the room so far.
    async fn calls(&self, message: MessageId, last: &str, times: usize) -> Vec<String> {
        let wanted = |calls: &[String]| {
            let calls = calls.iter().filter_map(|call| self.bare(call, message));
            calls.filter(|call| call == last).count() >= times
        };
        self.tap.until(&format!("{times} times {last}"), wanted).await.unwrap();
        let calls = self.tap.take_calls();
        calls.iter().filter_map(|call| self.bare(call, message)).collect()
    }

    /// A call about the room, with a name in place of the id and without parameters.
    fn bare(&self, call: &str, message: MessageId) -> Option<String> {
        let (method, path) = call.split_once(' ')?;
        let path = path.strip_prefix(&format!("/api/v1/agent/chats/{}/", self.room))?;
        let path = path.split('?').next()?.replace(&message.to_string(), "M");
        Some(format!("{method} {path}"))
    }
}

/// The calls of a message that waits when the agent starts, until the last of them was made so often.
async fn backlog(whose: Whose, text: &str, last: &str, times: usize) -> Vec<String> {
    let house = House::build().await;
    let message = house.say(text).await;
    let host = house.start(whose).await;
    let calls = house.calls(message, last, times).await;
    host.end().await;
    calls
}

/// The calls of the first message that is pushed to an agent at rest.
async fn pushed(whose: Whose, text: &str, last: &str, times: usize) -> Vec<String> {
    let house = House::build().await;
    let host = house.start(whose).await;
    let nobody = MessageId::new(uuid::Uuid::nil());
    let looks = if whose == Whose::Theirs { 2 } else { 1 };
    house.calls(nobody, NEXT, looks).await;
    house.tap.quiet().await.unwrap();
    let message = house.say(text).await;
    let calls = house.calls(message, last, times).await;
    host.end().await;
    calls
}

impl Host {
    async fn end(self) {
        match self {
            Self::Ours(running) => drop(running.stop(Some(PATIENCE)).await.unwrap()),
            Self::Theirs(mut process) => process.kill().await.unwrap(),
        }
    }
}

/// The same calls as often, and each of these pairs in its order.
fn held(ours: &[String], golden: &[&str], before: &[(&str, &str)]) {
    let mut sorted = (ours.to_vec(), golden.iter().map(|call| (*call).to_owned()).collect::<Vec<_>>());
    sorted.0.sort();
    sorted.1.sort();
    assert_eq!(sorted.0, sorted.1, "{ours:#?}");
    for (first, then) in before {
        let at = |wanted: &str| ours.iter().position(|call| call == wanted).unwrap();
        assert!(at(first) < at(then), "{first} before {then}: {ours:#?}");
    }
}

const CLAIM: &str = "POST messages/M/processing";
const DONE: &str = "POST messages/M/processed";
const FAILED: &str = "POST messages/M/failed";
const NEXT: &str = "GET messages/next";
const SAY: &str = "POST messages";
const EVENT: &str = "POST events";
const ACTIVITY: &str = "POST activity";
const PEOPLE: &str = "GET participants";
const PAST: &str = "GET context";

#[tokio::test]
async fn a_missed_message_takes_the_calls_that_it_takes_the_python_sdk() {
    let golden = [NEXT, CLAIM, PEOPLE, PAST, ACTIVITY, SAY, ACTIVITY, DONE, NEXT, NEXT];
    assert_eq!(backlog(Whose::Theirs, "hello", NEXT, 3).await, golden);
    let ours = backlog(Whose::Ours, "hello", NEXT, 2).await;
    let pairs = [(NEXT, CLAIM), (CLAIM, SAY), (PEOPLE, SAY), (PAST, SAY), (SAY, DONE)];
    // There is one task a room, so nothing has to be looked for once more after the start.
    held(&ours, &golden[..9], &pairs);
    assert_eq!(ours[0], NEXT);
}

#[tokio::test]
async fn a_pushed_message_takes_the_calls_that_it_takes_the_python_sdk() {
    let golden = [PEOPLE, PAST, CLAIM, ACTIVITY, SAY, ACTIVITY, DONE];
    assert_eq!(pushed(Whose::Theirs, "hello", DONE, 1).await, golden);
    let ours = pushed(Whose::Ours, "hello", DONE, 1).await;
    held(
        &without(&ours, ACTIVITY),
        &without_str(&golden, ACTIVITY),
        &[(PAST, CLAIM), (CLAIM, SAY), (SAY, DONE)],
    );
}

#[tokio::test]
async fn a_turn_that_fails_takes_the_calls_that_it_takes_the_python_sdk() {
    let golden = [PEOPLE, PAST, CLAIM, ACTIVITY, ACTIVITY, FAILED, EVENT];
    let theirs = pushed(Whose::Theirs, "[[fail]]", EVENT, 1).await;
    assert_eq!(theirs, golden);
    let ours = pushed(Whose::Ours, "[[fail]]", FAILED, 1).await;
    held(&without(&without(&ours, ACTIVITY), EVENT), &[PEOPLE, PAST, CLAIM, FAILED], &[(CLAIM, FAILED)]);
}

#[tokio::test]
async fn a_silent_turn_takes_the_calls_that_it_takes_the_python_sdk() {
    let golden = [PEOPLE, PAST, CLAIM, ACTIVITY, EVENT, ACTIVITY, FAILED];
    assert_eq!(pushed(Whose::Theirs, "[[silent]]", FAILED, 1).await, golden);
    let ours = pushed(Whose::Ours, "[[silent]]", FAILED, 1).await;
    held(&without(&without(&ours, ACTIVITY), EVENT), &[PEOPLE, PAST, CLAIM, FAILED], &[(CLAIM, FAILED)]);
}

/// What runs beside the turn may come before or after its end.
fn without(calls: &[String], call: &str) -> Vec<String> {
    calls.iter().filter(|it| *it != call).cloned().collect()
}

fn without_str<'a>(calls: &[&'a str], call: &str) -> Vec<&'a str> {
    calls.iter().filter(|it| **it != call).copied().collect()
}
