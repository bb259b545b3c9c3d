//! A message that may steer work which is under way.

use std::fmt;

use band_wire::ChatId;

use crate::tools::RoomTools;
use crate::turn::IncomingMessage;

/// A message that an adapter may take as a word to work that is under way: the answer to a question that it
/// asked, say. Such a message gets no turn of its own.
pub struct ControlMessage {
    /// The message.
    pub message: IncomingMessage,
    /// The room.
    pub room: ChatId,
    /// The room's tools, bound to this message.
    pub tools: RoomTools,
}

impl fmt::Debug for ControlMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControlMessage")
            .field("room", &self.room)
            .field("message", &self.message.id)
            .finish_non_exhaustive()
    }
}
