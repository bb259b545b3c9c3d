//! What a framework plugs in: the two levels of adapters.

mod backend;
mod boxed;
mod control;
pub(crate) mod dispatch;
mod error;
mod features;
mod function;
mod identity;
mod model;
mod platform;
mod residency;
mod shared;
mod simple;
mod stream;

use std::future::{Future, ready};

use band_wire::ChatId;

pub use backend::{BackendTurns, StopsTurns};
pub use boxed::BoxedAdapter;
pub use control::ControlMessage;
pub use error::{AdapterError, AdapterErrorKind};
pub use features::{Capabilities, Capability, Choices, EffectiveFeatures, Emit, Emits, Features, Supported};
pub use function::{AdapterFn, adapter_fn};
pub use identity::Identity;
pub use model::{ModelCatalog, ModelChoice, ModelSelection};
pub use platform::PlatformConnection;
pub use residency::{ReleaseCause, Residency, Resource, ResourceLease};
pub use simple::SimpleAdapter;
pub use stream::{Delivery, MessageStream, StreamAdapter, message_stream};

use crate::agent::Cleanups;
use crate::tools::Tool;
use crate::turn::AgentInput;

/// The result of an adapter's hook.
pub type AdapterResult<T = ()> = Result<T, AdapterError>;

/// How a person broke into a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterruptMode {
    /// The turn ends; the agent stays available.
    Interrupt,
    /// The turn ends; the agent stays silent in this room until it is resumed.
    Stop,
}

/// The lower level: raw input. Bridges and engines that own their replies start here; most adapters are
/// [`SimpleAdapter`]s, and every one of those is a `FrameworkAdapter`.
///
/// Within one room calls come one after another; rooms run in parallel.
///
/// The hooks of a start come in this order: [`apply_effective_features`](Self::apply_effective_features),
/// [`on_started`](Self::on_started), then the check of the [model](Self::model_selection). The first message
/// comes after all of them.
pub trait FrameworkAdapter: Send + Sync + 'static {
    /// Handles one message. The turn is judged when this returns, see [`judges_turns`](Self::judges_turns).
    ///
    /// When [`cancelled`](crate::Turn::cancelled) resolves, return soon: a second later the future is dropped.
    fn on_event(&self, input: AgentInput) -> impl Future<Output = AdapterResult> + Send;

    /// What it is called in errors and logs. Default: the type's name.
    fn name(&self) -> &str {
        short_name::<Self>()
    }

    /// Whether a turn that ends without a reply, a decline or an act is a failure. True unless the adapter
    /// answers at its own time.
    fn judges_turns(&self) -> bool {
        true
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

    /// What holds in the end: what was chosen, less what the platform does not serve. Called at every start.
    fn apply_effective_features(&self, features: &EffectiveFeatures) {
        let _ = features;
    }

    /// Called once per start, before the socket opens and so before the first message.
    ///
    /// # Errors
    /// The start fails with the error, and everything is unwound.
    fn on_started(
        &self,
        me: &Identity,
        platform: &PlatformConnection,
    ) -> impl Future<Output = AdapterResult> + Send {
        let _ = (me, platform);
        ready(Ok(()))
    }

    /// The model that was chosen. Unless it is empty, the start compares it with what is
    /// [advertised](Self::list_models). Default: nothing.
    fn model_selection(&self) -> ModelSelection {
        ModelSelection::default()
    }

    /// The models that the provider advertises. None, the default, when nobody can say: nothing is checked.
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
    /// under way: then it counts as handled, and nothing is judged. May be asked about messages behind the
    /// one at work.
    ///
    /// # Errors
    /// As of [`on_event`](Self::on_event): the message failed.
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

    /// A person interrupted or stopped the agent in a room. Must not wait.
    fn on_interrupt(&self, room: ChatId, mode: InterruptMode) {
        let _ = (room, mode);
    }

    /// The agent left the room, or stops: forget what was kept for it. Called again if it fails.
    ///
    /// # Errors
    /// The room stays owned, and the cleanup is tried again at the next stop.
    fn on_cleanup(&self, room: ChatId) -> impl Future<Output = AdapterResult> + Send {
        let _ = room;
        ready(Ok(()))
    }

    /// Called once per stop, when all rooms and the connection are done, and after a failed start.
    ///
    /// # Errors
    /// The agent keeps its lock, and the cleanup is tried again at the next stop.
    fn cleanup_all(&self) -> impl Future<Output = AdapterResult> + Send {
        ready(Ok(()))
    }
}

/// A type's name without its path and its parameters.
fn short_name<T: ?Sized>() -> &'static str {
    let full = std::any::type_name::<T>();
    let bare = full.split('<').next().unwrap_or(full);
    bare.rsplit("::").next().unwrap_or(bare)
}
