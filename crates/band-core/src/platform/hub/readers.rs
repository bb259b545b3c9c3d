//! Who may read a room at the moment of a push.

use band_wire::ChatId;

use crate::platform::Principal;

/// The membership of rooms as it stands after the commit whose pushes go out.
///
/// The store lends one to every publication, backed by the connection that has just committed. So a
/// subscription outlives the loss of a membership: it gets nothing while the membership is gone, and gets
/// pushes again after a new one, without another join.
pub trait Readers {
    /// Whether the principal may see what happens in the room. True for its participants whose membership
    /// isn't blocked, and for the owners of agents in it. A room that was deleted keeps its last members
    /// here, so that they hear of the deletion.
    fn may_read(&self, who: Principal, chat: ChatId) -> bool;
}

/// Everyone may read everything. For publications that name no room.
#[derive(Debug, Clone, Copy, Default)]
pub struct Everyone;

impl Readers for Everyone {
    fn may_read(&self, _: Principal, _: ChatId) -> bool {
        true
    }
}
