//! The level most people write.

use std::future::{Future, ready};

use band_wire::ChatId;

use super::{
    AdapterResult, ControlMessage, EffectiveFeatures, Features, FrameworkAdapter, Identity, InterruptMode,
    ModelCatalog, ModelSelection, PlatformConnection, StopsTurns, Supported, short_name,
};
use crate::agent::Cleanups;
use crate::history::HistoryConverter;
use crate::tools::Tool;
use crate::turn::{AgentInput, Turn};

/// What most people write: one method, and the form that the history is wanted in.
///
/// ```
/// use band::{AdapterResult, RawHistory, SimpleAdapter, Turn};
///
/// struct Shout;
///
/// impl SimpleAdapter for Shout {
///     type Converter = RawHistory;
///
///     async fn on_message(&self, turn: Turn) -> AdapterResult {
///         turn.reply(turn.text().to_uppercase()).await?;
///         Ok(())
///     }
/// }
/// ```
pub trait SimpleAdapter: Send + Sync + 'static {
    /// How the room's past is converted; [`RawHistory`](crate::RawHistory) to get it as it is.
    type Converter: HistoryConverter;

    /// Answers one message. Within one room calls come one after another; rooms run in parallel.
    ///
    /// A turn ends well when it replied, declined with [`no_reply`](Turn::no_reply), acted through a tool,
    /// or was [`settled`](Turn::settle). Returning without any of that is a failure that the room is told of.
    fn on_message(
        &self,
        turn: Turn<<Self::Converter as HistoryConverter>::Output>,
    ) -> impl Future<Output = AdapterResult> + Send;

    /// The converter. Asked for with each message, so that it may be another one each time.
    fn converter(&self) -> Self::Converter {
        Self::Converter::default()
    }

    /// What it is called in errors and logs. Default: the type's name.
    fn name(&self) -> &str {
        short_name::<Self>()
    }

    /// What it could post and offer. Default: nothing.
    fn supported(&self) -> Supported {
        Supported::default()
    }

    /// What was chosen of it. Checked when the agent is built. Default: all events, no further tools.
    fn features(&self) -> Features {
        Features::default()
    }

    /// Tools of one's own that its model may call beside the platform's. Asked for when the agent is built. Default:
    /// none.
    fn tools(&self) -> Vec<Tool> {
        Vec::new()
    }

    /// What holds in the end, at every start. The same is in [`Turn::features`](crate::Turn::features).
    fn apply_effective_features(&self, features: &EffectiveFeatures) {
        let _ = features;
    }

    /// Whether silence is a failure. True.
    fn judges_turns(&self) -> bool {
        true
    }

    /// Called once per start, before the first message.
    ///
    /// # Errors
    /// The start fails with the error.
    fn on_started(
        &self,
        me: &Identity,
        platform: &PlatformConnection,
    ) -> impl Future<Output = AdapterResult> + Send {
        let _ = (me, platform);
        ready(Ok(()))
    }

    /// The model that was chosen; checked at the start. Default: nothing.
    fn model_selection(&self) -> ModelSelection {
        ModelSelection::default()
    }

    /// The models that the provider advertises. None, the default: nothing is checked.
    ///
    /// # Errors
    /// The provider could not be asked; the start fails with the error.
    fn list_models(&self) -> impl Future<Output = AdapterResult<Option<ModelCatalog>>> + Send {
        ready(Ok(None))
    }

    /// Switches the model of a room while the agent runs.
    ///
    /// # Errors
    /// This adapter can't: the default.
    fn apply_model_selection(
        &self,
        selection: &ModelSelection,
        room: ChatId,
    ) -> impl Future<Output = AdapterResult> + Send {
        let _ = (selection, room);
        ready(Err(format!("{} does not support switching models at runtime", self.name()).into()))
    }

    /// Offers a message before it gets a turn of its own. True when it was taken as a word to work that is
    /// under way.
    ///
    /// # Errors
    /// As of [`on_message`](Self::on_message): the message failed.
    fn try_handle_control(
        &self,
        message: &ControlMessage,
    ) -> impl Future<Output = AdapterResult<bool>> + Send {
        let _ = message;
        ready(Ok(false))
    }

    /// What is to be released when the agent is over, beyond what [`cleanup_all`](Self::cleanup_all) does.
    /// Always the same registry. Default: none.
    fn cleanups(&self) -> Option<&Cleanups> {
        None
    }

    /// The turns that run at a remote provider, if that is how it works: see [`BackendTurns`](crate::BackendTurns).
    /// Default: none.
    fn backend_turns(&self) -> Option<&dyn StopsTurns> {
        None
    }

    /// A person interrupted or stopped the agent in a room. Must not wait. Default: the room's turn at the
    /// provider is stopped.
    fn on_interrupt(&self, room: ChatId, mode: InterruptMode) {
        let _ = mode;
        if let Some(turns) = self.backend_turns() {
            turns.begin_stop(room);
        }
    }

    /// The agent left the room, or stops: forget what was kept for it. Default: the room's turn at the provider
    /// is stopped, and waited for.
    ///
    /// # Errors
    /// It is tried again at the next stop.
    fn on_cleanup(&self, room: ChatId) -> impl Future<Output = AdapterResult> + Send {
        async move {
            if let Some(turns) = self.backend_turns() {
                turns.settle(room).await;
            }
            Ok(())
        }
    }

    /// Called once per stop, when all rooms are done.
    ///
    /// # Errors
    /// It is tried again at the next stop.
    fn cleanup_all(&self) -> impl Future<Output = AdapterResult> + Send {
        ready(Ok(()))
    }
}

impl<A: SimpleAdapter> FrameworkAdapter for A {
    async fn on_event(&self, input: AgentInput) -> AdapterResult {
        let converter = self.converter();
        let turn = input.convert(|history, me| converter.convert(history, me))?;
        self.on_message(turn).await
    }

    fn name(&self) -> &str {
        SimpleAdapter::name(self)
    }

    fn judges_turns(&self) -> bool {
        SimpleAdapter::judges_turns(self)
    }

    fn supported(&self) -> Supported {
        SimpleAdapter::supported(self)
    }

    fn features(&self) -> Features {
        SimpleAdapter::features(self)
    }

    fn tools(&self) -> Vec<Tool> {
        SimpleAdapter::tools(self)
    }

    fn apply_effective_features(&self, features: &EffectiveFeatures) {
        SimpleAdapter::apply_effective_features(self, features);
    }

    fn model_selection(&self) -> ModelSelection {
        SimpleAdapter::model_selection(self)
    }

    fn list_models(&self) -> impl Future<Output = AdapterResult<Option<ModelCatalog>>> + Send {
        SimpleAdapter::list_models(self)
    }

    fn apply_model_selection(
        &self,
        selection: &ModelSelection,
        room: ChatId,
    ) -> impl Future<Output = AdapterResult> + Send {
        SimpleAdapter::apply_model_selection(self, selection, room)
    }

    fn try_handle_control(
        &self,
        message: &ControlMessage,
    ) -> impl Future<Output = AdapterResult<bool>> + Send {
        SimpleAdapter::try_handle_control(self, message)
    }

    fn on_started(
        &self,
        me: &Identity,
        platform: &PlatformConnection,
    ) -> impl Future<Output = AdapterResult> + Send {
        SimpleAdapter::on_started(self, me, platform)
    }

    fn cleanups(&self) -> Option<&Cleanups> {
        SimpleAdapter::cleanups(self)
    }

    fn on_interrupt(&self, room: ChatId, mode: InterruptMode) {
        SimpleAdapter::on_interrupt(self, room, mode);
    }

    fn on_cleanup(&self, room: ChatId) -> impl Future<Output = AdapterResult> + Send {
        SimpleAdapter::on_cleanup(self, room)
    }

    fn cleanup_all(&self) -> impl Future<Output = AdapterResult> + Send {
        SimpleAdapter::cleanup_all(self)
    }
}
