//! The boxed twin, for what stores adapters of several kinds.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use band_wire::ChatId;

use super::{
    AdapterResult, ControlMessage, EffectiveFeatures, Features, FrameworkAdapter, Identity, InterruptMode,
    ModelCatalog, ModelSelection, PlatformConnection, Supported,
};
use crate::agent::Cleanups;
use crate::tools::Tool;
use crate::turn::AgentInput;

type Boxed<'a, T = ()> = Pin<Box<dyn Future<Output = AdapterResult<T>> + Send + 'a>>;

/// Any adapter, by its trait alone: what registries give out. It is an adapter itself.
pub struct BoxedAdapter(Box<dyn DynAdapter>);

impl BoxedAdapter {
    /// Boxes an adapter.
    pub fn new(adapter: impl FrameworkAdapter) -> Self {
        Self(Box::new(adapter))
    }
}

impl fmt::Debug for BoxedAdapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BoxedAdapter({})", self.0.name())
    }
}

/// [`FrameworkAdapter`] with boxed futures.
trait DynAdapter: Send + Sync {
    fn on_event(&self, input: AgentInput) -> Boxed<'_>;
    fn name(&self) -> &str;
    fn judges_turns(&self) -> bool;
    fn supported(&self) -> Supported;
    fn features(&self) -> Features;
    fn tools(&self) -> Vec<Tool>;
    fn apply_effective_features(&self, features: &EffectiveFeatures);
    fn on_started<'a>(&'a self, me: &'a Identity, platform: &'a PlatformConnection) -> Boxed<'a>;
    fn model_selection(&self) -> ModelSelection;
    fn list_models(&self) -> Boxed<'_, Option<ModelCatalog>>;
    fn apply_model_selection<'a>(&'a self, selection: &'a ModelSelection, room: ChatId) -> Boxed<'a>;
    fn try_handle_control<'a>(&'a self, message: &'a ControlMessage) -> Boxed<'a, bool>;
    fn cleanups(&self) -> Option<&Cleanups>;
    fn on_interrupt(&self, room: ChatId, mode: InterruptMode);
    fn on_cleanup(&self, room: ChatId) -> Boxed<'_>;
    fn cleanup_all(&self) -> Boxed<'_>;
}

/// Each hook is called when its future is polled, so that whoever catches panics there catches all of it.
impl<A: FrameworkAdapter> DynAdapter for A {
    fn on_event(&self, input: AgentInput) -> Boxed<'_> {
        Box::pin(async move { FrameworkAdapter::on_event(self, input).await })
    }

    fn name(&self) -> &str {
        FrameworkAdapter::name(self)
    }

    fn judges_turns(&self) -> bool {
        FrameworkAdapter::judges_turns(self)
    }

    fn supported(&self) -> Supported {
        FrameworkAdapter::supported(self)
    }

    fn features(&self) -> Features {
        FrameworkAdapter::features(self)
    }

    fn tools(&self) -> Vec<Tool> {
        FrameworkAdapter::tools(self)
    }

    fn apply_effective_features(&self, features: &EffectiveFeatures) {
        FrameworkAdapter::apply_effective_features(self, features);
    }

    fn on_started<'a>(&'a self, me: &'a Identity, platform: &'a PlatformConnection) -> Boxed<'a> {
        Box::pin(async move { FrameworkAdapter::on_started(self, me, platform).await })
    }

    fn model_selection(&self) -> ModelSelection {
        FrameworkAdapter::model_selection(self)
    }

    fn list_models(&self) -> Boxed<'_, Option<ModelCatalog>> {
        Box::pin(async move { FrameworkAdapter::list_models(self).await })
    }

    fn apply_model_selection<'a>(&'a self, selection: &'a ModelSelection, room: ChatId) -> Boxed<'a> {
        Box::pin(async move { FrameworkAdapter::apply_model_selection(self, selection, room).await })
    }

    fn try_handle_control<'a>(&'a self, message: &'a ControlMessage) -> Boxed<'a, bool> {
        Box::pin(async move { FrameworkAdapter::try_handle_control(self, message).await })
    }

    fn cleanups(&self) -> Option<&Cleanups> {
        FrameworkAdapter::cleanups(self)
    }

    fn on_interrupt(&self, room: ChatId, mode: InterruptMode) {
        FrameworkAdapter::on_interrupt(self, room, mode);
    }

    fn on_cleanup(&self, room: ChatId) -> Boxed<'_> {
        Box::pin(async move { FrameworkAdapter::on_cleanup(self, room).await })
    }

    fn cleanup_all(&self) -> Boxed<'_> {
        Box::pin(async move { FrameworkAdapter::cleanup_all(self).await })
    }
}

impl FrameworkAdapter for BoxedAdapter {
    fn on_event(&self, input: AgentInput) -> impl Future<Output = AdapterResult> + Send {
        self.0.on_event(input)
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn judges_turns(&self) -> bool {
        self.0.judges_turns()
    }

    fn supported(&self) -> Supported {
        self.0.supported()
    }

    fn features(&self) -> Features {
        self.0.features()
    }

    fn tools(&self) -> Vec<Tool> {
        self.0.tools()
    }

    fn apply_effective_features(&self, features: &EffectiveFeatures) {
        self.0.apply_effective_features(features);
    }

    async fn on_started(&self, me: &Identity, platform: &PlatformConnection) -> AdapterResult {
        self.0.on_started(me, platform).await
    }

    fn model_selection(&self) -> ModelSelection {
        self.0.model_selection()
    }

    fn list_models(&self) -> impl Future<Output = AdapterResult<Option<ModelCatalog>>> + Send {
        self.0.list_models()
    }

    async fn apply_model_selection(&self, selection: &ModelSelection, room: ChatId) -> AdapterResult {
        self.0.apply_model_selection(selection, room).await
    }

    async fn try_handle_control(&self, message: &ControlMessage) -> AdapterResult<bool> {
        self.0.try_handle_control(message).await
    }

    fn cleanups(&self) -> Option<&Cleanups> {
        self.0.cleanups()
    }

    fn on_interrupt(&self, room: ChatId, mode: InterruptMode) {
        self.0.on_interrupt(room, mode);
    }

    fn on_cleanup(&self, room: ChatId) -> impl Future<Output = AdapterResult> + Send {
        self.0.on_cleanup(room)
    }

    fn cleanup_all(&self) -> impl Future<Output = AdapterResult> + Send {
        self.0.cleanup_all()
    }
}

#[cfg(test)]
mod tests {
    use band_wire::Id;
    use futures_util::FutureExt;
    use uuid::Uuid;

    use super::*;

    /// Panics before it gives a future.
    struct Hasty;

    impl FrameworkAdapter for Hasty {
        async fn on_event(&self, _: AgentInput) -> AdapterResult {
            Ok(())
        }

        fn on_cleanup(&self, room: ChatId) -> impl Future<Output = AdapterResult> + Send {
            assert!(!room.uuid().is_nil(), "on purpose");
            async { Ok(()) }
        }
    }

    #[tokio::test]
    async fn a_hook_that_panics_before_it_waits_is_caught_like_one_that_panics_later() {
        let boxed = BoxedAdapter::new(Hasty);
        let cleaning = FrameworkAdapter::on_cleanup(&boxed, Id::new(Uuid::nil()));
        assert!(std::panic::AssertUnwindSafe(cleaning).catch_unwind().await.is_err());
    }
}
