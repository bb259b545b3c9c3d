//! Contact events with the real platform: callback, hub room, broadcasts.

use std::sync::Arc;

use band::config::AgentConfig;
use band::contacts::{ContactEvent, ContactEventConfig, ContactEvents};
use band::{Agent, FrameworkAdapter, Running, Turn, adapter_fn};
use band_testkit::{NewAgent, PATIENCE, Person, Platform, Watcher};
use band_wire::phx::Topic;
use band_wire::rest::{AgentMe, ContactAction, Data, Message, routes};
use band_wire::{ChatId, ContactRequestId};
use futures_util::StreamExt;
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::{Notify, mpsc};
use tokio::time::timeout;

/// A platform with Ann, who owns the agent, and Bob, whom nobody knows.
struct Town {
    platform: Platform,
    ann: Person,
    bob: Person,
    agent: NewAgent,
    handle: String,
    room: ChatId,
    state: TempDir,
}

/// A turn that the agent had.
#[derive(Debug)]
struct Heard {
    room: ChatId,
    content: String,
    speaker: String,
    update: Option<String>,
    is_hub: bool,
}

impl Town {
    async fn build() -> Self {
        let platform = Platform::start().await.unwrap();
        let ann = platform.add_person("Ann").await.unwrap();
        let bob = platform.add_person("Bob").await.unwrap();
        let agent = ann.register("Helper", "Repeats what it is told.").await.unwrap();
        let me: Data<AgentMe> = ann.api_of(&agent).unwrap().get(routes::AGENT_ME).await.unwrap();
        let room = ann.room_with("Kitchen", &agent).await.unwrap();
        Self { platform, ann, bob, agent, handle: me.data.handle, room, state: tempfile::tempdir().unwrap() }
    }

    /// The agent, which repeats what people say and says nothing to the platform's notices.
    async fn start(&self, contacts: impl Into<ContactEventConfig>) -> (Running, mpsc::Receiver<Heard>) {
        self.start_with(contacts, AgentConfig::default()).await
    }

    async fn start_with(
        &self,
        contacts: impl Into<ContactEventConfig>,
        config: AgentConfig,
    ) -> (Running, mpsc::Receiver<Heard>) {
        let (told, heard) = mpsc::channel(100);
        let adapter = adapter_fn(move |turn: Turn| {
            let told = told.clone();
            async move {
                let is_hub = turn.message.sender_type == "System";
                told.send(Heard {
                    room: turn.room,
                    content: turn.message.content.clone(),
                    speaker: turn.message.speaker(),
                    update: turn.contacts_update.clone(),
                    is_hub,
                })
                .await
                .unwrap();
                if is_hub { Ok(()) } else { turn.reply("echo").await.map(drop) }
            }
        });
        (self.run(adapter, contacts, config).await, heard)
    }

    async fn run(
        &self,
        adapter: impl FrameworkAdapter,
        contacts: impl Into<ContactEventConfig>,
        config: AgentConfig,
    ) -> Running {
        let built = Agent::builder(adapter)
            .credentials(self.agent.id, self.agent.key.clone())
            .rest_url(self.platform.base_url())
            .contacts(contacts)
            .agent_config(config)
            .build_with([("BAND_STATE_DIR", self.state.path().display().to_string())].into_iter().collect());
        built.unwrap().start().await.unwrap()
    }

    async fn asks(&self, who: &Person, message: Option<&str>) -> ContactRequestId {
        who.ask_for_contact(&self.handle, message).await.unwrap()
    }

    /// A person's socket that hears of their contacts.
    async fn watches_contacts(&self, who: &Person) -> Watcher {
        let mut watcher = who.watch().await.unwrap();
        watcher.join(Topic::UserContacts(who.details().id)).await.unwrap();
        watcher
    }
}

async fn event(watcher: &mut Watcher, name: &str) -> band_testkit::Seen {
    let wanted = |seen: &band_testkit::Seen| (seen.event == name).then(|| seen.clone());
    watcher.until(name, PATIENCE, wanted).await.unwrap()
}

async fn next(heard: &mut mpsc::Receiver<Heard>) -> Heard {
    timeout(PATIENCE, heard.recv()).await.expect("no turn came").unwrap()
}

fn welcome() -> ContactEvents {
    ContactEvents::callback(|event, tools| async move {
        if let ContactEvent::RequestReceived(request) = event {
            tools.respond_contact_request(ContactAction::Approve, None, Some(request.id)).await?;
        }
        Ok::<_, band::Error>(())
    })
}

#[tokio::test]
async fn a_callback_approves_a_request_with_its_tools() {
    let town = Town::build().await;
    let mut bobs = town.watches_contacts(&town.bob).await;
    let (running, _heard) = town.start(welcome()).await;
    assert!(running.is_contacts_subscribed());
    town.asks(&town.bob, Some("hello")).await;
    event(&mut bobs, "contact_request_updated").await;
    event(&mut bobs, "contact_added").await;
    assert_eq!(town.bob.contacts().await.unwrap()[0].contact_id, town.agent.id.into());
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn a_request_that_came_while_the_agent_was_away_is_found_at_the_start() {
    let town = Town::build().await;
    let mut bobs = town.watches_contacts(&town.bob).await;
    town.asks(&town.bob, None).await;
    let (running, _heard) = town.start(welcome()).await;
    event(&mut bobs, "contact_added").await;
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn a_slow_callback_delays_no_room_and_no_stop() {
    let town = Town::build().await;
    let called = Arc::new(Notify::new());
    let tell = Arc::clone(&called);
    let stuck = ContactEvents::callback(move |_, _| {
        let tell = Arc::clone(&tell);
        async move {
            tell.notify_one();
            std::future::pending::<band::Result<()>>().await
        }
    });
    let (running, mut heard) = town.start(stuck).await;
    town.asks(&town.bob, None).await;
    timeout(PATIENCE, called.notified()).await.unwrap();
    town.ann.say(town.room, town.agent.id, "still there?").await.unwrap();
    assert_eq!(next(&mut heard).await.room, town.room);
    let stopped = running.stop(Some(PATIENCE)).await.unwrap();
    assert!(stopped.graceful);
}

#[tokio::test]
async fn requests_are_told_in_a_hub_room_with_its_rules_once_and_without_a_failure() {
    let town = Town::build().await;
    let mut watcher = town.ann.watch().await.unwrap();
    let (running, mut heard) = town.start(ContactEvents::HubRoom { task_id: None }).await;
    let first = town.asks(&town.bob, Some("we met at the harbour")).await;
    let cy = town.platform.add_person("Cy").await.unwrap();
    let second = town.asks(&cy, None).await;

    let one = next(&mut heard).await;
    let wanted = format!(
        "[Contact Request] Bob (@bob) wants to connect.\nMessage: \"we met at the harbour\"\nRequest ID: {first}"
    );
    assert_eq!((one.content, one.speaker.as_str()), (wanted, "Contact Events"));
    assert!(one.is_hub && one.room != town.room);
    let rules = one.update.expect("the hub's rules come with the first notice");
    for word in
        ["band_respond_contact_request", "band_list_contact_requests", "band_list_contacts", "thought"]
    {
        assert!(rules.contains(word), "{word}: {rules}");
    }
    let two = next(&mut heard).await;
    assert!(two.content.ends_with(&format!("Request ID: {second}")), "{}", two.content);
    assert_eq!((two.room, two.update), (one.room, None));

    // The owner of an agent inside reads the room.
    watcher.join(Topic::ChatRoom(one.room)).await.unwrap();
    let timeline = town.ann.timeline(one.room).await.unwrap();
    let events: Vec<&str> = timeline.iter().map(|message| message.message_type.as_str()).collect();
    assert!(events.iter().all(|kind| *kind == "task"), "no failure, no reply: {events:?}");
    let kinds = async || {
        let timeline = town.ann.timeline(one.room).await.unwrap();
        let kind = |message: &Message| message.metadata["contact_event_type"].as_str().map(str::to_owned);
        timeline.iter().filter_map(kind).collect::<Vec<String>>()
    };
    // What people see of the second one is posted beside the turn that it has: the stop lets it finish.
    let stopped = running.stop(Some(PATIENCE)).await.unwrap();
    assert!(stopped.graceful);
    assert_eq!(kinds().await, ["contact_request_received"; 2]);
}

#[tokio::test]
async fn a_model_approves_a_request_in_the_hub_room_with_the_tools_that_only_that_room_has() {
    const RESPOND: &str = "band_respond_contact_request";
    let town = Town::build().await;
    let mut bobs = town.watches_contacts(&town.bob).await;
    let (told, mut said) = mpsc::channel(10);
    // What a model would do: it knows what it is offered and what it reads.
    let scripted = adapter_fn(move |turn: Turn| {
        let told = told.clone();
        async move {
            let offered = turn.tools.tool_set().allows(RESPOND);
            let request = turn.message.content.rsplit("Request ID: ").next().unwrap_or_default();
            let args = json!({ "action": "approve", "request_id": request });
            let outcome = turn.tools.call(RESPOND, args).await;
            told.send((turn.room, offered, outcome.is_ok(), outcome.to_model_text())).await.unwrap();
            turn.no_reply(None);
            Ok::<_, band::Error>(())
        }
    });
    let hub = ContactEvents::HubRoom { task_id: None };
    let running = town.run(scripted, hub, AgentConfig::default()).await;
    town.ann.say(town.room, town.agent.id, "approve everybody!").await.unwrap();
    let elsewhere = timeout(PATIENCE, said.recv()).await.expect("no turn came").unwrap();
    assert_eq!(elsewhere, (town.room, false, false, format!("Unknown tool: {RESPOND}")));

    let request = town.asks(&town.bob, None).await;
    let (room, offered, worked, text) = timeout(PATIENCE, said.recv()).await.expect("no turn came").unwrap();
    assert!(room != town.room && offered && worked, "{text}");
    assert_eq!(text, json!({ "id": request, "status": "approved" }).to_string());
    event(&mut bobs, "contact_added").await;
    assert_eq!(town.bob.contacts().await.unwrap()[0].contact_id, town.agent.id.into());
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn contacts_that_come_and_go_are_told_in_every_room_with_its_next_turn() {
    let town = Town::build().await;
    let second = town.ann.room_with("Garden", &town.agent).await.unwrap();
    let config = ContactEventConfig::from(ContactEvents::Disabled).broadcast_changes(true);
    let (running, mut heard) = town.start(config).await;
    let mut bobs = town.watches_contacts(&town.bob).await;
    let request = town.asks(&town.bob, None).await;
    // Its owner answers for the agent.
    let path = routes::me_contact_answer(request, ContactAction::Approve);
    town.ann.api().post::<serde_json::Value>(&path, json!({})).await.unwrap();
    event(&mut bobs, "contact_added").await;
    for room in [town.room, second] {
        let update = loop {
            town.ann.say(room, town.agent.id, "news?").await.unwrap();
            if let Some(update) = next(&mut heard).await.update {
                break update;
            }
        };
        assert_eq!(update, "[Contacts]: @bob (Bob) is now a contact");
    }
    town.ann.say(second, town.agent.id, "again?").await.unwrap();
    assert_eq!(next(&mut heard).await.update, None, "once");
    running.stop(None).await.unwrap();
}

#[tokio::test]
async fn an_agent_that_wants_no_existing_rooms_serves_those_that_it_is_added_to() {
    let town = Town::build().await;
    let config = AgentConfig::default().auto_subscribe_existing_rooms(false);
    let (running, mut heard) = town.start_with(ContactEvents::Disabled, config).await;
    assert!(!running.is_contacts_subscribed() && running.rooms().is_empty());
    town.ann.say(town.room, town.agent.id, "anyone?").await.unwrap();
    let later = town.ann.room_with("Garden", &town.agent).await.unwrap();
    town.ann.say(later, town.agent.id, "and here?").await.unwrap();
    assert_eq!(next(&mut heard).await.room, later, "the room it was in already is left alone");
    running.stop(None).await.unwrap();
}

/// People who ask at the same time.
const CROWD: usize = 300;
/// Of them, those who are made and ask at once.
const AT_ONCE: usize = 16;

#[tokio::test]
async fn three_hundred_requests_at_once_are_each_told_once_in_the_hub_and_a_room_goes_on_meanwhile() {
    let town = Town::build().await;
    let (running, mut heard) = town.start(ContactEvents::HubRoom { task_id: None }).await;
    let asking = futures_util::stream::iter(0..CROWD).for_each_concurrent(AT_ONCE, async |n| {
        let person = town.platform.add_person(&format!("Stranger {n:03}")).await.unwrap();
        town.asks(&person, Some(&format!("stranger {n:03} asks"))).await;
    });
    let hearing = async {
        let mut told = std::collections::BTreeMap::<String, usize>::new();
        while told.len() < CROWD {
            let turn = next(&mut heard).await;
            for (n, _) in turn.content.match_indices("stranger ") {
                *told.entry(turn.content.get(n..n + 12).unwrap_or_default().to_owned()).or_default() += 1;
            }
        }
        told
    };
    let mut watcher = town.ann.watch().await.unwrap();
    watcher.join(Topic::ChatRoom(town.room)).await.unwrap();
    let talking = async {
        for n in 0..10 {
            let id = town.agent.id;
            town.ann.say(town.room, id, &format!("{n}")).await.unwrap();
            watcher.message("the answer", |message| message.sender_id == id.into()).await.unwrap();
        }
    };
    let ((), told, ()) = tokio::join!(asking, hearing, talking);
    assert!(told.values().all(|times| *times == 1), "{told:?}");
    running.stop(None).await.unwrap();
}
