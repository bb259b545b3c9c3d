//! What most tests here start from: a platform, a person, an agent, a room with both.

use std::path::Path;

use band_testkit::{NewAgent, PATIENCE, Person, Process, Served, Watcher, band, peers};
use band_wire::phx::Topic;
use band_wire::rest::{DeliveryStatus, Message};
use band_wire::{ChatId, MessageId};
use serde_json::Value;
use tempfile::TempDir;
use tokio::process::Command;

/// A platform as a process, with somebody in a room with an agent that does not run yet.
pub(crate) struct Stage {
    pub(crate) served: Served,
    pub(crate) person: Person,
    pub(crate) agent: NewAgent,
    pub(crate) room: ChatId,
    /// Temporary files and state of the agents.
    pub(crate) folder: TempDir,
}

impl Stage {
    pub(crate) async fn set() -> Self {
        let served = Served::start().await.unwrap();
        let person = served.add_person("Ann").await.unwrap();
        let agent = person.register("Helper", "Repeats what it is told.").await.unwrap();
        let room = person.room_with("Kitchen", &agent).await.unwrap();
        Self { served, person, agent, room, folder: tempfile::tempdir().unwrap() }
    }

    /// The person's socket, joined to the room.
    pub(crate) async fn watch(&self) -> Watcher {
        let mut watcher = self.person.watch().await.unwrap();
        watcher.join(Topic::ChatRoom(self.room)).await.unwrap();
        watcher
    }

    pub(crate) async fn say(&self, text: &str) -> MessageId {
        self.person.say(self.room, self.agent.id, text).await.unwrap()
    }

    /// Our agent, started and ready.
    pub(crate) async fn rust_agent(&self) -> Process {
        let mut process = self.rust_agent_starting();
        process.line("Agent started: Helper (band-sdk ", PATIENCE).await.unwrap();
        process
    }

    pub(crate) fn rust_agent_starting(&self) -> Process {
        self.rust_agent_starting_in(self.folder.path())
    }

    /// Our agent, with temporary files of its own.
    pub(crate) fn rust_agent_starting_in(&self, temporary: &Path) -> Process {
        let mut command = band(["agent", "run", "--adapter", "echo"]).unwrap();
        self.introduce(&mut command, temporary);
        Process::start("band agent run", &mut command).unwrap()
    }

    /// The Python SDK's agent, started and ready.
    pub(crate) async fn python_agent(&self) -> Process {
        let mut process = self.python_agent_with(&[], self.folder.path());
        process.line("Agent started: Helper (band-sdk 6.0.1)", PATIENCE).await.unwrap();
        process
    }

    /// The Python SDK's agent with settings of the script, and with temporary files of its own.
    pub(crate) fn python_agent_with(&self, settings: &[(&str, &str)], temporary: &Path) -> Process {
        self.python("echo_agent.py", settings, temporary)
    }

    /// Calls of the Python SDK's tools and REST client, one after another, and what each gave. See the script.
    pub(crate) async fn python_calls(&self, calls: &Value) -> Vec<Value> {
        let room = self.room.to_string();
        let calls = calls.to_string();
        let settings =
            [("PEER_CALLS", &*calls), ("PEER_ROOM", &*room), ("PEER_USER_KEY", self.person.api().key())];
        let mut process = self.python_script("call_tools.py", &settings);
        process.line("done", PATIENCE).await.unwrap();
        let told = process.lines_with("result ");
        told.iter().map(|line| serde_json::from_str(line.split_once(' ').unwrap().1).unwrap()).collect()
    }

    /// An agent of the Python SDK by another script.
    pub(crate) fn python_script(&self, script: &str, settings: &[(&str, &str)]) -> Process {
        self.python(script, settings, self.folder.path())
    }

    fn python(&self, script: &str, settings: &[(&str, &str)], temporary: &Path) -> Process {
        let mut command = peers::python().unwrap();
        command.arg(peers::script(script));
        self.introduce(&mut command, temporary);
        command.envs(settings.iter().copied());
        Process::start("the Python agent", &mut command).unwrap()
    }

    /// Tells a program who it is and where the platform is.
    fn introduce(&self, command: &mut Command, temporary: &Path) {
        command
            .env("BAND_AGENT_ID", self.agent.id.to_string())
            .env("BAND_API_KEY", &self.agent.key)
            .env("BAND_REST_URL", self.person.api().base_url())
            .env("BAND_WS_URL", self.person.api().ws_url())
            .env("BAND_STATE_DIR", self.folder.path())
            .env("TMPDIR", temporary);
    }

    /// Waits for the agent's answer that ends with `text`.
    pub(crate) async fn answer(&self, watcher: &mut Watcher, text: &str) -> Message {
        let from = self.agent.id.into();
        let wanted = |message: &Message| message.sender_id == from && message.content.ends_with(text);
        watcher.message(&format!("the answer {text:?}"), wanted).await.unwrap()
    }

    /// Waits until the agent has settled this message.
    pub(crate) async fn processed(&self, watcher: &mut Watcher, message: MessageId) -> Message {
        let done = Some(DeliveryStatus::Processed);
        let what = format!("message {message} to be processed");
        let wanted = |seen: &band_testkit::Seen| {
            let updated = seen.message().filter(|_| seen.event == "message_updated")?;
            (updated.id == message && updated.delivery_status(self.agent.id) == done).then_some(updated)
        };
        watcher.until(&what, PATIENCE, wanted).await.unwrap()
    }

    /// Everything the agent said in the room, oldest first.
    pub(crate) async fn said_by_the_agent(&self) -> Vec<String> {
        let timeline = self.person.timeline(self.room).await.unwrap();
        let its = timeline.into_iter().filter(|message| message.sender_id == self.agent.id.into());
        its.filter(|message| message.message_type == "text").map(|message| message.content).collect()
    }
}
