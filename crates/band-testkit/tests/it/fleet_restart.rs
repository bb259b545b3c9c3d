//! A host full of agents, and a platform that goes and comes back.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use band::config::Env;
use band::host::{AgentHost, Fleet};
use band::{Agent, RawHistory, Turn, adapter_fn};
use band_testkit::tap::Call;
use band_testkit::{NewAgent, PATIENCE, Person, Served, Tap};
use band_wire::{AgentId, ChatId};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// As many agents as a host must bear.
const AGENTS: usize = 200;

struct Scene {
    served: Served,
    person: Person,
    tap: Tap,
    agents: Vec<(NewAgent, ChatId)>,
    answers: mpsc::Receiver<AgentId>,
    _state: TempDir,
}

impl Scene {
    /// So many agents that repeat what they are told, in one host, each in a room of its own.
    async fn set(agents: usize) -> (Self, Fleet) {
        let served = Served::start().await.unwrap();
        let person = served.add_person("Ann").await.unwrap();
        let tap = Tap::start(&served.base_url()).await.unwrap();
        let state = tempfile::tempdir().unwrap();
        let folder = state.path().display().to_string();
        let env: Env = [("BAND_STATE_DIR", folder.clone()), ("TMPDIR", folder)].into_iter().collect();
        let (answered, answers) = mpsc::channel(AGENTS * 4);
        // Few at once, so that they need few connections.
        let (mut host, mut made) = (AgentHost::new().starting_at_once(4), Vec::new());
        for n in 0..agents {
            let agent = person.register(&format!("Helper {n}"), "Repeats what it is told.").await.unwrap();
            let room = person.room_with(&format!("Room {n}"), &agent).await.unwrap();
            let (answered, me) = (answered.clone(), agent.id);
            let adapter = adapter_fn(move |turn: Turn<RawHistory>| {
                let answered = answered.clone();
                async move {
                    turn.reply("here").await?;
                    // An error means that the test is over.
                    let _ = answered.send(me).await;
                    Ok::<_, band::Error>(())
                }
            });
            let builder = Agent::builder(adapter).credentials(agent.id, agent.key.clone());
            host.add_with(builder.rest_url(tap.base_url()), env.clone()).unwrap();
            made.push((agent, room));
        }
        let fleet = host.start().await;
        assert_eq!(fleet.up(), agents);
        (Self { served, person, tap, agents: made, answers, _state: state }, fleet)
    }

    async fn say(&self, n: usize, text: &str) {
        let (agent, room) = &self.agents[n];
        self.person.say(*room, agent.id, text).await.unwrap();
    }

    /// Tells all of them something, and waits until each has answered once.
    async fn round(&mut self, text: &str) {
        for n in 0..self.agents.len() {
            self.say(n, text).await;
        }
        let mut heard = BTreeMap::new();
        while heard.len() < self.agents.len() {
            let who = timeout(PATIENCE * 2, self.answers.recv()).await;
            let who =
                who.unwrap_or_else(|_| panic!("{} of {} have answered", heard.len(), self.agents.len()));
            *heard.entry(who.unwrap()).or_insert(0) += 1;
        }
        assert!(heard.values().all(|times| *times == 1), "{heard:?}");
    }

    /// What agent `n` said in its room.
    async fn said(&self, n: usize) -> usize {
        let (agent, room) = &self.agents[n];
        let timeline = self.person.timeline(*room).await.unwrap();
        timeline.iter().filter(|message| message.sender_id == agent.id.into()).count()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_agents_of_one_host_share_a_pool_and_survive_a_killed_platform() {
    let (mut scene, fleet) = Scene::set(AGENTS).await;
    scene.tap.quiet().await.unwrap();
    let connections = scene.tap.connections();
    assert!(connections.open < AGENTS / 2, "an agent with a pool of its own keeps one open: {connections:?}");
    scene.round("before").await;

    scene.served.process().kill().await.unwrap();
    scene.served.restart().await.unwrap();
    scene.round("after").await;
    assert_eq!(fleet.up(), AGENTS);
    for n in 0..AGENTS {
        assert_eq!(scene.said(n).await, 2, "agent {n}");
    }
    for report in fleet.stop(Some(PATIENCE)).await {
        assert!(report.state.is_well(), "{report}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_platform_asks_of_one_agent_all_of_its_host_obey() {
    let (mut scene, fleet) = Scene::set(3).await;
    scene.round("hello").await;
    scene.tap.quiet().await.unwrap();
    scene.tap.take();
    scene.tap.limit("/processing", 2);
    scene.say(0, "one").await;
    let claims = |calls: &[Call]| calls.iter().filter(|call| call.what.ends_with("/processing")).count();
    scene.tap.until("the claim that is refused", |calls| claims(calls) == 1).await.unwrap();
    scene.tap.quiet().await.unwrap();
    let refused = Instant::now();
    scene.say(1, "two").await;
    scene.say(2, "three").await;
    scene.tap.until("the other claims", |calls| claims(calls) == 4).await.unwrap();
    // The two that were never refused wait as long as the one that was; a little less than was said, since the
    // refusal was on its way.
    assert!(refused.elapsed() >= Duration::from_millis(1_500), "{:?}", refused.elapsed());
    let first = scene.tap.take();
    let times = first.iter().filter(|call| call.what.contains(&scene.agents[1].1.to_string())).count();
    assert!(times > 0);
    let mut heard = Vec::new();
    for _ in 0..3 {
        heard.push(timeout(PATIENCE, scene.answers.recv()).await.unwrap().unwrap());
    }
    heard.sort_unstable();
    let mut all: Vec<AgentId> = scene.agents.iter().map(|(agent, _)| agent.id).collect();
    all.sort_unstable();
    assert_eq!(heard, all);
    fleet.stop(Some(PATIENCE)).await;
}
