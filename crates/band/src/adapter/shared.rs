//! An adapter that others hold too.

use std::future::Future;
use std::sync::Arc;

use band_wire::ChatId;

use super::{
    AdapterResult, ControlMessage, EffectiveFeatures, Features, FrameworkAdapter, Identity, InterruptMode,
    ModelCatalog, ModelSelection, PlatformConnection, Supported,
};
use crate::agent::Cleanups;
use crate::tools::Tool;
use crate::turn::AgentInput;

/// An adapter of which the program keeps a handle. It is one adapter all the same: its hooks serve one agent.
impl<A: FrameworkAdapter> FrameworkAdapter for Arc<A> {
    fn on_event(&self, input: AgentInput) -> impl Future<Output = AdapterResult> + Send {
        A::on_event(self, input)
    }

    fn name(&self) -> &str {
        A::name(self)
    }

    fn judges_turns(&self) -> bool {
        A::judges_turns(self)
    }

    fn supported(&self) -> Supported {
        A::supported(self)
    }

    fn features(&self) -> Features {
        A::features(self)
    }

    fn tools(&self) -> Vec<Tool> {
        A::tools(self)
    }

    fn apply_effective_features(&self, features: &EffectiveFeatures) {
        A::apply_effective_features(self, features);
    }

    fn on_started(
        &self,
        me: &Identity,
        platform: &PlatformConnection,
    ) -> impl Future<Output = AdapterResult> + Send {
        A::on_started(self, me, platform)
    }

    fn model_selection(&self) -> ModelSelection {
        A::model_selection(self)
    }

    fn list_models(&self) -> impl Future<Output = AdapterResult<Option<ModelCatalog>>> + Send {
        A::list_models(self)
    }

    fn apply_model_selection(
        &self,
        selection: &ModelSelection,
        room: ChatId,
    ) -> impl Future<Output = AdapterResult> + Send {
        A::apply_model_selection(self, selection, room)
    }

    fn try_handle_control(
        &self,
        message: &ControlMessage,
    ) -> impl Future<Output = AdapterResult<bool>> + Send {
        A::try_handle_control(self, message)
    }

    fn cleanups(&self) -> Option<&Cleanups> {
        A::cleanups(self)
    }

    fn on_interrupt(&self, room: ChatId, mode: InterruptMode) {
        A::on_interrupt(self, room, mode);
    }

    fn on_cleanup(&self, room: ChatId) -> impl Future<Output = AdapterResult> + Send {
        A::on_cleanup(self, room)
    }

    fn cleanup_all(&self) -> impl Future<Output = AdapterResult> + Send {
        A::cleanup_all(self)
    }
}
