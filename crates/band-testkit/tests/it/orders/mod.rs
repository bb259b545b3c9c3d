//! What an agent asks of a platform and its adapter hears of, recorded from the Python SDK on our platform and held
//! against ours.
//!
//! Both orders are exact. Ours makes the calls of the Python SDK where no row of `docs/differences.md` says otherwise:
//! those that wait for each other in the same order, those that don't at once, and reports of activity beside the turn.

mod controls;
mod rooms;
mod turns;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use band::{AdapterResult, Agent, InterruptMode, RawHistory, Running, SessionConfig, SimpleAdapter, Turn};
use band_testkit::tap::{Call, Kind};
use band_testkit::{NewAgent, PATIENCE, Person, Platform, Process, Tap, peers};
use band_wire::{ChatId, MessageId};
use serde_json::Value;
use tempfile::TempDir;

const CLAIM: &str = "POST messages/M/processing";
const DONE: &str = "POST messages/M/processed";
const FAILED: &str = "POST messages/M/failed";
const NEXT: &str = "GET messages/next";
const SAY: &str = "POST messages";
const EVENT: &str = "POST events";
const WORKING: &str = "POST activity true";
const IDLE: &str = "POST activity false";
const PEOPLE: &str = "GET participants";
/// The kitchen's first turn begins.
const TURN: &str = "on_message:R:first";
const PAST: &str = "GET context";

/// A platform with somebody in a room with an agent that does not run yet.
pub(crate) struct House {
    _platform: Platform,
    pub(crate) person: Person,
    pub(crate) agent: NewAgent,
    pub(crate) room: ChatId,
    pub(crate) tap: Arc<Tap>,
    folder: TempDir,
    /// What ids are called in a transcript.
    names: Vec<(String, &'static str)>,
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

/// Leaves what its hooks hear of among the calls, as the Python script does.
struct Golden {
    tap: Arc<Tap>,
    waited: AtomicBool,
}

impl SimpleAdapter for Golden {
    type Converter = RawHistory;

    async fn on_message(&self, turn: Turn) -> AdapterResult {
        let first = if turn.is_bootstrap { ":first" } else { "" };
        self.tap.note(&format!("on_message:{}{first}", turn.room));
        let text = turn.text().split_whitespace().skip(1).collect::<Vec<_>>().join(" ");
        match text.as_str() {
            "[[fail]]" => return Err("on purpose".into()),
            "[[silent]]" => return Ok(()),
            "[[wait]]" if !self.waited.swap(true, Ordering::SeqCst) => {
                turn.cancelled().await;
                self.tap.note("cancelled");
                return Err(band::Error::Cancelled.into());
            }
            _ => {}
        }
        turn.reply(format!("echo: {text}")).await?;
        Ok(())
    }

    fn on_interrupt(&self, _: ChatId, mode: InterruptMode) {
        self.tap.note(&format!("on_interrupt:{}", format!("{mode:?}").to_lowercase()));
    }

    async fn on_cleanup(&self, room: ChatId) -> AdapterResult {
        self.tap.note(&format!("on_cleanup:{room}"));
        Ok(())
    }

    async fn cleanup_all(&self) -> AdapterResult {
        self.tap.note("cleanup_all");
        Ok(())
    }
}

impl House {
    pub(crate) async fn build() -> Self {
        let platform = Platform::start().await.unwrap();
        let person = platform.add_person("Ann").await.unwrap();
        let agent = person.register("Helper", "Repeats what it is told.").await.unwrap();
        let room = person.room_with("Kitchen", &agent).await.unwrap();
        let tap = Arc::new(Tap::start(&platform.base_url()).await.unwrap());
        let names = vec![(room.to_string(), "R"), (agent.id.to_string(), "A")];
        Self { _platform: platform, person, agent, room, tap, folder: tempfile::tempdir().unwrap(), names }
    }

    async fn start(&self, whose: Whose) -> Host {
        match whose {
            Whose::Ours => Host::Ours(self.ours().await),
            Whose::Theirs => Host::Theirs(Box::new(self.python("golden_agent.py", &self.agent).await)),
        }
    }

    /// As [`Self::start`], and waits until it has looked for what it missed.
    async fn start_at_rest(&self, whose: Whose) -> Host {
        self.start_at_rest_in(whose, &[]).await
    }

    /// The same with further rooms that the agent is in: a late look would find there what is said next.
    async fn start_at_rest_in(&self, whose: Whose, others: &[&str]) -> Host {
        let host = self.start(whose).await;
        // The Python SDK looks twice.
        let looks = if whose == Whose::Theirs { 2 } else { 1 };
        let others = others.iter().map(|room| format!("GET chats/{room}/messages/next"));
        for look in others.chain([NEXT.to_owned()]) {
            self.until("the first looks", |seen| count(seen, &look) == looks).await;
        }
        self.tap.quiet().await.unwrap();
        self.tap.take();
        host
    }

    async fn ours(&self) -> Running {
        let tap = Arc::clone(&self.tap);
        let adapter = Golden { tap: Arc::clone(&tap), waited: AtomicBool::default() };
        let last = Arc::clone(&tap);
        let mut session = SessionConfig::default();
        // What is looked for now and then would be one call too many.
        session.idle_resync_seconds = 3_600.0;
        session.enable_journal = false;
        let agent = Agent::builder(adapter)
            .credentials(self.agent.id, self.agent.key.clone())
            .rest_url(self.tap.base_url())
            .session(session)
            .single_instance(false)
            .on_participant_added(move |_, _| {
                tap.note("on_participant_added");
                async { Ok::<_, String>(()) }
            })
            .build()
            .unwrap();
        agent
            .add_cleanup("last", move || {
                last.note("callback");
                async { Ok::<_, String>(()) }
            })
            .unwrap();
        agent.start().await.unwrap()
    }

    /// The Python SDK's agent that repeats what it is told, started and ready.
    pub(crate) async fn theirs(&self, agent: &NewAgent) -> Process {
        self.python("echo_agent.py", agent).await
    }

    async fn python(&self, script: &str, agent: &NewAgent) -> Process {
        let mut command = peers::python().unwrap();
        command
            .arg(peers::script(script))
            .env("BAND_AGENT_ID", agent.id.to_string())
            .env("BAND_API_KEY", &agent.key)
            .env("BAND_REST_URL", self.tap.base_url())
            .env("BAND_WS_URL", self.tap.ws_url())
            .env("IDLE_RESYNC_SECONDS", "3600")
            .env("IDLE_RESYNC_MAX_SECONDS", "3600")
            .env("TMPDIR", self.folder.path());
        let mut process = Process::start("the Python agent", &mut command).unwrap();
        process.line(&format!("Agent started: {}", agent.name), PATIENCE).await.unwrap();
        process
    }

    async fn say(&mut self, text: &str) -> MessageId {
        self.say_in(self.room, text, "M").await
    }

    async fn say_in(&mut self, room: ChatId, text: &str, name: &'static str) -> MessageId {
        let message = self.person.say(room, self.agent.id, text).await.unwrap();
        self.names.push((message.to_string(), name));
        message
    }

    /// Waits until what was seen is this.
    async fn until(&self, what: &str, wanted: impl Fn(&[String]) -> bool) {
        self.tap.until(what, |calls| wanted(&self.transcript(calls))).await.unwrap();
    }

    /// Waits until this was seen.
    async fn saw(&self, what: &str) {
        self.until(what, |seen| count(seen, what) > 0).await;
    }

    /// All that was seen, once each call has its answer.
    async fn take(&self) -> Vec<String> {
        self.tap.quiet().await.unwrap();
        self.transcript(&self.tap.take())
    }

    /// What ids stand for in place of them, the kitchen left out, and each report of activity that says something new of
    /// its room: how often a long turn repeats itself is up to the machine.
    fn transcript(&self, calls: &[Call]) -> Vec<String> {
        let mut seen: Vec<String> = Vec::new();
        for call in calls {
            let what = self.shown(call);
            let again = || {
                let room = |report: &str| report.rsplit_once(' ').map(|(path, _)| path.to_owned());
                let its = |earlier: &&String| is_report(earlier) && room(earlier) == room(&what);
                seen.iter().rev().find(its).is_some_and(|report| *report == what)
            };
            if !is_report(&what) || !again() {
                seen.push(what);
            }
        }
        seen
    }

    fn shown(&self, call: &Call) -> String {
        let path = call.what.split('?').next().unwrap_or_default();
        let mut what = path.to_owned();
        for (id, name) in &self.names {
            what = what.replace(id, name);
        }
        what = what.replace("/api/v1/agent/", "").replace("chats/R/", "");
        if call.kind == Kind::Request && path.ends_with("/activity") {
            let body: Value = serde_json::from_slice(&call.body).unwrap();
            what += &format!(" {}", body["working"]);
        }
        what
    }
}

impl Host {
    async fn end(self) {
        match self {
            Self::Ours(running) => drop(running.stop(Some(PATIENCE)).await.unwrap()),
            Self::Theirs(mut process) => process.kill().await.unwrap(),
        }
    }
}

fn count(seen: &[String], what: &str) -> usize {
    seen.iter().filter(|it| *it == what).count()
}

fn is_report(what: &str) -> bool {
    what.ends_with("activity true") || what.ends_with("activity false")
}

/// Exactly these calls: one group after another, those of a group in any order; and these reports of activity, in their
/// order, anywhere among them.
fn held(seen: &[String], groups: &[&[&str]], reports: &[&str]) {
    let (said, mut calls): (Vec<&str>, Vec<&str>) =
        seen.iter().map(String::as_str).partition(|what| is_report(what));
    assert_eq!(said, reports, "{seen:#?}");
    let mut rest = calls.as_mut_slice();
    let mut wanted: Vec<&str> = Vec::new();
    for group in groups {
        let (part, behind) = rest.split_at_mut(group.len().min(rest.len()));
        part.sort_unstable();
        rest = behind;
        let mut group = group.to_vec();
        group.sort_unstable();
        wanted.extend(group);
    }
    assert_eq!(calls, wanted, "{seen:#?}");
}
