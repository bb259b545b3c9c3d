//! What each provider refuses in a conversation, as its public documentation says and its answers show. The
//! scripted server of the test kit has checks of its own: what we render has to satisfy both.
//!
//! Each function reads the conversation of a request and says what the provider would answer. They are stricter
//! than the providers in one thing: a field that is not documented is refused.

pub(crate) mod anthropic;
pub(crate) mod chat;
pub(crate) mod gemini;
mod reader;
pub(crate) mod responses;

/// A request that the provider would not take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{status}: {message}")]
pub(crate) struct Refusal {
    /// The status it answers with.
    pub(crate) status: u16,
    /// What it says.
    pub(crate) message: String,
}

impl Refusal {
    /// The request is not as it should be: 400.
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self { status: 400, message: message.into() }
    }
}

#[cfg(test)]
mod tests;
