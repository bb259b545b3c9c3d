//! Phoenix Channels, serializer version 2.0.0: a frame is a JSON array of five elements.
//!
//! Source: the Phoenix framework's V2 JSON serializer and the released Band clients.

mod frame;
mod reply;
mod topic;

pub use frame::{Frame, FrameError, MAX_FRAME_BYTES, Ref};
pub use reply::{Reply, reply_error, reply_ok};
pub use topic::{Topic, TopicError};

/// The serializer version that a client asks for in the `vsn` query parameter.
pub const VSN: &str = "2.0.0";
/// The path of the socket on a platform.
pub const SOCKET_PATH: &str = "/api/v1/socket/websocket";

/// Names of the events that Phoenix itself reserves.
pub mod reserved {
    /// Client to server: open a channel.
    pub const JOIN: &str = "phx_join";
    /// Client to server: leave a channel.
    pub const LEAVE: &str = "phx_leave";
    /// Server to client: the answer to a request, matched by ref.
    pub const REPLY: &str = "phx_reply";
    /// Server to client: the channel crashed.
    pub const ERROR: &str = "phx_error";
    /// Server to client: the channel is closed.
    pub const CLOSE: &str = "phx_close";
    /// Client to server on topic `phoenix`: still here.
    pub const HEARTBEAT: &str = "heartbeat";
    /// The topic of heartbeats.
    pub const PHOENIX: &str = "phoenix";
}
