//! Every adapter with a model, against a scripted one: the same scenarios for all.
//!
//! [`subjects`] names the adapters, [`stamp`] the scenarios. A new adapter is one line in the table of subjects.

mod calls;
mod conversation;
mod end_to_end;
mod failures;
mod generic;
mod loops;
mod official;
mod outcomes;
mod recorded;
mod subjects;
mod table;

use band::testing::FakeTools;
use band::{BoxedAdapter, Emit, Features, FrameworkAdapter, Supported};
use band_testkit::{ModelServer, ModelStep};
use serde_json::Value;

use self::subjects::Subject;

/// A model with its script, a room, and the adapter between them.
pub(crate) struct Stage {
    pub(crate) model: ModelServer,
    pub(crate) room: FakeTools,
    pub(crate) adapter: BoxedAdapter,
}

impl Stage {
    /// With this script, and nothing chosen.
    pub(crate) async fn of(subject: &Subject, script: impl IntoIterator<Item = ModelStep>) -> Self {
        Self::with(subject, script, room(), Setup::default()).await
    }

    pub(crate) async fn with(
        subject: &Subject,
        script: impl IntoIterator<Item = ModelStep>,
        room: FakeTools,
        setup: Setup,
    ) -> Self {
        let model = ModelServer::start(script).await.unwrap();
        let adapter = (subject.make)(&model, setup);
        adapter.on_started(room.identity(), &room.platform().unwrap()).await.unwrap();
        Self { model, room, adapter }
    }

    /// Ada says something; what came of it.
    pub(crate) async fn hear(&self, text: &str) -> Result<(), String> {
        self.adapter.on_event(self.room.turn(text)).await.map_err(|err| err.to_string())
    }

    /// A later message of the same session.
    pub(crate) async fn hear_next(&self, text: &str) -> Result<(), String> {
        let mut turn = self.room.turn(text);
        turn.is_bootstrap = false;
        turn.participants_update = None;
        self.adapter.on_event(turn).await.map_err(|err| err.to_string())
    }

    /// What was sent.
    pub(crate) fn said(&self) -> Vec<String> {
        self.room.sent().into_iter().map(|sent| sent.content).collect()
    }

    /// The last request, as text.
    pub(crate) fn asked(&self) -> String {
        self.model.last().body.to_string()
    }

    /// Nothing that was asked was wrong.
    #[track_caller]
    pub(crate) fn assert_accepted(&self) {
        assert_eq!(self.model.refusals(), Vec::<String>::new());
    }

    /// The events of this kind: their content as JSON where it is, else as text.
    pub(crate) fn events(&self, kind: &str) -> Vec<Value> {
        let events = self.room.events().into_iter().filter(|event| event.kind.as_str() == kind);
        let read = |text: String| serde_json::from_str(&text).unwrap_or(Value::String(text));
        events.map(|event| read(event.content)).collect()
    }
}

/// A room in which everything that an adapter can post is posted.
pub(crate) fn room() -> FakeTools {
    let supported =
        Supported { emit: Emit::ToolCalls | Emit::Usage | Emit::Thoughts, ..Supported::default() };
    FakeTools::new().with_features(Features::new().resolve("Test", &supported).unwrap())
}

/// What is set on an adapter beside its model.
#[derive(Default)]
pub(crate) struct Setup {
    pub(crate) features: Option<Features>,
    pub(crate) rounds: Option<u32>,
    pub(crate) tools: Vec<band::tools::Tool>,
    pub(crate) thinking: bool,
    /// Nothing is tried twice.
    pub(crate) impatient: bool,
}

impl Setup {
    /// How long pauses before further attempts may be.
    pub(crate) const fn patience(&self) -> std::time::Duration {
        std::time::Duration::from_secs(if self.impatient { 0 } else { 60 })
    }
}
