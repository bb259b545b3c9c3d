//! The boxed twin, for what stores adapters of several kinds.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use band_wire::ChatId;

use super::{AdapterResult, FrameworkAdapter, Identity, InterruptMode, PlatformConnection};
use crate::turn::AgentInput;

type Boxed<'a> = Pin<Box<dyn Future<Output = AdapterResult> + Send + 'a>>;

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
        f.write_str("BoxedAdapter")
    }
}

/// [`FrameworkAdapter`] with boxed futures.
trait DynAdapter: Send + Sync {
    fn on_event(&self, input: AgentInput) -> Boxed<'_>;
    fn judges_turns(&self) -> bool;
    fn on_started<'a>(&'a self, me: &'a Identity, platform: &'a PlatformConnection) -> Boxed<'a>;
    fn on_interrupt(&self, room: ChatId, mode: InterruptMode);
    fn on_cleanup(&self, room: ChatId) -> Boxed<'_>;
    fn cleanup_all(&self) -> Boxed<'_>;
}

impl<A: FrameworkAdapter> DynAdapter for A {
    fn on_event(&self, input: AgentInput) -> Boxed<'_> {
        Box::pin(FrameworkAdapter::on_event(self, input))
    }

    fn judges_turns(&self) -> bool {
        FrameworkAdapter::judges_turns(self)
    }

    fn on_started<'a>(&'a self, me: &'a Identity, platform: &'a PlatformConnection) -> Boxed<'a> {
        Box::pin(FrameworkAdapter::on_started(self, me, platform))
    }

    fn on_interrupt(&self, room: ChatId, mode: InterruptMode) {
        FrameworkAdapter::on_interrupt(self, room, mode);
    }

    fn on_cleanup(&self, room: ChatId) -> Boxed<'_> {
        Box::pin(FrameworkAdapter::on_cleanup(self, room))
    }

    fn cleanup_all(&self) -> Boxed<'_> {
        Box::pin(FrameworkAdapter::cleanup_all(self))
    }
}

impl FrameworkAdapter for BoxedAdapter {
    fn on_event(&self, input: AgentInput) -> impl Future<Output = AdapterResult> + Send {
        self.0.on_event(input)
    }

    fn judges_turns(&self) -> bool {
        self.0.judges_turns()
    }

    async fn on_started(&self, me: &Identity, platform: &PlatformConnection) -> AdapterResult {
        self.0.on_started(me, platform).await
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
