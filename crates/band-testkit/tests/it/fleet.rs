//! Many agents in one process against the real platform, some of them ill-behaved.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use band::config::Env;
use band::host::{AgentHost, AgentState, Fleet};
use band::{
    AdapterResult, Agent, Error, FrameworkAdapter, Identity, PlatformConnection, RawHistory, SimpleAdapter,
    Turn,
};
use band_testkit::{NewAgent, PATIENCE, Person, Platform};
use band_wire::{AgentId, ChatId};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// As many agents as a host must bear.
const AGENTS: usize = 200;

/// How an agent behaves.
enum Manner {
    Good,
    /// Panics on a message that says so.
    PanicsInTurn,
    PanicsAtStart,
    /// Blocks its thread until it is released.
    Blocks(Mutex<Receiver<()>>),
    RefusesToStart,
    /// Its cleanup fails once.
    Untidy(AtomicBool),
}

struct Member {
    manner: Manner,
    me: AgentId,
    answered: mpsc::Sender<AgentId>,
}

impl SimpleAdapter for Member {
    type Converter = RawHistory;

    async fn on_started(&self, _: &Identity, _: &PlatformConnection) -> AdapterResult {
        match self.manner {
            Manner::PanicsAtStart => panic!("on purpose, at the start"),
            Manner::RefusesToStart => Err("on purpose".into()),
            Manner::Good | Manner::PanicsInTurn | Manner::Blocks(_) | Manner::Untidy(_) => Ok(()),
        }
    }

    async fn cleanup_all(&self) -> AdapterResult {
        match &self.manner {
            Manner::Untidy(tidied) if !tidied.swap(true, Ordering::Relaxed) => Err("on purpose".into()),
            _ => Ok(()),
        }
    }

    async fn on_message(&self, turn: Turn) -> AdapterResult {
        match &self.manner {
            Manner::PanicsInTurn => assert!(!turn.text().contains("panic"), "on purpose, in a turn"),
            Manner::Blocks(until) => {
                // An error means that nobody releases it any more.
                let _ = until.lock().unwrap().recv();
            }
            Manner::Good | Manner::PanicsAtStart | Manner::RefusesToStart | Manner::Untidy(_) => {}
        }
        turn.reply("here").await?;
        let _ = self.answered.send(self.me).await;
        Ok(())
    }
}

struct Scene {
    platform: Platform,
    person: Person,
    agents: Vec<(NewAgent, ChatId)>,
    state: TempDir,
    answered: mpsc::Sender<AgentId>,
    answers: mpsc::Receiver<AgentId>,
}

impl Scene {
    async fn set(agents: usize) -> Self {
        let platform = Platform::start().await.unwrap();
        let person = platform.add_person("Ann").await.unwrap();
        let mut made = Vec::new();
        for n in 0..agents {
            let agent = person.register(&format!("Helper {n}"), "Answers what it is asked.").await.unwrap();
            let room = person.room_with(&format!("Room {n}"), &agent).await.unwrap();
            made.push((agent, room));
        }
        let (answered, answers) = mpsc::channel(AGENTS * 2);
        Self { platform, person, agents: made, state: tempfile::tempdir().unwrap(), answered, answers }
    }

    /// A host with all agents, good ones but for these.
    fn host(&self, mut manner: impl FnMut(usize) -> Manner) -> AgentHost {
        let mut host = AgentHost::new();
        for (n, (agent, _)) in self.agents.iter().enumerate() {
            let adapter = Member { manner: manner(n), me: agent.id, answered: self.answered.clone() };
            host.add_with(self.builder(agent, adapter), self.env()).unwrap();
        }
        host
    }

    fn builder(&self, agent: &NewAgent, adapter: impl FrameworkAdapter) -> band::AgentBuilder {
        Agent::builder(adapter).credentials(agent.id, agent.key.clone()).rest_url(self.platform.base_url())
    }

    fn env(&self) -> Env {
        let folder = self.state.path().display().to_string();
        [("BAND_STATE_DIR", folder.clone()), ("TMPDIR", folder)].into_iter().collect()
    }

    async fn say(&self, n: usize, text: &str) {
        let (agent, room) = &self.agents[n];
        self.person.say(*room, agent.id, text).await.unwrap();
    }

    /// Waits for so many answers; gives who answered.
    async fn hear(&mut self, answers: usize) -> Vec<AgentId> {
        let mut heard = Vec::new();
        while heard.len() < answers {
            heard.push(timeout(PATIENCE, self.answers.recv()).await.expect("an answer").unwrap());
        }
        heard.sort_unstable();
        heard
    }

    fn ids(&self, which: impl IntoIterator<Item = usize>) -> Vec<AgentId> {
        let mut ids: Vec<AgentId> = which.into_iter().map(|n| self.agents[n].0.id).collect();
        ids.sort_unstable();
        ids
    }
}

fn state(fleet: &Fleet, agent: AgentId) -> AgentState {
    fleet.reports().into_iter().find(|report| report.id == agent).unwrap().state
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_hundred_agents_one_that_panics_and_three_that_block_neither_stop_nor_hold_up_the_others() {
    let mut scene = Scene::set(AGENTS).await;
    let mut releases = Vec::new();
    let host = scene.host(|n| match n {
        0 => Manner::PanicsInTurn,
        // More than there are threads.
        1..=3 => {
            let (release, until) = sync_channel(0);
            releases.push(release);
            Manner::Blocks(Mutex::new(until))
        }
        _ => Manner::Good,
    });
    assert_eq!(host.len(), AGENTS);
    let fleet = host.start().await;
    assert_eq!(fleet.up(), AGENTS);
    for n in 1..=3 {
        scene.say(n, "block").await;
    }
    scene.say(0, "panic").await;
    for n in 4..AGENTS {
        scene.say(n, "hello").await;
    }
    assert_eq!(scene.hear(AGENTS - 4).await, scene.ids(4..AGENTS));
    // Whoever panicked goes on with what comes next.
    scene.say(0, "hello").await;
    assert_eq!(scene.hear(1).await, scene.ids([0]));
    assert_eq!(fleet.up(), AGENTS);

    drop(releases);
    assert_eq!(scene.hear(3).await, scene.ids(1..=3));
    let reports = fleet.stop(Some(PATIENCE)).await;
    assert_eq!(reports.len(), AGENTS);
    for report in reports {
        assert!(report.state.is_well(), "{report}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_agent_that_does_not_start_says_why_and_the_others_run() {
    let mut scene = Scene::set(4).await;
    let host = scene.host(|n| match n {
        0 => Manner::PanicsAtStart,
        1 => Manner::RefusesToStart,
        _ => Manner::Good,
    });
    let mut fleet = host.starting_at_once(1).start().await;
    assert_eq!(fleet.up(), 2);
    let [panics, refuses, good, _] = [0, 1, 2, 3].map(|n: usize| scene.agents[n].0.id);
    assert!(
        matches!(state(&fleet, panics), AgentState::Failed(Error::Adapter(text)) if text.contains("panicked"))
    );
    assert!(
        matches!(state(&fleet, refuses), AgentState::Failed(Error::Adapter(text)) if text == "on purpose")
    );
    assert!(matches!(state(&fleet, good), AgentState::Running));
    assert!(fleet.restart(refuses).await.unwrap_err().to_string().contains("on purpose"));
    fleet.restart(good).await.unwrap();
    scene.say(2, "hello").await;
    scene.say(3, "hello").await;
    assert_eq!(scene.hear(2).await, scene.ids([2, 3]));
    let stopped = fleet.stop_one(good, Some(PATIENCE)).await.unwrap();
    assert!(stopped.state.is_well(), "{stopped}");
    assert_eq!(fleet.up(), 1);
    fleet.stop(None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_stop_could_not_clean_up_is_cleaned_up_before_the_agent_starts_again() {
    let mut scene = Scene::set(1).await;
    let mut fleet = scene.host(|_| Manner::Untidy(AtomicBool::new(false))).start().await;
    let untidy = scene.agents[0].0.id;
    let stopped = fleet.stop_one(untidy, None).await.unwrap();
    assert!(matches!(stopped.state, AgentState::Incomplete(_)), "{stopped}");
    fleet.restart(untidy).await.unwrap();
    scene.say(0, "hello").await;
    assert_eq!(scene.hear(1).await, [untidy]);
    assert!(fleet.stop(Some(PATIENCE)).await.iter().all(|report| report.state.is_well()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_agent_that_is_taken_over_ends_alone_and_can_be_started_again() {
    let mut scene = Scene::set(3).await;
    let mut fleet = scene.host(|_| Manner::Good).start().await;
    let taken = scene.agents[1].0.clone();
    let adapter = Member { manner: Manner::Good, me: taken.id, answered: scene.answered.clone() };
    // Another process, as far as the platform can tell.
    let elsewhere = scene.builder(&taken, adapter).single_instance(false).build_with(Env::default()).unwrap();
    let other = elsewhere.start().await.unwrap();
    let (ended, reason) = timeout(PATIENCE, fleet.next_end()).await.unwrap().unwrap();
    assert_eq!(ended, taken.id);
    assert!(matches!(state(&fleet, taken.id), AgentState::Ended(known) if known == reason));
    assert_eq!(fleet.up(), 2);
    other.stop(None).await.unwrap();
    fleet.restart(taken.id).await.unwrap();
    assert_eq!(fleet.up(), 3);
    for n in 0..3 {
        scene.say(n, "hello").await;
    }
    assert_eq!(scene.hear(3).await, scene.ids(0..3));
    assert!(fleet.stop(Some(Duration::from_secs(5))).await.iter().all(|report| report.state.is_well()));
}

#[tokio::test]
async fn an_agent_can_be_added_once() {
    let scene = Scene::set(1).await;
    let mut host = scene.host(|_| Manner::Good);
    let (agent, _) = &scene.agents[0];
    let twice = Member { manner: Manner::Good, me: agent.id, answered: scene.answered.clone() };
    let err = host.add_with(scene.builder(agent, twice), scene.env()).unwrap_err();
    assert!(err.to_string().contains("is on this host already"), "{err}");
}
