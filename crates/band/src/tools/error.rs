//! What the tools refuse before anything is sent.

use band_core::turn::MentionError;

/// Why a tool refused its arguments. The texts go to models.
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
}
