//! What goes in and out of the link.

use band_wire::event::EventError;
use band_wire::phx::{FrameError, Topic};
use band_wire::{AgentId, ChatId};

use super::stop::Refusal;

/// How a link is set up.
#[derive(Debug, Clone, Copy)]
pub struct LinkOptions {
    /// Whose topics are joined.
    pub agent: AgentId,
    /// Whether `agent_contacts` is joined.
    pub contacts: bool,
    /// Whether the first connect must not take a live connection's place.
    pub reject: bool,
    /// For the jitter of delays.
    pub seed: u64,
}

/// Which socket, counted from 1: what belongs to an older one has no effect.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(u64);

impl Generation {
    pub(super) const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// What the world tells the link.
#[derive(Debug, Clone)]
pub enum Input {
    /// Connect, and stay connected.
    Start,
    /// The owner wants a room.
    JoinRoom(ChatId),
    /// The owner does not want a room any more. Final at once: whatever the platform still sends of it is
    /// passed over. Events that wait for the owner already may still reach it.
    LeaveRoom(ChatId),
    /// The owner wants the end: leave, close, stop.
    Close,
    /// The upgrade was accepted.
    Opened(Generation),
    /// The attempt failed.
    OpenFailed(Generation, Failure),
    /// Something came in.
    Received(Generation, Received),
    /// The socket is gone.
    Gone(Generation, Gone),
}

/// Why an attempt failed.
#[derive(Debug, Clone)]
pub enum Failure {
    /// The server answered the upgrade with something else than 101.
    Refused(Refusal),
    /// Anything else: the text names the step and the cause.
    Unreachable(String),
}

/// What came in.
#[derive(Debug, Clone)]
pub enum Received {
    /// A text message.
    Text(String),
    /// A binary message. Taken as text where it is one.
    Binary(Vec<u8>),
    /// A ping or a pong.
    Alive,
}

/// How a socket went.
#[derive(Debug, Clone)]
pub enum Gone {
    /// With a close frame.
    Closed {
        /// None when the frame had none.
        code: Option<u16>,
        /// May be empty.
        reason: String,
    },
    /// Without one.
    Broken(String),
}

/// What the link asks of the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Open a socket.
    Connect {
        /// The number of the socket.
        generation: Generation,
        /// Whether to send `on_conflict=reject`.
        reject: bool,
    },
    /// Send a text message.
    Send {
        /// On this socket.
        generation: Generation,
        /// A frame.
        text: String,
    },
    /// Close the socket, or give up opening it. The link expects nothing more of it, save [`Gone`] when it
    /// ends for good.
    Close {
        /// This socket.
        generation: Generation,
        /// The close code.
        code: u16,
        /// The reason in the close frame.
        reason: &'static str,
    },
    /// Something for the log.
    Note(Note),
}

/// Something for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// A message was no frame and was passed over.
    Malformed(FrameError),
    /// A push was dropped.
    Invalid {
        /// The topic it came on.
        topic: Topic,
        /// What is wrong with it.
        error: Box<EventError>,
    },
    /// One of the agent's own topics could not be joined, and is tried again.
    TopicNotJoined {
        /// The topic.
        topic: Topic,
        /// The server's word, or `timeout`.
        reason: String,
    },
}

/// Why the link wants to wake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The upgrade takes too long.
    Open,
    /// The next attempt.
    Retry,
    /// A heartbeat.
    Beat,
    /// The socket is dead.
    Dead,
    /// A join was not answered.
    Join,
    /// A leave was not answered.
    Leave,
    /// An answer is late: see whether the socket lives.
    Probe,
    /// A room is tried again.
    Room,
    /// One of the agent's own topics is tried again.
    Topic,
    /// The leave of `agent_control` before the end was not answered.
    LeaveControl,
    /// The last close was not answered.
    Close,
}

/// What a link has counted since it was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Attempts at a socket.
    pub attempts: u64,
    /// Upgrades accepted.
    pub connections: u64,
    /// Joins refused, or not answered in time.
    pub failed_joins: u64,
    /// Messages that were no frames.
    pub malformed_frames: u64,
    /// Pushes that did not pass validation.
    pub invalid_events: u64,
    /// Frames of older joins.
    pub stale_frames: u64,
    /// Events that were dropped because the owner did not keep up; each is followed by a resync.
    pub dropped_events: u64,
}
