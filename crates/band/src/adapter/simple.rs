//! The level most people write.

use std::future::{Future, ready};

use band_wire::ChatId;

use super::{AdapterResult, FrameworkAdapter, Identity, InterruptMode, PlatformConnection};
use crate::history::HistoryConverter;
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

    /// The converter.
    fn converter(&self) -> Self::Converter {
        Self::Converter::default()
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

    /// A person interrupted or stopped the agent in a room. Must not wait.
    fn on_interrupt(&self, room: ChatId, mode: InterruptMode) {
        let _ = (room, mode);
    }

    /// The agent left the room, or stops: forget what was kept for it.
    ///
    /// # Errors
    /// It is tried again at the next stop.
    fn on_cleanup(&self, room: ChatId) -> impl Future<Output = AdapterResult> + Send {
        let _ = room;
        ready(Ok(()))
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

    fn judges_turns(&self) -> bool {
        SimpleAdapter::judges_turns(self)
    }

    fn on_started(
        &self,
        me: &Identity,
        platform: &PlatformConnection,
    ) -> impl Future<Output = AdapterResult> + Send {
        SimpleAdapter::on_started(self, me, platform)
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
