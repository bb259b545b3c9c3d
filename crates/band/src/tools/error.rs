//! What the tools refuse.

use band_core::turn::MentionError;
use band_wire::MessageId;

/// Why a tool refused. The texts go to models.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The mentions do not fit.
    #[error(transparent)]
    Mention(#[from] MentionError),
    /// The text has nothing to see.
    #[error("content can't be blank: it needs a character that can be seen")]
    Blank,
    /// Whom it is about is not said.
    #[error("Either handle or {0} must be provided")]
    NoSelector(&'static str),
    /// An argument does not fit; found out by the tool itself, for those who call it without a check before.
    #[error("{0}")]
    Argument(String),
    /// Nobody whom the agent may bring in has this id, handle or name.
    #[error("Participant '{0}' not found. Use band_lookup_peers to find available peers.")]
    NoSuchPeer(String),
    /// Nobody in the room has this id, handle or name.
    #[error("Participant '{0}' not found in this room.")]
    NotInRoom(String),
    /// Several have this name.
    #[error("Several are called '{name}'. Use one of their handles: {}", handles.join(", "))]
    Ambiguous {
        /// As it was given.
        name: String,
        /// Theirs.
        handles: Vec<String>,
    },
    /// The platform has stored the message; whom it reaches can't be said for sure. It must not be sent again.
    #[error("unconfirmed_recipient: message {id} was delivered; do not resend; {recipients}")]
    Unconfirmed {
        /// The message.
        id: MessageId,
        /// Whom the platform named without a handle.
        recipients: String,
    },
    /// Someone who is mentioned has left the room meanwhile.
    #[error("mentioned_participant_not_in_room: mentioned participant is not in the room")]
    MentionNotInRoom,
    /// The agent's owner has no organization to share a memory with.
    #[error(
        "scope=\"organization\" was rejected: the agent's owner does not belong to an organization. Retry with \
         scope=\"agent\" instead."
    )]
    NoOrganization,
    /// There is no such file, or the platform serves none.
    #[error("File not found, or file transfer is unavailable in this room.")]
    NoFile,
    /// The name of a file can't be sent.
    #[error(
        "Filename {0:?} must use plain printable ASCII characters only -- the upload header cannot carry accents, \
         CJK, emoji, line breaks, or other control characters. Rename the file and try again."
    )]
    FileName(String),
    /// A file is too large.
    #[error(
        "File content is {bytes} bytes, which exceeds the {most}-byte limit for band_send_room_file. Send shorter \
         content."
    )]
    FileTooLarge {
        /// Its size.
        bytes: usize,
        /// The greatest.
        most: usize,
    },
}

impl ToolError {
    /// Whether it is a failure of its own kind, which the reference raises, and not one of the arguments, which it
    /// tells the model as a text.
    pub const fn is_typed(&self) -> bool {
        match self {
            Self::Mention(MentionError::Unknown { .. })
            | Self::NoSelector(_)
            | Self::Argument(_)
            | Self::NoSuchPeer(_)
            | Self::NotInRoom(_) => false,
            Self::Mention(_)
            | Self::Blank
            | Self::Ambiguous { .. }
            | Self::Unconfirmed { .. }
            | Self::MentionNotInRoom
            | Self::NoOrganization
            | Self::NoFile
            | Self::FileName(_)
            | Self::FileTooLarge { .. } => true,
        }
    }
}
