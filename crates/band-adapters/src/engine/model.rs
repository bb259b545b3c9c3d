//! What a model is to the loop: from a conversation and tools to the next step.

use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use band::Usage;
use band_core::transcript::{Opaque, Transcript};
use band_wire::ChatId;
use band_wire::tools::ToolDefinition;
use serde_json::{Map, Value};

use crate::provider::ProviderFailure;

/// A model: given what was said and the tools that there are, it says what comes next. Everything else (running
/// tools, rounds, limits, replies, the room's events) is the loop's business, the same for every model.
///
/// ```
/// use band_adapters::{Model, ModelAdapter, ModelRequest, ProviderFailure, Step};
///
/// struct Parrot;
///
/// impl Model for Parrot {
///     fn name(&self) -> &str {
///         "Parrot"
///     }
///
///     async fn next(&self, request: ModelRequest) -> Result<Step, ProviderFailure> {
///         Ok(Step::say(format!("I was told {} things.", request.transcript.len())))
///     }
/// }
///
/// let adapter = ModelAdapter::of(Parrot);
/// # let _ = adapter;
/// ```
pub trait Model: Send + Sync + 'static {
    /// What the adapter is called in errors and logs: `Chat`, `Anthropic`.
    fn name(&self) -> &str;

    /// Whom failures are said to be of. Default: the name in small letters.
    fn provider(&self) -> Cow<'_, str> {
        Cow::Owned(self.name().to_ascii_lowercase())
    }

    /// Whether a final text without a call is relayed to whoever wrote the message. Default: true.
    fn relays_text(&self) -> bool {
        true
    }

    /// Whether its thoughts may be shown to people. Default: false.
    fn shows_thoughts(&self) -> bool {
        false
    }

    /// Looks at its settings, before the first message. Default: nothing to look at.
    ///
    /// # Errors
    /// A setting is missing or does not fit; the agent does not start.
    fn ready(&self) -> band::Result<()> {
        Ok(())
    }

    /// The next step. It is dropped when the turn is cancelled.
    ///
    /// # Errors
    /// There is none. A conversation that is too long ([`FailureKind::TooLong`](crate::FailureKind::TooLong)) is
    /// shortened and tried again.
    fn next(&self, request: ModelRequest) -> impl Future<Output = Result<Step, ProviderFailure>> + Send;
}

/// What a model is asked. Cheap to clone.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ModelRequest {
    /// Who the agent is, and what it should do.
    pub system: Arc<str>,
    /// What was said, oldest first. The newest entry is what the model has to answer.
    pub transcript: Arc<Transcript>,
    /// The tools that it may call.
    pub tools: Arc<Vec<ToolDefinition>>,
    /// The room.
    pub room: ChatId,
}

impl ModelRequest {
    /// A request, for tests of a model.
    pub fn new(
        system: impl Into<Arc<str>>,
        transcript: Transcript,
        tools: Vec<ToolDefinition>,
        room: ChatId,
    ) -> Self {
        Self { system: system.into(), transcript: Arc::new(transcript), tools: Arc::new(tools), room }
    }
}

/// What a model does next: it calls tools, or it ends its answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Step {
    /// What it thought, as far as it may be shown.
    pub thoughts: Vec<String>,
    /// What it wrote. Beside calls nobody but the model sees it again.
    pub text: String,
    /// The tools that it calls; none when it is done.
    pub calls: Vec<AskedCall>,
    /// What the provider wants back before the calls, as it is.
    pub opaque: Vec<Opaque>,
    /// What the step took.
    pub usage: Usage,
    /// How it ended.
    pub end: StepEnd,
}

/// How a step ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StepEnd {
    /// As the model wanted.
    #[default]
    Complete,
    /// At the limit of its output: text or arguments may be in part.
    CutShort,
    /// The provider wants to be asked once more to go on.
    Paused,
    /// The provider or the model will not answer; its word for why.
    Refused(String),
}

/// A call that a model asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedCall {
    /// The provider's id for it. Empty if there is none: then it gets one.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments, as text or as a value.
    pub arguments: Arguments,
    /// What the provider wants back with this very call.
    pub opaque: Option<Opaque>,
}

/// Arguments of a call, as they came.
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments {
    /// JSON, or what the model took for it.
    Text(String),
    /// A value.
    Value(Value),
}

/// The longest part of wrong arguments that goes back to the model, in characters.
const PREVIEW_MAX: usize = 200;

impl Arguments {
    /// As a value. Nothing at all is an empty object.
    ///
    /// # Errors
    /// It is no JSON: what is wrong, with the start of what was written. Bounded.
    pub fn read(&self) -> Result<Value, String> {
        let text = match self {
            Self::Value(Value::Null) => return Ok(Value::Object(Map::new())),
            Self::Value(value) => return Ok(value.clone()),
            Self::Text(text) => text.trim(),
        };
        if text.is_empty() {
            return Ok(Value::Object(Map::new()));
        }
        serde_json::from_str(text).map_err(|err| {
            let length = text.chars().count();
            let start: String = text.chars().take(PREVIEW_MAX).collect();
            let more =
                if length > PREVIEW_MAX { format!("… ({length} characters)") } else { String::new() };
            format!("arguments: Input should be valid JSON ({err}): {start}{more}")
        })
    }
}

impl Step {
    /// Says something and is done.
    pub fn say(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Calls a tool.
    pub fn call(name: impl Into<String>, arguments: Value) -> Self {
        Self::default().and_call(name, arguments)
    }

    /// Calls a further tool.
    #[must_use]
    pub fn and_call(mut self, name: impl Into<String>, arguments: Value) -> Self {
        let arguments = Arguments::Value(arguments);
        self.calls.push(AskedCall { id: String::new(), name: name.into(), arguments, opaque: None });
        self
    }

    /// With what it took.
    #[must_use]
    pub const fn usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }
}

/// A step that is being made.
pub type NextStep<'a> = Pin<Box<dyn Future<Output = Result<Step, ProviderFailure>> + Send + 'a>>;

/// The boxed twin of [`Model`], for models that are chosen at run time.
pub trait DynModel: Send + Sync + 'static {
    /// As [`Model::name`].
    fn dyn_name(&self) -> &str;
    /// As [`Model::provider`].
    fn dyn_provider(&self) -> Cow<'_, str>;
    /// As [`Model::relays_text`].
    fn dyn_relays_text(&self) -> bool;
    /// As [`Model::shows_thoughts`].
    fn dyn_shows_thoughts(&self) -> bool;
    /// As [`Model::ready`].
    ///
    /// # Errors
    /// As there.
    fn dyn_ready(&self) -> band::Result<()>;
    /// As [`Model::next`].
    fn dyn_next(&self, request: ModelRequest) -> NextStep<'_>;
}

impl<M: Model> DynModel for M {
    fn dyn_name(&self) -> &str {
        self.name()
    }

    fn dyn_provider(&self) -> Cow<'_, str> {
        self.provider()
    }

    fn dyn_relays_text(&self) -> bool {
        self.relays_text()
    }

    fn dyn_shows_thoughts(&self) -> bool {
        self.shows_thoughts()
    }

    fn dyn_ready(&self) -> band::Result<()> {
        self.ready()
    }

    fn dyn_next(&self, request: ModelRequest) -> NextStep<'_> {
        Box::pin(self.next(request))
    }
}

impl Model for Box<dyn DynModel> {
    fn name(&self) -> &str {
        (**self).dyn_name()
    }

    fn provider(&self) -> Cow<'_, str> {
        (**self).dyn_provider()
    }

    fn relays_text(&self) -> bool {
        (**self).dyn_relays_text()
    }

    fn shows_thoughts(&self) -> bool {
        (**self).dyn_shows_thoughts()
    }

    fn ready(&self) -> band::Result<()> {
        (**self).dyn_ready()
    }

    fn next(&self, request: ModelRequest) -> impl Future<Output = Result<Step, ProviderFailure>> + Send {
        (**self).dyn_next(request)
    }
}

impl std::fmt::Debug for dyn DynModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct(self.dyn_name()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_that_are_no_json_come_back_bounded() {
        let read = |text: &str| Arguments::Text(text.to_owned()).read();
        for (text, value) in [
            ("", json!({})),
            (" \n", json!({})),
            ("{\"a\":1}", json!({ "a": 1 })),
            ("{\"a\":1,\"a\":2}", json!({ "a": 2 })),
            ("null", json!(null)),
            ("[]", json!([])),
            ("\"x\"", json!("x")),
        ] {
            assert_eq!(read(text), Ok(value), "{text}");
        }
        for text in ["{", "{} trailing", "{'a': 1}", &format!("{{\"a\": \"{}", "é".repeat(1 << 20))] {
            let problem = read(text).unwrap_err();
            assert!(problem.starts_with("arguments: Input should be valid JSON ("), "{problem}");
            assert!(problem.chars().count() < 400, "{}", problem.len());
        }
        assert_eq!(Arguments::Value(Value::Null).read(), Ok(json!({})));
    }
}
