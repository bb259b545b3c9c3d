//! The outcomes that every adapter has to get right, on every adapter with a model.

use band::BoxedAdapter;
use band::testing::{Cue, Doing, ProbeSubject, TurnProbe};
use band_testkit::{ModelServer, ModelStep};
use serde_json::json;

use super::Setup;
use super::subjects::{Subject, stamp};

/// A subject whose model plays what it is to do.
pub(super) struct Probed<'s> {
    subject: &'s Subject,
    model: tokio::sync::Mutex<Option<ModelServer>>,
}

impl<'s> Probed<'s> {
    pub(super) fn new(subject: &'s Subject) -> Self {
        Self { subject, model: tokio::sync::Mutex::default() }
    }
}

impl ProbeSubject for Probed<'_> {
    type Adapter = BoxedAdapter;

    /// The loop of a model never settles a turn itself.
    fn can(&self, doing: Doing) -> bool {
        doing != Doing::Settle
    }

    async fn adapter(&self, cues: Vec<Cue>) -> BoxedAdapter {
        let steps = cues.into_iter().flat_map(|cue| {
            let steps = match cue.then {
                Doing::Reply(text) => vec![ModelStep::send(text, &["ada"]), ModelStep::say("Sent.")],
                Doing::Decline => vec![ModelStep::decline()],
                Doing::Act => vec![ModelStep::call("band_create_chatroom", json!({})), ModelStep::silence()],
                Doing::Fail => vec![ModelStep::refuse(400, "invalid_request_error", "no")],
                Doing::Hang => vec![ModelStep::stall()],
                _ => vec![ModelStep::silence()],
            };
            steps.into_iter().map(move |step| step.when(cue.when))
        });
        let model = ModelServer::start(steps).await.unwrap();
        let adapter = (self.subject.make)(&model, Setup::default());
        *self.model.lock().await = Some(model);
        adapter
    }

    async fn hangs(&self) {
        if let Some(model) = &*self.model.lock().await {
            model.asked(1).await.unwrap();
        }
    }
}

async fn the_outcome_matrix_holds(subject: &Subject) {
    TurnProbe::matrix(&Probed::new(subject)).await.assert();
}

stamp!(the_outcome_matrix_holds);
