//! One event at a time on the real platform, beside the Python SDK's host: the same outcomes, and the same calls
//! in the same order where we claim so.

use std::process::Stdio;

use band::oneshot::{Event, OneShotError, OneShotInvoker};
use band::{Agent, RawHistory, Turn, adapter_fn};
use band_testkit::{NewAgent, PATIENCE, Person, Platform, Tap, peers};
use band_wire::rest::DeliveryStatus;
use band_wire::{ChatId, MessageId};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::time::timeout;

/// A room with an agent that is not connected.
struct House {
    platform: Platform,
    person: Person,
    agent: NewAgent,
    room: ChatId,
    tap: Tap,
}

/// The same adapter under one of the two SDKs.
enum Host {
    Ours(Box<OneShotInvoker>),
    Theirs(Box<Python>),
}

struct Python {
    _child: Child,
    to: ChildStdin,
    from: Lines<BufReader<ChildStdout>>,
}

impl House {
    async fn build() -> Self {
        let platform = Platform::start().await.unwrap();
        let person = platform.add_person("Ann").await.unwrap();
        let agent = person.register("Helper", "Repeats what it is told.").await.unwrap();
        let room = person.room_with("Kitchen", &agent).await.unwrap();
        let tap = Tap::start(&platform.base_url()).await.unwrap();
        Self { platform, person, agent, room, tap }
    }

    fn invoker(&self) -> OneShotInvoker {
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
        OneShotInvoker::new(agent.unwrap())
    }

    async fn ours(&self) -> Host {
        let invoker = self.invoker();
        invoker.startup().await.unwrap();
        Host::Ours(Box::new(invoker))
    }

    async fn theirs(&self) -> Host {
        let mut command = peers::python().unwrap();
        command
            .arg(peers::script("one_shot.py"))
            .env("BAND_AGENT_ID", self.agent.id.to_string())
            .env("BAND_API_KEY", &self.agent.key)
            .env("BAND_REST_URL", self.tap.base_url())
            .env("BAND_WS_URL", self.tap.ws_url())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let to = child.stdin.take().unwrap();
        let mut from = BufReader::new(child.stdout.take().unwrap()).lines();
        let started = timeout(PATIENCE, from.next_line()).await.unwrap().unwrap();
        assert_eq!(started.as_deref(), Some("started"));
        Host::Theirs(Box::new(Python { _child: child, to, from }))
    }

    async fn say(&self, text: &str) -> MessageId {
        self.person.say(self.room, self.agent.id, text).await.unwrap()
    }

    /// The envelope of a message of this room, as a forwarder makes it of the push.
    async fn envelope(&self, message: MessageId) -> Value {
        let timeline = self.person.timeline(self.room).await.unwrap();
        let message = timeline.into_iter().find(|it| it.id == message).unwrap();
        let mut payload = serde_json::to_value(message).unwrap();
        payload["chat_room_id"] = json!(self.room);
        json!({"event_type": "message_created", "agent_id": self.agent.id, "room_id": self.room, "payload": payload})
    }

    async fn status(&self, message: MessageId) -> Option<DeliveryStatus> {
        let timeline = self.person.timeline(self.room).await.unwrap();
        timeline.into_iter().find(|it| it.id == message).unwrap().delivery_status(self.agent.id)
    }

    /// What was said in the room besides the person's messages.
    async fn said(&self) -> Vec<(String, String)> {
        let timeline = self.person.timeline(self.room).await.unwrap();
        let others = timeline.into_iter().filter(|message| message.sender_id == self.agent.id.into());
        others.map(|message| (message.message_type, text(&message.content))).collect()
    }
}

/// Without mentions.
fn text(content: &str) -> String {
    content.split_whitespace().filter(|word| !word.starts_with("@[[")).collect::<Vec<_>>().join(" ")
}

impl Host {
    async fn handle(&mut self, envelope: &Value) -> Value {
        match self {
            Self::Ours(invoker) => {
                let event: Event = serde_json::from_value(envelope.clone()).unwrap();
                match invoker.handle_event(&event).await {
                    Ok(handled) => serde_json::to_value(handled).unwrap(),
                    Err(err) => json!({"raised": err.to_string()}),
                }
            }
            Self::Theirs(python) => {
                python.to.write_all(format!("{envelope}\n").as_bytes()).await.unwrap();
                loop {
                    let line = timeout(PATIENCE, python.from.next_line()).await.unwrap().unwrap().unwrap();
                    if let Some(outcome) = line.strip_prefix("outcome ") {
                        return serde_json::from_str(outcome).unwrap();
                    }
                }
            }
        }
    }
}

/// What one of the two made of a scenario: outcomes, calls, marks and posts, with names in place of ids.
#[derive(Debug, PartialEq)]
struct Seen {
    outcomes: Vec<Value>,
    calls: Vec<Vec<String>>,
    statuses: Vec<Option<DeliveryStatus>>,
    said: Vec<(String, String)>,
}

/// Says each text, and then sends the events of those that are numbered.
async fn play(texts: &[&str], events: &[usize], theirs: bool) -> Seen {
    let house = House::build().await;
    let mut host = if theirs { house.theirs().await } else { house.ours().await };
    let mut messages = Vec::new();
    for text in texts {
        messages.push(house.say(text).await);
    }
    house.tap.take_calls();
    let (mut outcomes, mut calls) = (Vec::new(), Vec::new());
    for at in events {
        let envelope = house.envelope(messages[*at]).await;
        let outcome = host.handle(&envelope).await;
        outcomes.push(serde_json::from_str(&named(&outcome.to_string(), &house, &messages)).unwrap());
        let made = house.tap.take_calls();
        calls.push(made.iter().map(|call| bare(&named(call, &house, &messages))).collect());
    }
    let mut statuses = Vec::new();
    for message in messages {
        statuses.push(house.status(message).await);
    }
    Seen { outcomes, calls, statuses, said: house.said().await }
}

fn named(text: &str, house: &House, messages: &[MessageId]) -> String {
    let mut text = text.replace(&house.room.to_string(), "ROOM");
    for (at, message) in messages.iter().enumerate() {
        text = text.replace(&message.to_string(), &format!("M{at}"));
    }
    text
}

/// A call without its parameters.
fn bare(call: &str) -> String {
    let call = call.split('?').next().unwrap_or(call);
    call.replace("/api/v1/agent/chats/ROOM/", "")
}

async fn both(texts: &[&str], events: &[usize]) -> (Seen, Seen) {
    (play(texts, events, false).await, play(texts, events, true).await)
}

#[tokio::test]
async fn an_event_is_handled_with_the_calls_of_the_python_sdk_in_their_order() {
    let (ours, theirs) = both(&["hello"], &[0, 0]).await;
    assert_eq!(ours, theirs);
    assert_eq!(ours.outcomes[0], json!({"status": "done", "room_id": "ROOM", "message_id": "M0"}));
    let expected = [
        "GET messages/next",
        "POST messages/M0/processing",
        "GET participants",
        "GET context",
        "POST messages",
        "POST messages/M0/processed",
        "GET messages/next",
    ];
    assert_eq!(ours.calls[0], expected);
    assert_eq!(ours.outcomes[1]["status"], json!("already_processed"));
    assert_eq!(ours.calls[1], [""; 0]);
}

#[tokio::test]
async fn what_the_model_saw_besides_is_done_with_it() {
    let (ours, theirs) = both(&["one", "two", "three"], &[0, 1]).await;
    assert_eq!(ours, theirs);
    assert_eq!(ours.outcomes[0]["drained"], json!(["M1", "M2"]));
    assert_eq!(ours.outcomes[1]["status"], json!("no_pending"));
    assert_eq!(ours.statuses, [Some(DeliveryStatus::Processed); 3]);
    assert_eq!(ours.said.len(), 1);
}

#[tokio::test]
async fn a_turn_that_fails_is_marked_and_nothing_is_said() {
    let (ours, theirs) = both(&["[[fail]]"], &[0]).await;
    assert_eq!(ours, theirs);
    assert_eq!(ours.outcomes[0], json!({"raised": "on purpose"}));
    assert_eq!(ours.statuses, [Some(DeliveryStatus::Failed)]);
    assert_eq!(ours.said, []);
}

#[tokio::test]
async fn a_silent_turn_is_told_and_marked_failed() {
    let (ours, theirs) = both(&["[[silent]]"], &[0]).await;
    assert_eq!(ours, theirs);
    assert_eq!(ours.outcomes[0], json!({"raised": "turn ended without a reply"}));
    assert_eq!(ours.said[0].0, "error");
}

#[tokio::test]
async fn an_event_that_is_not_the_oldest_waits_for_its_turn_and_is_left_as_it_is() {
    let (ours, theirs) = both(&["one", "two"], &[1]).await;
    assert_eq!(ours.outcomes, theirs.outcomes);
    let waits = json!({"status": "already_processed", "message_id": "M1", "next_open": "M0"});
    assert_eq!(ours.outcomes[0], waits);
    assert_eq!(ours.calls[0], ["GET messages/next", "GET messages", "GET participants"]);
    assert_eq!(ours.statuses[1], None, "theirs has claimed it, and does nothing with it");
    assert_eq!(theirs.statuses[1], Some(DeliveryStatus::Processing));
}

#[tokio::test]
async fn a_long_past_is_read_to_its_end() {
    let texts: Vec<String> = (0..60).map(|number| format!("number {number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (ours, theirs) = both(&texts, &[0]).await;
    assert_eq!(ours, theirs);
    assert_eq!(ours.calls[0].iter().filter(|call| *call == "GET context").count(), 2);
    assert_eq!(ours.outcomes[0]["drain_truncated"], json!(true));
    assert_eq!(ours.outcomes[0]["drained"].as_array().unwrap().len(), 50);
}

#[tokio::test]
async fn each_row_of_the_routes_has_the_python_sdks_outcome() {
    let house = House::build().await;
    let message = house.say("hello").await;
    let good = house.envelope(message).await;
    let mut own = good.clone();
    own["payload"]["sender_id"] = json!(house.agent.id);
    own["payload"]["sender_type"] = json!("Agent");
    let mut broken = good.clone();
    broken["payload"]["sender_id"] = json!(7);
    let mut nowhere = good.clone();
    nowhere["room_id"] = json!("");
    nowhere["payload"].as_object_mut().unwrap().remove("chat_room_id");
    let mut gone = json!({"event_type": "room_removed", "room_id": house.room, "payload": 7});
    gone["agent_id"] = json!(house.agent.id);
    let mut deleted = gone.clone();
    deleted["event_type"] = json!("room_deleted");
    deleted["room_id"] = json!(null);
    deleted["payload"] = json!({"id": house.room});
    let mut updated = good.clone();
    updated["event_type"] = json!("message_updated");
    let unknown = json!({"event_type": "", "agent_id": house.agent.id, "payload": {}});
    let (mut ours, mut theirs) = (house.ours().await, house.theirs().await);
    house.tap.take_calls();
    for envelope in [own, broken, nowhere, gone, deleted, updated, unknown] {
        let (our, their) = (ours.handle(&envelope).await, theirs.handle(&envelope).await);
        assert_eq!(our, their, "{envelope}");
    }
    assert_eq!(house.tap.take_calls(), [""; 0]);
    assert_eq!(ours.handle(&good).await["status"], json!("done"));
    assert_eq!(theirs.handle(&good).await, json!({"status": "no_pending", "message_id": message}));
}

#[tokio::test]
async fn concurrent_starts_are_one_and_a_shutdown_waits_for_what_was_accepted() {
    let house = House::build().await;
    let invoker = std::sync::Arc::new(house.invoker());
    let nothing = invoker.handle_event(&Event::default()).await.unwrap_err();
    assert_eq!(nothing.to_string(), "OneShotInvoker.startup() not called, or shut down");
    let (one, two) = tokio::join!(invoker.startup(), invoker.startup());
    one.unwrap();
    two.unwrap();
    assert_eq!(house.tap.take_calls(), ["GET /api/v1/agent/me"]);

    let message = house.say("hello").await;
    let event: Event = serde_json::from_value(house.envelope(message).await).unwrap();
    let (handled, again, down) =
        tokio::join!(biased; invoker.handle_event(&event), invoker.handle_event(&event), invoker.shutdown());
    assert_eq!((handled.unwrap().status(), again.unwrap().status()), ("done", "not_accepted"));
    down.unwrap();
    assert!(matches!(invoker.handle_event(&event).await, Err(OneShotError::NotStarted)));
    assert_eq!(house.status(message).await, Some(DeliveryStatus::Processed));
}

#[tokio::test]
async fn a_handler_that_asks_for_the_shutdown_which_would_wait_for_it_is_told() {
    let house = House::build().await;
    let slot: std::sync::Arc<std::sync::OnceLock<OneShotInvoker>> = std::sync::Arc::default();
    let inside = std::sync::Arc::clone(&slot);
    let adapter = adapter_fn(move |turn: Turn<RawHistory>| {
        let inside = std::sync::Arc::clone(&inside);
        async move {
            let refused = inside.get().unwrap().shutdown().await.unwrap_err();
            turn.reply(refused.to_string()).await
        }
    });
    let agent = Agent::builder(adapter).credentials(house.agent.id, house.agent.key.clone());
    let agent = agent.rest_url(house.platform.base_url()).build().unwrap();
    let invoker = slot.get_or_init(|| OneShotInvoker::new(agent));
    invoker.startup().await.unwrap();
    let event = serde_json::from_value(house.envelope(house.say("stop").await).await).unwrap();
    assert_eq!(invoker.handle_event(&event).await.unwrap().status(), "done");
    assert_eq!(house.said().await[0].1, "OneShotInvoker shutdown waits for the calling event to finish");
    invoker.shutdown().await.unwrap();
}

#[tokio::test]
async fn clones_of_an_agent_take_turns_with_its_adapter() {
    let house = House::build().await;
    let home = tempfile::tempdir().unwrap();
    let adapter = adapter_fn(|turn: Turn<RawHistory>| async move { turn.reply("yes").await });
    let agent = Agent::builder(adapter)
        .credentials(house.agent.id, house.agent.key.clone())
        .rest_url(house.tap.base_url())
        .ws_url(house.tap.ws_url())
        .build_with(
            ["TMPDIR", "BAND_STATE_DIR"]
                .map(|name| (name, home.path().to_string_lossy()))
                .into_iter()
                .collect(),
        )
        .unwrap();
    let (one, two) = (OneShotInvoker::new(agent.clone()), OneShotInvoker::new(agent.clone()));

    let running = agent.start().await.unwrap();
    house.tap.take_calls();
    let refused = one.startup().await.unwrap_err().to_string();
    assert!(refused.contains("the adapter is in use"), "{refused}");
    assert!(house.tap.take_calls().is_empty(), "nothing was asked");
    assert!(running.is_running(), "who has it goes on");
    running.stop(None).await.unwrap();

    one.startup().await.unwrap();
    let refused = agent.start().await.unwrap_err().to_string();
    assert!(refused.contains("the adapter is in use"), "{refused}");
    assert!(two.startup().await.unwrap_err().to_string().contains("the adapter is in use"));
    let event = serde_json::from_value(house.envelope(house.say("hello").await).await).unwrap();
    assert_eq!(one.handle_event(&event).await.unwrap().status(), "done");
    one.shutdown().await.unwrap();

    two.startup().await.unwrap();
    drop(two);
    agent.start().await.unwrap().stop(None).await.unwrap();
}
