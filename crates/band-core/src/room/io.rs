//! What goes into a room's machine and what comes out.

use band_wire::MessageId;
use band_wire::rest::{DeliveryStatus, Message};

use super::record::Record;
use crate::Moment;
use crate::turn::{Ending, Ledger};

/// Ties an answer to its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub(super) u64);

/// Ties the end of a turn to its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnId(pub(super) u64);

/// What the world tells a room.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// The room's topics are joined, for the first time or again: from here on every message is pushed.
    Subscribed,
    /// Pushes may be missing from here on.
    Unsubscribed,
    /// Something may have been missed.
    Resync,
    /// A message was pushed.
    Pushed(Box<Message>),
    /// The agent itself has put a message into the room: for its eyes only, the platform does not know it.
    Synthetic(Box<Message>),
    /// This is the room where the agent handles its contacts: nobody is shown that it is at work.
    Hub,
    /// A call has its answer.
    Answered {
        /// Which call.
        call: CallId,
        /// The answer, of the call's own kind.
        answer: Answer,
    },
    /// A turn is over.
    TurnEnded {
        /// Which turn.
        turn: TurnId,
        /// How.
        end: TurnEnd,
    },
    /// A turn lets the room go on while its work does: the message counts as handled, and what the work comes
    /// to is judged at its end.
    Detached {
        /// Which turn.
        turn: TurnId,
        /// Whether the adapter got what the turn carried.
        delivered: bool,
    },
    /// What a turn wanted to post was refused, since the platform has stopped the agent in this room.
    PostRefused(TurnId),
    /// A person steers the agent.
    Control(Control),
    /// The agent stops or leaves the room. A turn may finish until `by`; without that it is cancelled at
    /// once. Said again, an earlier end counts.
    Close {
        /// Until when a turn may finish.
        by: Option<Moment>,
    },
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnEnd {
    /// How the adapter ended it.
    pub ending: Ending,
    /// What it did.
    pub ledger: Ledger,
    /// Whether the adapter got what the turn carried: if not, the room's past stays owed.
    pub delivered: bool,
}

impl TurnEnd {
    /// Whether what the turn carried is no longer owed.
    pub(super) fn was_taken(&self) -> bool {
        self.delivered && !matches!(self.ending, Ending::NotAccepted | Ending::Consumed)
    }
}

/// How a person steers an agent in a room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// End the turn, if there is one; its message counts as handled.
    Interrupt,
    /// End the turn and stay silent; its message is kept.
    Stop,
    /// Go on.
    Play,
}

/// What a room asks of the world.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Write this down before anything that comes out after it is done.
    Record(Record),
    /// Make a call and bring the answer.
    Call {
        /// For the answer.
        id: CallId,
        /// What to call.
        call: Call,
    },
    /// Run the adapter on a message.
    StartTurn {
        /// For its end.
        turn: TurnId,
        /// The message.
        message: Box<Message>,
        /// Whether the adapter is owed the room's past with it.
        bootstrap: bool,
        /// Whether the platform served it from its backlog; otherwise it was pushed.
        served: bool,
    },
    /// Ask the adapter whether it takes a message that is not yet at its turn as a word to work under way. The
    /// answer is the end of a turn: [`Ending::Consumed`] if it does.
    Offer {
        /// For its end.
        turn: TurnId,
        /// The message.
        message: Box<Message>,
    },
    /// Tell the adapter that a person interrupted or stopped it.
    TellAdapter(Control),
    /// Ask a turn to end.
    CancelTurn(TurnId),
    /// Drop a turn that was asked to end and did not, and say so at once.
    AbortTurn(TurnId),
    /// Something for the log.
    Note(Note),
    /// The room is closed: nothing more comes out.
    Closed {
        /// Whether no turn had to be cancelled.
        graceful: bool,
    },
}

/// Something for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The queue was full: a push was dropped, and the platform is asked for it later.
    Overflow,
    /// No further attempt at this message is made by this process.
    GaveUp(MessageId),
    /// Too many synthetic messages wait: one was dropped.
    HubFull,
    /// A turn asked to go on beside the room, and too many do already.
    TooManyDetached,
    /// The turn of a synthetic message failed; it is not run again.
    HubFailed(MessageId),
    /// The platform does not serve missed messages of this room; pushes are handled all the same.
    NotServed,
    /// The platform was found to have resumed the room.
    Resumed,
    /// The work takes so long that people are not told of it again; that it is over they are told.
    WorkingTooLong,
}

/// A call to the platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// The oldest message that is not processed.
    Next,
    /// A page of the messages that are not processed, oldest first.
    List {
        /// From the page before.
        cursor: Option<String>,
    },
    /// Mark a message processing.
    Claim(MessageId),
    /// Mark a message processed.
    Processed(MessageId),
    /// Mark a message failed.
    Failed(MessageId, String),
    /// Who is in the room.
    Participants,
    /// What came before this message.
    History(MessageId),
    /// How this message stands for the agent, from the room's past.
    Status(MessageId),
    /// Whether the agent is at work. Not waited for.
    Activity(bool),
    /// Tell the room of a failure of a message's turn. Not waited for.
    Notice(MessageId, &'static str),
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// To [`Call::Next`].
    Next(Result<Option<Box<Message>>, Trouble>),
    /// To [`Call::List`].
    Listed(Result<Listing, Trouble>),
    /// To the three marks.
    Marked(Mark),
    /// To [`Call::Participants`].
    Participants(Result<(), Trouble>),
    /// To [`Call::History`] and [`Call::Status`]: where that message stands for this agent, if the past says so.
    History(Result<Option<DeliveryStatus>, Trouble>),
    /// To [`Call::Activity`]: what holds now, if the report got through.
    Activity(Option<bool>),
    /// To [`Call::Notice`].
    Noticed,
}

/// A page of messages.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listing {
    /// Oldest first.
    pub messages: Vec<Message>,
    /// Where the next page starts, if there is one.
    pub next: Option<String>,
}

/// Why a call gave nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// No connection, or the platform is overloaded or down: the same call may work soon.
    Passing,
    /// The platform refused.
    Lasting,
}

/// What became of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It holds.
    Accepted,
    /// The agent is stopped in this room; nothing was changed.
    Stopped,
    /// No attempt is open that it could end.
    Rejected,
    /// The message is gone, or the room.
    NotFound,
    /// The platform refused in another way.
    Refused,
    /// Nobody knows: the answer was lost, or the platform is down.
    Lost,
}
