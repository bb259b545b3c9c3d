//! Why the platform closes a socket, and the code the client sees.

use band_wire::phx::FrameError;

/// A close frame. The codes are chosen so that every released client comes back when it should: 1000 and
/// 1008 end some clients for good and 1013 keeps them away for a minute, so none of these is ever sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Close {
    /// Another socket of the agent has taken over.
    Superseded,
    /// The user or agent is no longer let in.
    Expelled,
    /// A text that is no frame.
    Garbled,
    /// A binary message.
    Binary,
    /// A message above the limit.
    TooLarge,
    /// A join could not be checked just now, or too many of them wait for one check.
    TryAgain,
    /// The client reads more slowly than its pushes come.
    TooSlow,
    /// A push is longer than an agent's client takes.
    Oversized,
    /// The client has broken the rules of WebSocket itself.
    Protocol,
    /// Nothing came in for [`IDLE_TIMEOUT`](super::IDLE_TIMEOUT).
    Idle,
    /// The platform stops or restarts.
    Restart,
}

impl Close {
    /// The WebSocket close code.
    pub const fn code(self) -> u16 {
        match self {
            Self::Superseded | Self::Expelled | Self::Idle => 1001,
            Self::Protocol => 1002,
            Self::Binary => 1003,
            Self::TooLarge => 1009,
            Self::Garbled | Self::TryAgain => 1011,
            Self::TooSlow | Self::Oversized | Self::Restart => 1012,
        }
    }

    /// What a text that is no frame is answered with.
    pub const fn of(err: &FrameError) -> Self {
        match err {
            FrameError::TooLarge(_) => Self::TooLarge,
            FrameError::Binary => Self::Binary,
            FrameError::Json(_) | FrameError::Shape | FrameError::BadRef(_) | FrameError::BadName(_) => {
                Self::Garbled
            }
        }
    }

    /// The text of the close frame, at most 123 bytes.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Superseded => "another connection of this agent has taken over",
            Self::Expelled => "access was withdrawn",
            Self::Garbled => "a message must be a JSON array [join_ref, ref, topic, event, payload]",
            Self::Binary => "binary messages are not supported",
            Self::TooLarge => "a message may have 1 MiB",
            Self::TryAgain => "the join could not be checked, connect again",
            Self::TooSlow => "the connection reads too slowly, connect again",
            Self::Oversized => "a message is too long for the socket, connect again and read it over REST",
            Self::Protocol => "not a WebSocket message",
            Self::Idle => "nothing came in for too long",
            Self::Restart => "the server restarts, connect again",
        }
    }
}
