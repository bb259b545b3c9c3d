//! From a commit to the sockets.

use band_core::platform::Push;
use band_core::platform::hub::Readers;
use band_wire::{AgentId, ChatId, ParticipantId};

/// Where pushes go after their commit. The socket hub is one; tests bring their own.
///
/// The store calls it from its writer, in commit order, so an implementation must neither block nor wait:
/// it hands each frame to the bounded queue of each subscriber and drops the connection whose queue is full.
pub trait Outlet: Send + Sync + 'static {
    /// Hands pushes on, in order. `readers` says who may read a room after the commit; it is asked once for
    /// each push and subscriber, so it should answer from memory or from one indexed row.
    fn publish(&self, pushes: &[Push], readers: &dyn Readers);

    /// Whether the agent has a live subscription to the messages of the room.
    fn is_listening(&self, agent: AgentId, chat: ChatId) -> bool;

    /// Whether the user or agent has an open socket.
    fn is_online(&self, who: ParticipantId) -> bool;

    /// The agent is no more, or its key: its connections are closed. Called between publications, in commit
    /// order.
    fn revoke(&self, agent: AgentId);
}

/// Goes nowhere. For commands that open the store without a server.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nowhere;

impl Outlet for Nowhere {
    fn publish(&self, _: &[Push], _: &dyn Readers) {}

    fn is_listening(&self, _: AgentId, _: ChatId) -> bool {
        false
    }

    fn is_online(&self, _: ParticipantId) -> bool {
        false
    }

    fn revoke(&self, _: AgentId) {}
}
