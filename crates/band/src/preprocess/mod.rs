//! What may look at a message before the adapter does.

mod boxed;
mod context;

use std::future::{Future, ready};

pub(crate) use boxed::BoxedPreprocessor;
pub use context::RoomContext;

use crate::adapter::{AdapterError, AdapterResult};
use crate::turn::AgentInput;

/// Looks at each message before the adapter gets it: changes what it carries, or drops it.
///
/// ```
/// use band::{AdapterResult, AgentInput, Preprocessor, RoomContext};
///
/// struct OnlyQuestions;
///
/// impl Preprocessor for OnlyQuestions {
///     async fn process(&self, _: &RoomContext, input: AgentInput) -> AdapterResult<Option<AgentInput>> {
///         Ok(input.text().contains('?').then_some(input))
///     }
/// }
/// ```
pub trait Preprocessor: Send + Sync + 'static {
    /// Gives what the adapter gets. None drops the message: it counts as handled without a turn, and what it
    /// carried, the room's past for one, stays owed to the next.
    ///
    /// # Errors
    /// The turn failed, as if the adapter had.
    fn process(
        &self,
        context: &RoomContext,
        input: AgentInput,
    ) -> impl Future<Output = Result<Option<AgentInput>, AdapterError>> + Send;
}

/// Hands on every message as it is.
#[derive(Debug, Clone, Copy, Default)]
pub struct DefaultPreprocessor;

impl Preprocessor for DefaultPreprocessor {
    fn process(
        &self,
        _: &RoomContext,
        input: AgentInput,
    ) -> impl Future<Output = AdapterResult<Option<AgentInput>>> + Send {
        ready(Ok(Some(input)))
    }
}
