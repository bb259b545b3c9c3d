//! A provider of models that follows a script, and refuses what the real ones refuse.

mod check;
mod dialect;
mod recording;
mod serve;
mod state;
mod step;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

pub use dialect::Dialect;
pub use recording::{Exchange, Recording};
pub use state::SeenRequest;
pub use step::ModelStep;

use self::state::State;
use crate::{Error, PATIENCE, Result};

/// An endpoint that speaks the forms of OpenAI (Chat Completions and Responses), Anthropic and Gemini, streaming
/// or not, and plays a scripted model. What it is sent is checked as the provider checks it: unanswered tool
/// calls, wrong roles, unknown fields and bad schemas are refused with the provider's own status and body.
/// It ends when it is dropped.
///
/// ```no_run
/// # async fn example() -> band_testkit::Result<()> {
/// use band_testkit::{ModelServer, ModelStep};
///
/// let model = ModelServer::start([ModelStep::say("Hello, Ada.")]).await?;
/// // … an adapter whose base URL is `model.openai_url()` handles a message …
/// assert_eq!(model.last().body["messages"][1]["content"], "[Ada]: hi");
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct ModelServer {
    shared: Arc<Shared>,
    url: String,
    _server: JoinSet<()>,
}

/// Whether the provider would take this body: the checks of [`ModelServer`], without one. Signatures of thoughts
/// are taken to be good.
///
/// # Errors
/// What the provider would say.
pub fn check_request(dialect: Dialect, body: &Value) -> Result<(), String> {
    dialect::Asked::bare(dialect).check_body(body).map_err(|refused| refused.message)
}

/// What the server and its owner share.
#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    asked: watch::Sender<usize>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self) {
        self.asked.send_modify(|count| *count += 1);
    }
}

impl ModelServer {
    /// With this script. When it is over, requests are refused with 400.
    ///
    /// # Errors
    /// [`Error::Io`] when there is no free port.
    pub async fn start(script: impl IntoIterator<Item = ModelStep>) -> Result<Self> {
        Self::of(State { script: script.into_iter().collect(), ..State::default() }).await
    }

    /// Plays recorded traffic again. Each request must be the recorded one, or is refused with where it differs.
    ///
    /// # Errors
    /// [`Error::Io`] when there is no free port.
    pub async fn replay(recording: Recording) -> Result<Self> {
        Self::of(State { replay: Some(recording.exchanges.into()), ..State::default() }).await
    }

    async fn of(state: State) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(Error::io("cannot listen"))?;
        let address = listener.local_addr().map_err(Error::io("cannot tell the port"))?;
        let shared = Arc::new(Shared { state: Mutex::new(state), ..Shared::default() });
        let router = serve::router(Arc::clone(&shared));
        let mut server = JoinSet::new();
        server.spawn(async move {
            // It ends with the test, and has nobody to tell.
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { shared, url: format!("http://{address}"), _server: server })
    }

    /// Wants this key from everyone, and refuses others as the provider does.
    #[must_use]
    pub fn with_key(self, key: impl Into<String>) -> Self {
        self.shared.lock().key = Some(key.into());
        self
    }

    /// Takes every signature of a thought for its own.
    #[must_use]
    pub fn believing(self) -> Self {
        self.shared.lock().minted = state::Minted::believing();
        self
    }

    /// The base URL of Anthropic and Gemini clients.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The base URL of OpenAI clients.
    pub fn openai_url(&self) -> String {
        format!("{}/v1", self.url)
    }

    /// Adds a step.
    pub fn push(&self, step: ModelStep) {
        self.shared.lock().script.push_back(step);
    }

    /// The steps that nobody has asked for yet.
    pub fn steps_left(&self) -> usize {
        self.shared.lock().script.len()
    }

    /// What was asked so far.
    pub fn seen(&self) -> Vec<SeenRequest> {
        self.shared.lock().seen.clone()
    }

    /// The bodies of the requests so far.
    pub fn bodies(&self) -> Vec<Value> {
        self.shared.lock().seen.iter().map(|seen| seen.body.clone()).collect()
    }

    /// The newest request.
    ///
    /// # Panics
    /// When nobody asked: the test is wrong.
    #[expect(clippy::expect_used, reason = "of a test that looks too early")]
    pub fn last(&self) -> SeenRequest {
        self.shared.lock().seen.last().cloned().expect("nobody has asked the model")
    }

    /// What it refused because the request was wrong. Empty in a test of a good client.
    pub fn refusals(&self) -> Vec<String> {
        self.shared.lock().seen.iter().filter_map(|seen| seen.refused.clone()).collect()
    }

    /// The traffic so far.
    pub fn recording(&self) -> Recording {
        self.shared.lock().recording.clone()
    }

    /// Waits until it was asked so many times.
    ///
    /// # Errors
    /// [`Error::Late`] with what was asked.
    pub async fn asked(&self, times: usize) -> Result<()> {
        let mut count = self.shared.asked.subscribe();
        let enough = count.wait_for(|count| *count >= times);
        let in_time = timeout(PATIENCE, enough).await.is_ok_and(|seen| seen.is_ok());
        if in_time {
            return Ok(());
        }
        let seen: Vec<String> =
            self.seen().iter().map(|seen| format!("{} {}", seen.status, seen.path)).collect();
        let what = format!("{times} requests");
        Err(Error::Late { who: "the model".into(), what, waited: PATIENCE, seen: seen.join("\n") })
    }
}

#[cfg(test)]
mod tests;
