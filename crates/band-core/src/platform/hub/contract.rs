//! What goes into the hub and what comes out.

use band_wire::phx::{Frame, FrameError, Ref, Topic};
use band_wire::{AgentId, ParticipantId};
use serde_json::{Map, Value};

use super::Close;
use crate::platform::Principal;

/// A socket. The shell counts upwards, so a later socket has a greater id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnId(pub u64);

/// A socket that gets a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipient<'a> {
    /// The socket.
    pub conn: ConnId,
    /// What it has sent with its join: the push carries it.
    pub join_ref: Option<&'a Ref>,
    /// The longest frame it takes. Agents' clients end the connection at a longer one, so the platform closes
    /// it with [`Close::Oversized`] instead of such a push; the agent comes back and finds the message over
    /// REST.
    pub max_bytes: usize,
}

/// Ties the answer of an [`Output::Ask`] to its question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket {
    pub(super) topic: Topic,
    pub(super) number: u64,
}

/// What a new socket wants when its agent is connected already: `on_conflict` of the upgrade.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnConflict {
    /// The new one takes over.
    #[default]
    Supersede,
    /// The new one is refused.
    Reject,
}

impl OnConflict {
    /// From the wire's word.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "supersede" => Some(Self::Supersede),
            "reject" => Some(Self::Reject),
            _ => None,
        }
    }
}

/// What sockets and the store tell the hub.
#[derive(Debug)]
pub enum Input {
    /// A socket was authenticated and wants in. [`Output::Refused`] is the only answer there may be.
    Open {
        /// The socket.
        conn: ConnId,
        /// Whose it is.
        principal: Principal,
        /// What to do about another socket of the same agent.
        on_conflict: OnConflict,
    },
    /// A text came in.
    Frame {
        /// From which socket.
        conn: ConnId,
        /// What it says.
        frame: Result<Frame, FrameError>,
    },
    /// Something came in that is no text.
    Binary {
        /// From which socket.
        conn: ConnId,
    },
    /// The answer to an [`Output::Ask`].
    Answer {
        /// The socket of the question.
        conn: ConnId,
        /// The question.
        ticket: Ticket,
        /// What came of it.
        answer: Answer,
    },
    /// A socket is gone, whoever closed it.
    Closed {
        /// The socket.
        conn: ConnId,
    },
    /// A user or agent has lost its access altogether.
    Expel {
        /// Whose sockets are to be closed.
        who: ParticipantId,
    },
    /// The platform stops: every socket is closed, and no new one is let in.
    Stop,
}

/// Whether a principal may join a room's topic.
#[derive(Debug)]
pub enum Answer {
    /// Yes; the map is the `response` of the reply.
    Allowed(Map<String, Value>),
    /// No: not a participant, or no such room.
    Denied,
    /// Nobody could tell. The socket is closed, so that its client comes back and asks again: an error reply
    /// would make it give the topic up for good.
    Unknown,
}

/// What the hub wants of its sockets.
#[derive(Debug)]
pub enum Output {
    /// An [`Input::Open`] was turned down.
    Refused {
        /// The socket.
        conn: ConnId,
        /// Why.
        why: Refused,
    },
    /// Ask the store whether the principal may join the topic of a room. The channel waits for the answer.
    Ask {
        /// The socket.
        conn: ConnId,
        /// To be given back with the answer.
        ticket: Ticket,
        /// Who wants to join.
        principal: Principal,
        /// What.
        topic: Topic,
    },
    /// Put a frame into the queue of a socket.
    Send {
        /// The socket.
        conn: ConnId,
        /// Which of its queues.
        lane: Lane,
        /// The frame.
        frame: Frame,
    },
    /// An agent has come online or gone offline: people in its rooms may want to know.
    Presence {
        /// The agent.
        agent: AgentId,
        /// Whether it has a socket now.
        online: bool,
    },
    /// Close a socket once the frames before this are written. [`Input::Closed`] is to follow.
    Close {
        /// The socket.
        conn: ConnId,
        /// With which code and text.
        close: Close,
    },
}

/// Why a socket is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// The agent is connected, and the new socket asked for `on_conflict=reject`: 409.
    Conflict,
    /// The platform stops: 503.
    Stopping,
    /// [`MAX_SOCKETS`](super::MAX_SOCKETS) are open: 503.
    Full,
}

/// The queues of a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Answers to heartbeats: written before everything that waits.
    Urgent,
    /// Everything else, in order with the pushes.
    Ordered,
}
