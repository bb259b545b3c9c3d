//! What a link tells its owner.

use std::fmt;
use std::time::Duration;

use band_wire::ChatId;
use band_wire::event::{AgentControl, Event, ParticipantRecord, RoomRecord};
use band_wire::rest::Message;

use super::stop::{Refusal, StopReason};

/// What a link tells its owner. Events of one room come in the order in which the platform sent them;
/// control signals overtake everything else.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LinkEvent {
    /// The socket is open, `agent_control` is joined, and every other join that was wanted then has
    /// succeeded, failed or timed out. Whatever was missed while away is found by REST now.
    Connected {
        /// False for the first time only.
        reconnect: bool,
    },
    /// The connection was lost, or an attempt at one failed.
    Disconnected {
        /// What happened.
        reason: Disconnect,
        /// When the next attempt starts.
        retry_in: Duration,
    },
    /// Both topics of a wanted room are joined, for the first time or again. Everything the platform
    /// commits from here on is pushed; whatever came before is found by REST.
    RoomJoined(ChatId),
    /// A wanted room is not subscribed.
    RoomJoinFailed {
        /// The room.
        room: ChatId,
        /// The platform's word, such as `unauthorized`, or `timeout`, or `closed`.
        reason: String,
        /// When it is tried again; none means at the next reconnect.
        retry_in: Option<Duration>,
    },
    /// The agent became a participant of a room. Nothing is subscribed by that.
    RoomAdded(Box<RoomRecord>),
    /// The agent is a participant no more. The link still wants the room until it is told to leave it.
    RoomRemoved(ChatId),
    /// The room is gone; as for a removal.
    RoomDeleted(ChatId),
    /// A message for the agent.
    Message {
        /// The room, by the topic.
        room: ChatId,
        /// The message.
        message: Box<Message>,
    },
    /// Someone joined a room.
    ParticipantAdded {
        /// The room, by the topic.
        room: ChatId,
        /// Who.
        participant: Box<ParticipantRecord>,
    },
    /// Someone left a room.
    ParticipantRemoved {
        /// The room, by the topic.
        room: ChatId,
        /// Who.
        participant: Box<ParticipantRecord>,
    },
    /// One of the four contact events.
    Contact(Box<Event>),
    /// Stop, play or interrupt.
    Control(Box<AgentControl>),
    /// Events of this room were dropped because the owner did not keep up: read the room again by REST.
    Overflow {
        /// The room.
        room: ChatId,
    },
    /// The list of rooms may have changed unseen: read it again by REST.
    RoomsStale,
    /// The contacts may have changed unseen: read them again by REST.
    ContactsStale,
    /// The link ended for good. The last event.
    Ended(StopReason),
}

/// Why there is no connection right now.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Disconnect {
    /// The platform refused the upgrade.
    Refused(Refusal),
    /// The platform could not be reached: the text says which step failed.
    Unreachable(String),
    /// The socket was not open in time.
    OpenTimedOut,
    /// `agent_control` could not be joined on a reconnect, or was lost: the text says why.
    ControlLost(String),
    /// The platform closed the socket.
    Closed {
        /// The close code; none when the frame had none.
        code: Option<u16>,
        /// The reason in the close frame.
        reason: String,
    },
    /// The connection broke without a close frame.
    Broken(String),
    /// No heartbeat was acknowledged for too long, or nothing came in at all after one.
    Dead,
    /// The platform sent too many frames in a row that are no frames.
    Malformed,
    /// Another connection took this one's place, and this one may come back later.
    Superseded {
        /// For people.
        message: String,
        /// How long the platform wants this one to stay away.
        retry_after: Option<Duration>,
    },
}

impl fmt::Display for Disconnect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => write!(f, "the platform refused the socket ({refusal})"),
            Self::Unreachable(what) => write!(f, "the platform can't be reached: {what}"),
            Self::OpenTimedOut => f.write_str("the socket did not open in time"),
            Self::ControlLost(why) => write!(f, "the topic agent_control is not joined: {why}"),
            Self::Closed { code: Some(code), reason } => {
                write!(f, "the platform closed the socket with {code} {reason}")
            }
            Self::Closed { code: None, .. } => f.write_str("the platform closed the socket"),
            Self::Broken(what) => write!(f, "the connection broke: {what}"),
            Self::Dead => f.write_str("the socket is dead: heartbeats are not answered"),
            Self::Malformed => f.write_str("the platform sent too many malformed frames"),
            Self::Superseded { message, .. } => write!(f, "superseded for now: {message}"),
        }
    }
}
