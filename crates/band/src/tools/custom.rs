//! Tools of one's own.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use band_wire::ChatId;
use band_wire::tools::{Effect, Group, Problems, Surface, ToolDefinition, check};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::outcome::looks_failed;
use super::{RoomTools, ToolOutcome};
use crate::adapter::AdapterError;
use crate::error::Error;

/// How long a tool of one's own may take, unless it says otherwise.
const TIMEOUT: Duration = Duration::from_secs(300);

/// A tool of one's own: a name, a type for its arguments and a function.
///
/// The doc comment of the type is the tool's description, those of its fields describe the arguments, and the
/// schema comes from the type. Arguments that do not fit go back to the model as a text, and the function is
/// not called. Its effect is noted only when it succeeded: an error, an object whose `ok` is false and a text that
/// begins with `error:` are none. When the turn is asked to end, the function is dropped a second later.
///
/// ```
/// use std::time::Duration;
/// use band::tools::{Effect, Tool};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// /// Files a ticket with the operations team.
/// #[derive(Deserialize, JsonSchema)]
/// struct OpenTicket {
///     /// One line: what is broken.
///     summary: String,
/// }
///
/// let open_ticket = Tool::new("open_ticket", |args: OpenTicket, _| async move {
///     Ok(format!("filed: {}", args.summary))
/// })
/// .effect(Effect::Act)
/// .timeout(Duration::from_secs(20));
/// assert_eq!(open_ticket.definition().description, "Files a ticket with the operations team.");
/// ```
#[derive(Clone)]
pub struct Tool(Arc<Inner>);

struct Inner {
    definition: ToolDefinition,
    timeout: Duration,
    handler: Arc<Handler>,
}

type Answer = Pin<Box<dyn Future<Output = Result<Value, AdapterError>> + Send>>;
type Handler = dyn Fn(Value, ToolContext) -> Result<Answer, Problems> + Send + Sync;

/// What a tool of one's own may know of the call.
#[derive(Debug, Clone)]
pub struct ToolContext {
    tools: RoomTools,
}

impl ToolContext {
    /// The room in which the model called.
    pub fn room(&self) -> ChatId {
        self.tools.room()
    }

    /// The tools of that room, bound to the same turn.
    pub const fn tools(&self) -> &RoomTools {
        &self.tools
    }

    /// Resolves when the turn is asked to end.
    pub async fn cancelled(&self) {
        self.tools.cancelled().await;
    }
}

impl Tool {
    /// A tool. Its effect is [`Effect::Observe`]: it settles nothing, and the model still owes an answer. It may take
    /// five minutes.
    pub fn new<A, T, F, Fut>(name: impl Into<String>, handler: F) -> Self
    where
        A: DeserializeOwned + JsonSchema,
        T: Serialize,
        F: Fn(A, ToolContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<T, AdapterError>> + Send + 'static,
    {
        let definition = ToolDefinition::of::<A>(name.into(), Surface::Agent, Group::Custom, Effect::Observe);
        let handler = move |args, context| -> Result<Answer, Problems> {
            let args: A = serde_json::from_value(args)
                .map_err(|err| Problems::one(Problems::WHOLE, err.to_string()))?;
            let answer = handler(args, context);
            Ok(Box::pin(async move { Ok(serde_json::to_value(answer.await?)?) }))
        };
        Self(Arc::new(Inner { definition, timeout: TIMEOUT, handler: Arc::new(handler) }))
    }

    /// What it amounts to when it works: [`Effect::Act`] makes silence afterwards fine, [`Effect::Reply`] says that
    /// it has answered.
    #[must_use]
    pub fn effect(self, effect: Effect) -> Self {
        self.with(|inner| inner.definition.effect = effect)
    }

    /// How long it may take; then it is dropped and the model is told.
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        self.with(|inner| inner.timeout = timeout)
    }

    /// Another description than the type's.
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> Self {
        self.with(|inner| inner.definition.description = description.into())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0.definition.name
    }

    /// All that a model is told of it.
    pub fn definition(&self) -> &ToolDefinition {
        &self.0.definition
    }

    fn with(self, change: impl FnOnce(&mut Inner)) -> Self {
        let Inner { definition, timeout, handler } = self.0.as_ref();
        let mut inner =
            Inner { definition: definition.clone(), timeout: *timeout, handler: Arc::clone(handler) };
        change(&mut inner);
        Self(Arc::new(inner))
    }

    /// Calls it for a turn.
    pub(super) async fn call(&self, tools: &RoomTools, args: Value) -> ToolOutcome {
        let name = self.name();
        let args = match args {
            Value::Null => Value::Object(Map::new()),
            args => args,
        };
        let context = ToolContext { tools: tools.clone() };
        let started = check(&self.0.definition.schema, args).and_then(|args| (self.0.handler)(args, context));
        let answer = match started {
            Ok(answer) => answer,
            Err(problems) => return ToolOutcome::Invalid(problems.told(name)),
        };
        let timed = tokio::time::timeout(self.0.timeout, answer);
        match tools.bound(timed).await {
            Err(err) => ToolOutcome::TurnOver(err),
            Ok(Err(_)) => {
                ToolOutcome::failed(name, format_args!("no result within {} s", self.0.timeout.as_secs_f64()))
            }
            Ok(Ok(Err(err))) => match err.into_error() {
                Ok(err @ (Error::Stopped { .. } | Error::Cancelled)) => ToolOutcome::TurnOver(err),
                Ok(err) => ToolOutcome::failed(name, err),
                Err(err) => ToolOutcome::failed(name, err),
            },
            Ok(Ok(Ok(value))) if looks_failed(&value) => {
                ToolOutcome::Failed(super::outcome::model_text(&value))
            }
            Ok(Ok(Ok(value))) => {
                tools.shared.ledger().record(self.0.definition.effect);
                ToolOutcome::Done(value)
            }
        }
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("name", &self.name()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::testing::FakeTools;

    /// Adds numbers.
    #[derive(Debug, Deserialize, JsonSchema)]
    struct Sum {
        /// The numbers.
        numbers: Vec<i64>,
        #[schemars(range(min = 1, max = 3))]
        times: Option<u8>,
    }

    fn sum() -> Tool {
        Tool::new("sum", |args: Sum, _| async move {
            Ok(args.numbers.iter().sum::<i64>() * i64::from(args.times.unwrap_or(1)))
        })
    }

    async fn call(tool: Tool, args: Value) -> (ToolOutcome, bool) {
        let room = FakeTools::new().with_tools(vec![tool.clone()]).tools();
        let outcome = room.call(tool.name(), args).await;
        (outcome, room.is_complete())
    }

    #[tokio::test]
    async fn its_arguments_are_read_and_its_result_goes_to_the_model() {
        let (outcome, is_complete) = call(sum(), json!({ "numbers": ["1", 2.0, 3], "times": null })).await;
        assert_eq!(outcome.to_model_text(), "6");
        assert!(outcome.is_ok() && !is_complete, "it observes unless it says otherwise");
        let (outcome, _) = call(sum(), json!({ "numbers": [1, "x"], "times": 9 })).await;
        assert_eq!(
            outcome.to_model_text(),
            "Invalid arguments for sum: numbers.1: Input should be a valid integer, unable to parse string as an \
             integer, times: Input should be less than or equal to 3"
        );
    }

    #[tokio::test]
    async fn its_effect_counts_only_when_it_succeeded() {
        let act = |result: Value| {
            Tool::new("act", move |_: Map<String, Value>, _| {
                let result = result.clone();
                async move { Ok(result) }
            })
            .effect(Effect::Act)
        };
        for (result, worked) in
            [(json!("done"), true), (json!({ "ok": false }), false), (json!("Error: no"), false)]
        {
            let (outcome, is_complete) = call(act(result.clone()), json!({})).await;
            assert_eq!((outcome.is_ok(), is_complete), (worked, worked), "{result}");
        }
        let fails = Tool::new("fails", |_: Map<String, Value>, _| async {
            Err::<(), _>(AdapterError::from("the printer is out of paper"))
        })
        .effect(Effect::Act);
        let (outcome, is_complete) = call(fails, Value::Null).await;
        assert_eq!(outcome.to_model_text(), "Error executing fails: the printer is out of paper");
        assert!(!outcome.is_ok() && !is_complete);
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_hangs_is_dropped_after_its_time_or_with_its_turn() {
        let hangs = || {
            Tool::new("hangs", |_: Map<String, Value>, _| async {
                std::future::pending::<()>().await;
                Ok(())
            })
            .timeout(Duration::from_millis(1500))
        };
        let (outcome, _) = call(hangs(), Value::Null).await;
        assert_eq!(outcome.to_model_text(), "Error executing hangs: no result within 1.5 s");
        let fake = FakeTools::new().with_tools(vec![hangs().timeout(Duration::from_secs(60))]);
        let room = fake.tools();
        fake.cancel();
        assert!(matches!(room.call("hangs", Value::Null).await, ToolOutcome::TurnOver(Error::Cancelled)));
    }
}
