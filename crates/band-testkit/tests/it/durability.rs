//! What an agent knows after its process ended without a word.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use band::rest::{Carried, HttpPool, Transport};
use band::sim::Seams;
use band::{Agent, AgentBuilder, FrameworkAdapter, Running, SessionConfig, Turn, adapter_fn};
use band_testkit::{NewAgent, PATIENCE, Person, Platform, Watcher};
use band_wire::phx::Topic;
use band_wire::rest::{DeliveryStatus, Message};
use band_wire::{ChatId, MessageId};
use bytes::Bytes;
use http::{Request, Response, StatusCode};
use tempfile::TempDir;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::stage::Stage;

/// Stands between agent and platform. Without keys it is what an older platform would be.
#[derive(Debug, Default)]
struct Between {
    pool: HttpPool,
    honours_keys: bool,
    refuses_marks: AtomicBool,
    marks: AtomicUsize,
    refused: Notify,
}

impl Between {
    async fn pass(&self, mut request: Request<Bytes>) -> Result<Response<Bytes>, band::rest::Lost> {
        if request.uri().path().ends_with("/processed") {
            self.marks.fetch_add(1, Ordering::SeqCst);
            if self.refuses_marks.load(Ordering::SeqCst) {
                self.refused.notify_one();
                let mut refusal = Response::new(Bytes::new());
                *refusal.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
                return Ok(refusal);
            }
        }
        if self.honours_keys {
            return self.pool.carry(request).await;
        }
        request.headers_mut().remove("idempotency-key");
        let answer = self.pool.carry(request).await?;
        Ok(answer.map(|body| match std::str::from_utf8(&body) {
            Ok(text) => text.replace("\"ff_idempotency_keys\":true", "\"ff_idempotency_keys\":false").into(),
            Err(_) => body,
        }))
    }
}

impl Transport for Between {
    fn carry(&self, request: Request<Bytes>) -> Carried<'_> {
        Box::pin(self.pass(request))
    }
}

struct Scene {
    platform: Platform,
    person: Person,
    agent: NewAgent,
    room: ChatId,
    state: TempDir,
    between: Arc<Between>,
}

impl Scene {
    async fn set(honours_keys: bool) -> Self {
        let platform = Platform::start().await.unwrap();
        let person = platform.add_person("Ann").await.unwrap();
        let agent = person.register("Helper", "Answers what it is asked.").await.unwrap();
        let room = person.room_with("Kitchen", &agent).await.unwrap();
        let between = Arc::new(Between { honours_keys, ..Between::default() });
        Self { platform, person, agent, room, state: tempfile::tempdir().unwrap(), between }
    }

    fn agent(&self, adapter: impl FrameworkAdapter) -> AgentBuilder {
        let mut seams = Seams::default();
        seams.transport = Some(Arc::clone(&self.between) as Arc<dyn Transport>);
        Agent::builder(adapter)
            .credentials(self.agent.id, self.agent.key.clone())
            .rest_url(self.platform.base_url())
            .seams(seams)
    }

    async fn start(&self, agent: AgentBuilder) -> Running {
        let state = self.state.path().display().to_string();
        let env = [("BAND_STATE_DIR", state.clone()), ("TMPDIR", state)].into_iter().collect();
        agent.build_with(env).unwrap().start().await.unwrap()
    }

    async fn watch(&self) -> Watcher {
        let mut watcher = self.person.watch().await.unwrap();
        watcher.join(Topic::ChatRoom(self.room)).await.unwrap();
        watcher
    }

    async fn say(&self, text: &str) -> MessageId {
        self.person.say(self.room, self.agent.id, text).await.unwrap()
    }

    async fn answered(&self, watcher: &mut Watcher) -> Message {
        let wanted = |message: &Message| message.sender_id == self.agent.id.into();
        watcher.message("an answer", wanted).await.unwrap()
    }

    async fn processed(&self, watcher: &mut Watcher, message: MessageId) {
        let wanted = |seen: &band_testkit::Seen| {
            let updated = seen.message().filter(|updated| updated.id == message)?;
            (updated.delivery_status(self.agent.id) == Some(DeliveryStatus::Processed)).then_some(())
        };
        watcher.until("the message to be processed", PATIENCE, wanted).await.unwrap();
    }

    async fn answers(&self) -> Vec<String> {
        let timeline = self.person.timeline(self.room).await.unwrap();
        let its = timeline.into_iter().filter(|message| message.sender_id == self.agent.id.into());
        its.filter(|message| message.message_type == "text").map(|message| message.content).collect()
    }
}

/// Answers with its number of the run, so that two runs never say the same.
fn counting(runs: &Arc<AtomicUsize>) -> impl FrameworkAdapter + use<> {
    let runs = Arc::clone(runs);
    adapter_fn(move |turn: Turn| {
        let run = runs.fetch_add(1, Ordering::SeqCst) + 1;
        async move { turn.reply(format!("run {run}")).await }
    })
}

#[tokio::test]
async fn a_turn_that_was_finished_before_the_end_is_marked_by_the_next_process_and_not_run_again() {
    // Without keys, so that nothing but the journal can know it.
    let scene = Scene::set(false).await;
    let mut watcher = scene.watch().await;
    let runs = Arc::default();
    scene.between.refuses_marks.store(true, Ordering::SeqCst);
    let first = scene.start(scene.agent(counting(&runs))).await;
    let message = scene.say("hello").await;
    scene.answered(&mut watcher).await;
    scene.between.refused.notified().await;
    drop(first);

    scene.between.refuses_marks.store(false, Ordering::SeqCst);
    let _second = scene.start(scene.agent(counting(&runs))).await;
    scene.processed(&mut watcher, message).await;
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    assert_eq!(scene.answers().await.len(), 1);
}

/// A first process that answers and is cut off before its turn ends, and a second one.
async fn cut_off_after_its_answer(scene: &Scene, session: &SessionConfig) -> Vec<String> {
    let mut watcher = scene.watch().await;
    let hanging = adapter_fn(|turn: Turn| async move {
        turn.reply("run 1").await?;
        std::future::pending::<()>().await;
        Ok::<_, band::Error>(())
    });
    let first = scene.start(scene.agent(hanging).session(session.clone())).await;
    let message = scene.say("hello").await;
    scene.answered(&mut watcher).await;
    // The answer reached the person before it reached the agent, maybe: only then it is written down.
    scene.recorded(message).await;
    drop(first);
    let runs = Arc::new(AtomicUsize::new(1));
    let _second = scene.start(scene.agent(counting(&runs)).session(session.clone())).await;
    scene.processed(&mut watcher, message).await;
    assert_eq!(runs.load(Ordering::SeqCst), 2, "a turn without an end is run again");
    scene.answers().await
}

impl Scene {
    /// Waits until the journal knows of a reply to this message.
    async fn recorded(&self, message: MessageId) {
        let wanted = message.uuid().as_bytes().to_vec();
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            let journals = walk(self.state.path());
            let known = journals.iter().any(|bytes| {
                // Begun, and posted.
                bytes.windows(wanted.len()).filter(|part| *part == wanted).count() >= 2
            });
            if known || journals.is_empty() {
                return;
            }
            tokio::task::yield_now().await;
        }
        panic!("the answer was never written down");
    }
}

/// The contents of all journals below a folder.
fn walk(folder: &std::path::Path) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(walk(&entry.path()));
        } else if entry.file_name() == "journal" {
            found.push(std::fs::read(entry.path()).unwrap());
        }
    }
    found
}

#[tokio::test]
async fn an_answer_that_was_posted_before_the_end_is_not_posted_again_by_the_next_process() {
    let scene = Scene::set(false).await;
    let answers = cut_off_after_its_answer(&scene, &SessionConfig::default()).await;
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert!(answers[0].ends_with("run 1"), "{answers:?}");
}

#[tokio::test]
async fn without_a_journal_keys_alone_keep_the_answer_from_being_posted_twice() {
    let scene = Scene::set(true).await;
    let mut session = SessionConfig::default();
    session.enable_journal = false;
    let answers = cut_off_after_its_answer(&scene, &session).await;
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert!(walk(scene.state.path()).is_empty(), "it was switched off");
}

/// What is promised without both: at least once.
#[tokio::test]
async fn without_a_journal_and_without_keys_the_answer_is_posted_by_each_process() {
    let scene = Scene::set(false).await;
    let mut session = SessionConfig::default();
    session.enable_journal = false;
    assert_eq!(cut_off_after_its_answer(&scene, &session).await.len(), 2);
}

#[tokio::test]
async fn an_agent_that_is_killed_and_started_again_and_again_answers_each_message_once() {
    let stage = Stage::set().await;
    let mut watcher = stage.watch().await;
    for round in 0..5 {
        let mut agent = stage.rust_agent().await;
        stage.say(&format!("round {round}")).await;
        stage.answer(&mut watcher, &format!("echo: round {round}")).await;
        // Its mark may have got through or not.
        agent.kill().await.unwrap();
    }
    let _last = stage.rust_agent().await;
    let message = stage.say("the end").await;
    stage.answer(&mut watcher, "echo: the end").await;
    stage.processed(&mut watcher, message).await;
    assert_eq!(stage.said_by_the_agent().await.len(), 6);
}

#[tokio::test]
async fn a_second_process_that_is_let_in_runs_without_the_journal() {
    let scene = Scene::set(true).await;
    let runs = Arc::default();
    let first = scene.start(scene.agent(counting(&runs)).single_instance(false)).await;
    let second = scene.start(scene.agent(counting(&runs)).single_instance(false)).await;
    assert!(matches!(first.closed().await, band::link::StopReason::Superseded { .. }));
    let mut watcher = scene.watch().await;
    let message = scene.say("hello").await;
    scene.processed(&mut watcher, message).await;
    let known = walk(scene.state.path());
    assert_eq!(known.len(), 1);
    let id = message.uuid().as_bytes().to_vec();
    assert!(
        !known[0].windows(id.len()).any(|part| part == id),
        "the first one's journal is not written by the second"
    );
    second.stop(None).await.unwrap();
    first.stop(None).await.unwrap();
}
