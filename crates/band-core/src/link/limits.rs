//! The numbers of a link: intervals, time limits, sizes of queues.

use std::time::Duration;

/// How often a heartbeat is sent; the first one this long after the socket opened.
pub const HEARTBEAT_EVERY: Duration = Duration::from_secs(30);
/// Without an acknowledged heartbeat for this long the socket is dead.
pub const DEAD_AFTER: Duration = Duration::from_secs(60);
/// A socket is dead too when a heartbeat was sent and nothing at all came in for this long.
pub const SILENT_AFTER: Duration = Duration::from_secs(10);
/// An answer to a join or a leave that takes longer than this makes the link probe the socket.
pub const PROBE_AFTER: Duration = Duration::from_secs(4);
/// TCP, TLS and the upgrade together.
pub const OPEN_LIMIT: Duration = Duration::from_secs(10);
/// How long the server may take for a join, counted from the moment it had nothing older to answer.
pub const JOIN_LIMIT: Duration = Duration::from_secs(10);
/// How long the server may take for a leave, counted likewise.
pub const LEAVE_LIMIT: Duration = Duration::from_secs(5);
/// How long a closing socket may take to say goodbye.
pub const CLOSE_LIMIT: Duration = Duration::from_secs(2);

/// The first delay between attempts that is not zero is uniform in zero to this.
pub const RETRY_BASE: Duration = Duration::from_millis(500);
/// No delay between attempts is longer, save what the platform or a hold-down demands.
pub const RETRY_MAX: Duration = Duration::from_secs(5);
/// A session that lasted this long makes the delays start over.
pub const STABLE_AFTER: Duration = Duration::from_secs(10);
/// How many refusals in a row end a link that was connected before.
pub const REFUSALS: u32 = 3;
/// How far apart the first and the last of those refusals must be.
pub const REFUSALS_OVER: Duration = Duration::from_secs(30);

/// Delays between attempts at joining a room on one socket; after the last, the next reconnect tries again.
pub const ROOM_RETRIES: [Duration; 5] = [
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
    Duration::from_secs(8),
    Duration::from_secs(16),
];
/// A room that was subscribed for this long gets the whole ladder of retries again.
pub const ROOM_STABLE_AFTER: Duration = Duration::from_secs(60);
/// The agent's own topics are retried without end; the delays grow from this.
pub const TOPIC_RETRY_BASE: Duration = Duration::from_secs(1);
/// And no further than this.
pub const TOPIC_RETRY_MAX: Duration = Duration::from_secs(30);

/// How many frames in a row may be no frames before the socket is dropped.
pub const MALFORMED_IN_ROW: u32 = 10;
/// Events that wait for the owner. When it is full, what a resync can find again is dropped and marked.
pub const EVENT_QUEUE: usize = 1_000;
/// Control signals that wait for the owner, on a lane of their own.
pub const CONTROL_QUEUE: usize = 256;
/// Rooms that one link subscribes to.
pub const MAX_ROOMS: usize = 20_000;

/// The close code of a socket that died.
pub const CLOSE_DEAD: u16 = 4000;
/// The close code of a session that ends on purpose.
pub const CLOSE_NORMAL: u16 = 1000;
/// The close code of a socket whose server does not speak the protocol.
pub const CLOSE_PROTOCOL: u16 = 1002;
