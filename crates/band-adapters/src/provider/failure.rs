//! Why a model gave no answer.

use std::time::Duration;

use band::{AgentFailure, Usage};

/// The longest text of a provider that is kept, in characters.
const DETAIL_MAX: usize = 500;
/// The longest code of a provider that is kept, in characters.
const CODE_MAX: usize = 64;

/// A provider's word for something, fit to be shown in a room: a code such as `rate_limit_error`, never a sentence.
pub(crate) fn word(said: &str) -> String {
    let fits = |letter: &char| letter.is_ascii_alphanumeric() || "_-.".contains(*letter);
    let kept: String = said.chars().take(CODE_MAX).collect();
    if kept.len() == said.len() && !kept.is_empty() && kept.chars().all(|letter| fits(&letter)) {
        kept
    } else {
        "error".to_owned()
    }
}

/// Why a model gave no answer. Its text is for logs and for the mark of the message; what the room is told is
/// [`to_failure`](Self::to_failure).
#[derive(Debug, Clone, thiserror::Error)]
#[error("the model gave no answer ({code}): {detail}")]
#[non_exhaustive]
pub struct ProviderFailure {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// The HTTP status, or a word such as `timeout`.
    pub code: String,
    /// For the log and the mark of the message. Holds no key.
    pub detail: String,
    /// When the provider wants to be asked again, if it says so.
    pub retry_after: Option<Duration>,
    /// What the attempt took all the same.
    pub usage: Usage,
}

/// What a failure means for the turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureKind {
    /// It may pass: asking again may help.
    Passing,
    /// The conversation is longer than the model can read.
    TooLong,
    /// Nothing came for too long.
    Timeout,
    /// The provider can't be reached.
    Connection,
    /// The provider's answer can't be read.
    Unreadable,
    /// The provider refused the request, or the model refused to answer.
    Refused,
}

impl ProviderFailure {
    /// A failure with its code and what it is about. A code that is no single word counts as `error`.
    pub fn new(kind: FailureKind, code: impl Into<String>, detail: impl AsRef<str>) -> Self {
        let detail = detail.as_ref().chars().take(DETAIL_MAX).collect();
        Self { kind, code: word(&code.into()), detail, retry_after: None, usage: Usage::default() }
    }

    /// The provider's answer can't be read.
    pub fn unreadable(detail: impl AsRef<str>) -> Self {
        Self::new(FailureKind::Unreadable, "unreadable", detail)
    }

    /// The conversation is longer than the model can read.
    pub fn too_long(detail: impl AsRef<str>) -> Self {
        Self::new(FailureKind::TooLong, "context_length_exceeded", detail)
    }

    /// With what the attempt took.
    #[must_use]
    pub const fn with_usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Whether the same request may work a little later. An answer that broke off or could not be read is such a
    /// one: nothing came of it yet.
    pub fn may_pass(&self) -> bool {
        matches!(self.kind, FailureKind::Passing | FailureKind::Connection)
    }

    /// What the room is told: that it failed and with which code, nothing that the provider wrote.
    pub fn to_failure(&self, provider: &str) -> AgentFailure {
        let code = &self.code;
        let text = match self.kind {
            FailureKind::Timeout => "The model did not answer in time.".to_owned(),
            FailureKind::Connection => "The model provider can't be reached.".to_owned(),
            FailureKind::Unreadable => "The model provider sent an answer that can't be read.".to_owned(),
            FailureKind::TooLong => "The conversation is too long for the model.".to_owned(),
            FailureKind::Passing | FailureKind::Refused if code.parse::<u16>().is_ok() => {
                format!("The model provider refused the request with status {code}.")
            }
            FailureKind::Passing | FailureKind::Refused => format!("The model gave no answer ({code})."),
        };
        AgentFailure::new(provider, text).code(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_hears_the_code_and_nothing_that_the_provider_wrote() {
        let failure = ProviderFailure::new(FailureKind::Refused, "401", "key sk-secret is wrong");
        let told = failure.to_failure("openai");
        assert_eq!(told.message, "The model provider refused the request with status 401.");
        assert_eq!(told.code.as_deref(), Some("401"));
        let refused = ProviderFailure::new(FailureKind::Refused, "refusal", "");
        assert_eq!(refused.to_failure("x").message, "The model gave no answer (refusal).");
        assert!(!refused.may_pass());
        assert_eq!(ProviderFailure::unreadable("é".repeat(900)).detail.chars().count(), 500);
    }
}
