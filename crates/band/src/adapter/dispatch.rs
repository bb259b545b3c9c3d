//! One message on its way to the adapter: preprocessor, control, turn.

use super::{AdapterResult, BoxedAdapter, ControlMessage, FrameworkAdapter};
use crate::preprocess::{BoxedPreprocessor, Preprocessor, RoomContext};
use crate::turn::AgentInput;

/// What became of a message.
#[derive(Debug)]
pub(crate) enum Dispatched {
    /// The preprocessor dropped it, or it was taken as a word to work under way. It counts as handled; there
    /// was no turn to judge, and what a turn would have carried stays owed.
    WithoutTurn,
    /// The adapter had its turn.
    Turn(AdapterResult),
}

pub(crate) async fn dispatch(
    adapter: &BoxedAdapter,
    preprocessor: &BoxedPreprocessor,
    context: RoomContext,
    input: AgentInput,
) -> Dispatched {
    let input = match preprocessor.process(&context, input).await {
        Ok(Some(input)) => input,
        Ok(None) => return Dispatched::WithoutTurn,
        Err(err) => return Dispatched::Turn(Err(err)),
    };
    let control =
        ControlMessage { message: input.message.clone(), room: input.room, tools: input.tools.clone() };
    match adapter.try_handle_control(&control).await {
        Ok(false) => Dispatched::Turn(adapter.on_event(input).await),
        Ok(true) => Dispatched::WithoutTurn,
        Err(err) => Dispatched::Turn(Err(err)),
    }
}
