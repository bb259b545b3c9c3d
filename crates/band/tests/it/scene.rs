//! An adapter that does as the message says, and an agent around it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use band::{
    AdapterResult, Agent, AgentBuilder, FrameworkAdapter, Identity, InterruptMode, PlatformConnection,
    RawHistory, Running, SessionConfig, SimpleAdapter, Turn,
};
use band_wire::ChatId;
use tokio::sync::Notify;

use crate::platform::{Platform, agent};

/// How long anything may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// What an adapter was asked to do, and what it does when it is asked.
#[derive(Default)]
pub(crate) struct Book {
    pub(crate) notes: Mutex<Vec<String>>,
    pub(crate) noted: Notify,
    /// Turns whose message says "wait" go on when this is notified.
    pub(crate) gate: Notify,
    /// Hooks that fail, by name, each once.
    pub(crate) failing: Mutex<Vec<&'static str>>,
}

impl Book {
    pub(crate) fn note(&self, text: String) {
        self.notes.lock().unwrap().push(text);
        self.noted.notify_waiters();
    }

    pub(crate) fn fail(&self, hook: &'static str) -> AdapterResult {
        if self.is_failing(hook) { Err(format!("{hook} failed").into()) } else { Ok(()) }
    }

    fn is_failing(&self, hook: &'static str) -> bool {
        let mut failing = self.failing.lock().unwrap();
        let at = failing.iter().position(|name| *name == hook);
        at.map(|at| failing.remove(at)).is_some()
    }

    pub(crate) fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap().clone()
    }

    /// Waits for a note.
    pub(crate) async fn saw(&self, text: &str) {
        let seen = async {
            loop {
                let noted = self.noted.notified();
                tokio::pin!(noted);
                noted.as_mut().enable();
                if self.notes().iter().any(|note| note == text) {
                    return;
                }
                noted.await;
            }
        };
        if tokio::time::timeout(PATIENCE, seen).await.is_err() {
            panic!("{text:?} was not noted: {:?}", self.notes());
        }
    }
}

/// Answers `re: ` and the text, unless the text says otherwise.
pub(crate) struct Puppet(pub(crate) Arc<Book>);

impl SimpleAdapter for Puppet {
    type Converter = RawHistory;

    async fn on_started(&self, me: &Identity, _: &PlatformConnection) -> AdapterResult {
        self.0.note(format!("started {}: {}", me.name, me.description));
        assert!(!self.0.is_failing("panic in on_started"), "on purpose");
        self.0.fail("on_started")
    }

    async fn on_message(&self, turn: Turn) -> AdapterResult {
        let text = turn.text().to_owned();
        let past: Vec<&str> = turn.history.items.iter().map(|item| item.content.as_str()).collect();
        self.0.note(format!("turn {text}, past {past:?}, first {}", turn.is_bootstrap));
        if self.0.is_failing("accept") {
            return Err(band::AdapterError::not_accepted("busy"));
        }
        match text.as_str() {
            "silence" => return Ok(()),
            "error" => return Err("secret cause".into()),
            "panic" => panic!("on purpose"),
            "wait" => {
                tokio::select! {
                    () = self.0.gate.notified() => {}
                    () = turn.cancelled() => {
                        self.0.note("cancelled".to_owned());
                        return Err(band::Error::Cancelled.into());
                    }
                }
            }
            "stubborn" => self.0.gate.notified().await,
            _ => {}
        }
        turn.reply(format!("re: {text}")).await?;
        if text == "twice" {
            turn.reply("and again").await?;
        }
        Ok(())
    }

    fn on_interrupt(&self, _: ChatId, mode: InterruptMode) {
        self.0.note(format!("{mode:?}"));
        assert!(!self.0.is_failing("on_interrupt"), "on purpose");
    }

    async fn on_cleanup(&self, room: ChatId) -> AdapterResult {
        self.0.note(format!("cleanup {room}"));
        self.0.fail("on_cleanup")
    }

    async fn cleanup_all(&self) -> AdapterResult {
        self.0.note("cleanup all".to_owned());
        self.0.fail("cleanup_all")
    }
}

/// A builder with all that the platform needs to know.
pub(crate) fn builder_of(platform: &Platform, adapter: impl FrameworkAdapter) -> AgentBuilder {
    Agent::builder(adapter)
        .credentials(agent(), "band_a_key")
        .rest_url(platform.url())
        .session(journalless(SessionConfig::default()))
        .single_instance(false)
}

/// What one test leaves behind is not another's.
pub(crate) fn journalless(mut session: SessionConfig) -> SessionConfig {
    session.enable_journal = false;
    session
}

/// An agent that is not started.
pub(crate) fn agent_of(platform: &Platform, session: SessionConfig) -> (Agent, Arc<Book>) {
    let book = Arc::new(Book::default());
    let agent =
        builder_of(platform, Puppet(Arc::clone(&book))).session(journalless(session)).build().unwrap();
    (agent, book)
}

pub(crate) async fn start(platform: &Platform) -> (Running, Arc<Book>) {
    start_with(platform, SessionConfig::default()).await
}

pub(crate) async fn start_with(platform: &Platform, session: SessionConfig) -> (Running, Arc<Book>) {
    let (agent, book) = agent_of(platform, session);
    let running = tokio::time::timeout(PATIENCE, agent.start()).await.unwrap().unwrap();
    (running, book)
}
