//! Why the platform says no.

use std::borrow::Cow;

use band_wire::rest::{Issues, code};

/// A refusal, ready for the error envelope. Nothing was stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{status} {code}: {message}")]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// See [`band_wire::rest::code`].
    pub code: &'static str,
    /// For people.
    pub message: Cow<'static, str>,
    /// JSON pointer → texts, on a failed validation.
    pub details: Option<Issues>,
}

impl Refusal {
    /// A refusal without details.
    pub fn new(status: u16, code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Self { status, code, message: message.into(), details: None }
    }

    /// 404: missing or not visible, one text for both.
    pub fn not_found() -> Self {
        Self::new(404, code::NOT_FOUND, "Resource not found")
    }

    /// 403.
    pub fn forbidden(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(403, code::FORBIDDEN, message)
    }

    /// 422 with details.
    pub fn invalid(issues: Issues) -> Self {
        let message = "Request validation failed";
        Self { status: 422, code: code::VALIDATION_ERROR, message: message.into(), details: Some(issues) }
    }

    /// 422 whose message is its code: clients compare the text.
    pub fn token(token: &'static str, pointer: &str, text: &str) -> Self {
        Self { status: 422, code: token, message: token.into(), details: Some(Issues::one(pointer, text)) }
    }
}
