//! One turn with a model, from the message to its end: what [`decide`](super::decide) asks for is done here.

use std::sync::Arc;

use band::tools::{Effect, Image, ToolDefinition, ToolOutcome};
use band::{AdapterError, AdapterResult, AgentFailure, Emit, Error, Turn, Usage};
use band_core::transcript::{Block, Call, Outcome, Transcript};
use band_wire::rest::EventType;
use serde_json::{Map, Value};

use super::decide::{Action, Input, Plan, Ran, Rules, TurnLoop, Verdict};
use super::model::{AskedCall, Model, ModelRequest, Step};
use super::rooms::Talk;
use crate::provider::{FailureKind, ProviderFailure, word};

/// Of a conversation that was too long so much is kept, in tenths.
const KEPT_TENTHS: usize = 7;

/// A turn that is under way.
pub(super) struct Running<'r, M> {
    pub(super) model: &'r M,
    pub(super) turn: &'r Turn<Transcript>,
    pub(super) talk: Talk<'r>,
    pub(super) system: Arc<str>,
    pub(super) tools: Arc<Vec<ToolDefinition>>,
    pub(super) max_rounds: u32,
    pub(super) used: Usage,
    /// Only what ends a turn may be called.
    pub(super) is_last: bool,
}

impl<M: Model> Running<'_, M> {
    /// Asks the model until the turn is over. What it took is told in any case.
    pub(super) async fn run(mut self) -> AdapterResult {
        let outcome = self.converse().await;
        if outcome.is_ok() {
            self.talk.keep();
        }
        self.turn.emit_usage(self.used).await;
        outcome
    }

    async fn converse(&mut self) -> AdapterResult {
        let rules = Rules { max_rounds: self.max_rounds, relays_text: self.model.relays_text() };
        let mut decisions = TurnLoop::new(rules);
        decisions.handle(Input::Begin);
        while let Some(action) = decisions.poll() {
            let input = match action {
                Action::Ask { last } => match self.ask(last).await? {
                    Some(input) => input,
                    None => return Ok(()),
                },
                Action::Shorten => Input::Shortened(self.shorten().await),
                Action::Run { step, plans } => Input::Ran(self.run_calls(*step, &plans).await?),
                Action::Finish { text, relay } => {
                    self.talk.edit().push_own(text.clone());
                    if relay {
                        self.turn.relay_reply(text).await?;
                    }
                    Input::Relayed
                }
                Action::Done => return Ok(()),
                Action::Fail(verdict) => return self.fail(&verdict, decisions.called()).await,
            };
            decisions.handle(input);
        }
        Ok(())
    }

    /// The model's next step. Nothing when it failed after the room had its answer: then the turn is over, and well.
    async fn ask(&mut self, last: bool) -> Result<Option<Input>, AdapterError> {
        self.is_last = last;
        let tools = if last {
            Arc::new(self.tools.iter().filter(|tool| ends_turn(tool.effect)).cloned().collect())
        } else {
            Arc::clone(&self.tools)
        };
        let request = ModelRequest {
            system: Arc::clone(&self.system),
            transcript: self.talk.shared(),
            tools,
            room: self.turn.room,
        };
        let asked = tokio::select! {
            biased;
            () = self.turn.cancelled() => return Err(Error::Cancelled.into()),
            asked = self.model.next(request) => asked,
        };
        match asked {
            Ok(step) => {
                self.used += step.usage;
                self.think(&step.thoughts).await;
                Ok(Some(Input::Stepped(step)))
            }
            Err(failure) => {
                self.used += failure.usage;
                self.failed(failure).await
            }
        }
    }

    async fn failed(&self, failure: ProviderFailure) -> Result<Option<Input>, AdapterError> {
        if failure.kind == FailureKind::TooLong {
            return Ok(Some(Input::TooLong));
        }
        if self.turn.tools.replied() {
            let room = self.turn.room;
            tracing::warn!(target: "band.model", %room, %failure, "the model failed after the turn had its answer");
            return Ok(None);
        }
        self.turn.fail(failure.to_failure(&self.model.provider())).await?;
        Err(failure.into())
    }

    async fn think(&self, thoughts: &[String]) {
        if self.model.shows_thoughts() && self.turn.features().emits(Emit::Thoughts) {
            for thought in thoughts {
                self.turn.event_safe(EventType::Thought, thought.clone(), None).await;
            }
        }
    }

    /// Makes the conversation shorter, and says so. Whether it could be.
    async fn shorten(&mut self) -> bool {
        let transcript = self.talk.edit();
        let most = transcript.size() * KEPT_TENTHS / 10;
        let cut = transcript.cut_to(most);
        let Some(note) = cut.note() else { return false };
        tracing::warn!(target: "band.model", room = %self.turn.room, "{note}");
        if !self.turn.features().emit.is_empty() {
            self.turn.event_safe(EventType::Thought, note, None).await;
        }
        true
    }

    /// Runs what the model asked for, one after another.
    async fn run_calls(&mut self, step: Step, plans: &[Plan]) -> Result<Ran, AdapterError> {
        let Step { text, calls: asked, opaque, .. } = step;
        let mut calls: Vec<Call> = asked.iter().map(to_call).collect();
        self.talk.edit().admit(&mut calls);
        self.talk.call(text, opaque, calls.clone());
        let mut ran = Ran { all_ok: true, ..Ran::default() };
        for ((asked, call), plan) in asked.iter().zip(&calls).zip(plans) {
            if self.turn.is_cancelled() {
                return Err(Error::Cancelled.into());
            }
            let mut outcome = self.run_call(asked, call).await?;
            ran.all_ok &= !outcome.is_error;
            ran.declined |=
                !outcome.is_error && self.turn.tools.tool_set().effect(&call.name) == Effect::Decline;
            if let Plan::RunWithHint(text) = plan {
                outcome.blocks.push(Block::Text(text.clone()));
            }
            self.talk.answer(outcome);
        }
        ran.replied = self.turn.tools.replied();
        Ok(ran)
    }

    async fn run_call(&self, asked: &AskedCall, call: &Call) -> Result<Outcome, AdapterError> {
        let tools = &self.turn.tools;
        tools.show_call(&call.id, &call.name, &Value::Object(call.arguments.clone())).await;
        let outcome = match asked.arguments.read() {
            Err(problem) => ToolOutcome::Invalid(format!("Invalid arguments for {}: {problem}", call.name)),
            Ok(_) if self.is_last && !ends_turn(tools.tool_set().effect(&call.name)) => {
                ToolOutcome::Invalid(format!(
                    "{} can't be called any more: this is the last step of the turn. Reply or decline.",
                    call.name
                ))
            }
            Ok(args) => tools.call(&call.name, args).await,
        };
        tools.show_result(&call.id, &call.name, &outcome).await;
        match outcome {
            ToolOutcome::TurnOver(err) => Err(err.into()),
            outcome => Ok(to_outcome(&outcome)),
        }
    }

    async fn fail(&self, verdict: &Verdict, called: &[String]) -> AdapterResult {
        let (code, text) = match verdict {
            Verdict::NoAnswer(text) => ("max_tool_rounds", text.clone()),
            Verdict::Repeats(text) => ("repeated_call", text.clone()),
            Verdict::TooLong => {
                ("context_length_exceeded", "The conversation is too long for the model.".to_owned())
            }
            Verdict::CutShort => {
                ("max_tokens", "The model used up its output before it said anything.".to_owned())
            }
            Verdict::Refused(why) => {
                let why = word(why);
                let text = format!("The model gave no answer ({why}).");
                return self.tell(&why, text, called).await;
            }
        };
        self.tell(code, text, called).await
    }

    async fn tell(&self, code: &str, text: String, called: &[String]) -> AdapterResult {
        let mut failure = AgentFailure::new(self.model.provider(), text.clone()).code(code);
        if !called.is_empty() {
            failure = failure.detail(format!("tool sequence: {}", called.join(", ")));
        }
        self.turn.fail(failure).await?;
        Err(text.into())
    }
}

/// A call as the conversation keeps it. One whose arguments can't be read has none.
fn to_call(asked: &AskedCall) -> Call {
    let arguments = match asked.arguments.read() {
        Ok(Value::Object(arguments)) => arguments,
        _ => Map::new(),
    };
    let mut call = Call::new(asked.id.clone(), asked.name.clone(), arguments);
    call.opaque.clone_from(&asked.opaque);
    call
}

/// What came of a call as the conversation keeps it: pictures stay pictures.
fn to_outcome(outcome: &ToolOutcome) -> Outcome {
    let images = outcome.images();
    if images.is_empty() {
        let text = outcome.to_model_text();
        return if outcome.is_ok() { Outcome::text(text) } else { Outcome::error(text) };
    }
    let image = |image: &Image<'_>| Block::Image {
        media_type: image.mime_type.to_owned(),
        data: image.data.to_owned(),
    };
    Outcome { blocks: images.iter().map(image).collect(), is_error: false }
}

const fn ends_turn(effect: Effect) -> bool {
    matches!(effect, Effect::Reply | Effect::Decline)
}
