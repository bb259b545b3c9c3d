//! What can go wrong, by kind.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use band_core::link::{Refusal, StopReason};
use band_wire::ChatId;

/// The result of most calls.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong. The variant is the kind; every text names the thing, the value and, where there is one,
/// the fix.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting, a file or an argument is wrong; nothing was sent.
    #[error("{0}")]
    Config(String),
    /// The model that was chosen is not one that its provider advertises.
    #[error("{0}")]
    ModelSelection(String),
    /// Another process runs the same agent here, or another connection of it is alive on the platform.
    #[error("{0}")]
    AlreadyRunning(String),
    /// 401: the API key is wrong, or is not valid any more.
    #[error("the platform does not know the API key: {0}")]
    Unauthorized(Box<ApiError>),
    /// The platform answered, and refused.
    #[error("{0}")]
    Api(Box<ApiError>),
    /// The platform could not be reached, or its answer could not be read.
    #[error("{0}")]
    Connection(#[from] ConnectionError),
    /// What became of a request is not known: the answer was lost, or the platform failed on the way. It is not
    /// sent again, since the platform is not known to honour idempotency keys.
    #[error(
        "{0}. The platform may have carried it out all the same. It honours no idempotency keys, so it is not sent again"
    )]
    Unconfirmed(#[source] Box<Self>),
    /// The connection ended for good.
    #[error("the connection ended: {0}")]
    Ended(StopReason),
    /// Something of a stopped agent could not be cleaned up; the text names it.
    #[error("{0}")]
    Cleanup(String),
    /// A start failed, and could not be undone: the agent keeps its lock until a stop has succeeded. The
    /// source is why the start failed.
    #[error("{0}\nAgent cleanup is incomplete; retain this host and call stop() to retry")]
    Unclean(#[source] Box<Self>),
    /// The adapter could not start; the text is its own.
    #[error("the adapter could not start: {0}")]
    Adapter(String),
    /// A tool refused its arguments; nothing was sent.
    #[error(transparent)]
    Tool(#[from] crate::tools::ToolError),
    /// The platform has stopped the agent in this room: the turn is over, its message stays open.
    #[error("Room {room}: platform execution was stopped")]
    Stopped {
        /// The room.
        room: ChatId,
    },
    /// The turn was asked to end: nothing more is posted for it.
    #[error("the turn was asked to end, so nothing is posted any more")]
    Cancelled,
}

impl Error {
    /// The platform's answer, if this is one.
    pub fn api(&self) -> Option<&ApiError> {
        match self {
            Self::Unauthorized(api) | Self::Api(api) => Some(api),
            Self::Unconfirmed(err) | Self::Unclean(err) => err.api(),
            Self::Config(_)
            | Self::ModelSelection(_)
            | Self::AlreadyRunning(_)
            | Self::Connection(_)
            | Self::Ended(_)
            | Self::Cleanup(_)
            | Self::Adapter(_)
            | Self::Tool(_)
            | Self::Stopped { .. }
            | Self::Cancelled => None,
        }
    }

    /// The same error once more, for those who waited for the same thing.
    pub(crate) fn again(&self) -> Self {
        match self {
            Self::Config(text) => Self::Config(text.clone()),
            Self::ModelSelection(text) => Self::ModelSelection(text.clone()),
            Self::AlreadyRunning(text) => Self::AlreadyRunning(text.clone()),
            Self::Unauthorized(api) => Self::Unauthorized(api.clone()),
            Self::Api(api) => Self::Api(api.clone()),
            Self::Connection(err) => {
                Self::Connection(ConnectionError::new(err.what.clone(), err.source.to_string()))
            }
            Self::Ended(reason) => Self::Ended(reason.clone()),
            Self::Cleanup(text) => Self::Cleanup(text.clone()),
            Self::Unclean(err) => Self::Unclean(Box::new(err.again())),
            Self::Unconfirmed(err) => Self::Unconfirmed(Box::new(err.again())),
            Self::Adapter(text) => Self::Adapter(text.clone()),
            Self::Tool(err) => Self::Tool(err.clone()),
            Self::Stopped { room } => Self::Stopped { room: *room },
            Self::Cancelled => Self::Cancelled,
        }
    }

    /// The HTTP status of the platform's answer, if this is one.
    pub fn status(&self) -> Option<u16> {
        self.api().map(|api| api.status_code)
    }
}

/// A message could not be delivered to the room: not the provider failed, but Band. Its source is the cause.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct DeliveryError(pub Error);

impl From<ApiError> for Error {
    fn from(api: ApiError) -> Self {
        match api.status_code {
            401 => Self::Unauthorized(Box::new(api)),
            _ => Self::Api(Box::new(api)),
        }
    }
}

impl From<StopReason> for Error {
    fn from(reason: StopReason) -> Self {
        match reason {
            StopReason::Conflict(refusal) => Self::AlreadyRunning(format!(
                "the agent is already running: another connection of it is alive on the platform ({refusal}). \
                 Stop that one, or let this one take over with the conflict policy supersede"
            )),
            StopReason::Unauthorized(refusal)
            | StopReason::Forbidden(refusal)
            | StopReason::BadRequest(refusal) => ApiError::from(refusal).into(),
            ended => Self::Ended(ended),
        }
    }
}

/// The platform's refusal of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApiError {
    /// The HTTP status. 0 in a [`Mark`](crate::rest::Mark) that got no answer at all.
    pub status_code: u16,
    /// A stable token. Empty when the body was not the platform's error envelope.
    pub code: String,
    /// For people. When the body was not the envelope: the start of what it was.
    pub message: String,
    /// The id of the request, from the body or else from the header `x-request-id`.
    pub request_id: Option<String>,
    /// JSON pointer → texts, on a failed validation.
    pub details: BTreeMap<String, Vec<String>>,
    /// How long the platform wants to be left alone.
    pub retry_after: Option<Duration>,
}

impl ApiError {
    /// An error of which only the status and a text are known.
    pub fn new(status_code: u16, message: impl Into<String>) -> Self {
        Self {
            status_code,
            code: String::new(),
            message: message.into(),
            request_id: None,
            details: BTreeMap::new(),
            retry_after: None,
        }
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        Self {
            code: refusal.code.unwrap_or_default(),
            request_id: refusal.request_id,
            retry_after: refusal.retry_after,
            ..Self::new(refusal.status, refusal.message.unwrap_or_default())
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "status_code: {}", self.status_code)?;
        if !self.code.is_empty() {
            write!(f, ", code: {}", self.code)?;
        }
        if !self.message.is_empty() {
            write!(f, ", message: {}", self.message)?;
        }
        for (pointer, texts) in &self.details {
            write!(f, ", {pointer}: {}", texts.join("; "))?;
        }
        if let Some(id) = &self.request_id {
            write!(f, ", request_id: {id}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ApiError {}

/// The platform could not be reached, or its answer could not be read. Holds no key and no query.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {source}")]
pub struct ConnectionError {
    what: String,
    source: Box<dyn std::error::Error + Send + Sync>,
}

impl ConnectionError {
    pub(crate) fn new(
        what: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self { what: what.into(), source: source.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_link_becomes_an_error_of_its_kind() {
        let refusal = |status| Refusal { code: Some("c".to_owned()), ..Refusal::status(status) };
        assert!(matches!(Error::from(StopReason::Conflict(refusal(409))), Error::AlreadyRunning(_)));
        assert!(matches!(Error::from(StopReason::Requested), Error::Ended(StopReason::Requested)));
        let err = Error::from(StopReason::Unauthorized(refusal(401)));
        assert!(matches!(err, Error::Unauthorized(_)));
        assert!(err.to_string().contains("status_code: 401, code: c"), "{err}");
        assert_eq!(Error::from(StopReason::Forbidden(refusal(403))).status(), Some(403));
    }
}
