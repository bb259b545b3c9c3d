//! Why a link ended for good.

use std::fmt;
use std::time::Duration;

/// What a server said when it refused the upgrade of a socket.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// `error.code` of the body.
    pub code: Option<String>,
    /// `error.message` of the body.
    pub message: Option<String>,
    /// `error.request_id` of the body.
    pub request_id: Option<String>,
    /// How long to stay away, from the body or else from the `Retry-After` header.
    pub retry_after: Option<Duration>,
}

impl Refusal {
    /// A refusal of which only the status is known.
    pub fn status(status: u16) -> Self {
        Self { status, ..Self::default() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "status_code: {}", self.status)?;
        if let Some(code) = &self.code {
            write!(f, ", code: {code}")?;
        }
        if let Some(message) = &self.message {
            write!(f, ", message: {message}")?;
        }
        if let Some(id) = &self.request_id {
            write!(f, ", request_id: {id}")?;
        }
        Ok(())
    }
}

/// Why a link ended. It never ends by the number of failed attempts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StopReason {
    /// The owner asked for it.
    #[error("stopped on request")]
    Requested,
    /// Another connection of the same agent took this one's place, and the platform does not want it back.
    #[error("superseded by another connection: {message} ({reason})")]
    Superseded {
        /// A stable token, such as `session.already_connected`.
        reason: String,
        /// For people.
        message: String,
        /// Always false today: a supersede that may be retried does not end the link.
        retryable: bool,
        /// Ties this end to the platform's logs.
        correlation_id: Option<String>,
    },
    /// 409: the agent is connected already, and this link was told not to take over.
    #[error("the agent is already running elsewhere ({0})")]
    Conflict(Refusal),
    /// 401: the key is wrong, or is not valid any more.
    #[error("the platform does not know the API key ({0})")]
    Unauthorized(Refusal),
    /// 403: the key may not open this socket.
    #[error("the platform refuses the socket ({0})")]
    Forbidden(Refusal),
    /// 400: the platform does not understand the request.
    #[error("the platform does not accept the request for a socket ({0})")]
    BadRequest(Refusal),
    /// The platform refused the agent's control topic on the first connect.
    #[error("the platform refuses the topic agent_control: {reason}")]
    ControlRejected {
        /// What the platform said.
        reason: String,
    },
    /// A task of the agent panicked; the log says where.
    #[error("a task of the agent panicked; see agent logs")]
    Broken,
}

impl StopReason {
    /// A stable token: the platform's own where it gave one.
    pub fn code(&self) -> &str {
        match self {
            Self::Requested => "requested",
            Self::Superseded { reason, .. } => reason,
            Self::Conflict(refusal) => refusal.code.as_deref().unwrap_or("connection_conflict"),
            Self::Unauthorized(refusal) => refusal.code.as_deref().unwrap_or("unauthorized"),
            Self::Forbidden(refusal) => refusal.code.as_deref().unwrap_or("forbidden"),
            Self::BadRequest(refusal) => refusal.code.as_deref().unwrap_or("bad_request"),
            Self::ControlRejected { .. } => "control_rejected",
            Self::Broken => "broken",
        }
    }

    /// Whether another start may work without a change of anything. Of today's ends only a panic is one: whatever else
    /// may be retried does not end a link.
    pub const fn is_retryable(&self) -> bool {
        match self {
            Self::Superseded { retryable, .. } => *retryable,
            Self::Broken => true,
            Self::Requested
            | Self::Conflict(_)
            | Self::Unauthorized(_)
            | Self::Forbidden(_)
            | Self::BadRequest(_)
            | Self::ControlRejected { .. } => false,
        }
    }

    /// What ties this end to the platform's logs: the correlation id of a supersede, the request id of a
    /// refusal.
    pub fn correlation_id(&self) -> Option<&str> {
        match self {
            Self::Superseded { correlation_id, .. } => correlation_id.as_deref(),
            Self::Conflict(refusal)
            | Self::Unauthorized(refusal)
            | Self::Forbidden(refusal)
            | Self::BadRequest(refusal) => refusal.request_id.as_deref(),
            Self::Requested | Self::ControlRejected { .. } | Self::Broken => None,
        }
    }

    /// Whether the owner or a newer connection ended the link, as opposed to a refusal.
    pub const fn is_orderly(&self) -> bool {
        matches!(self, Self::Requested | Self::Superseded { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_has_a_code_says_whether_to_retry_and_what_to_ask_the_platform_for() {
        let refusal = Refusal { request_id: Some("r".to_owned()), ..Refusal::status(401) };
        let told = Refusal { code: Some("key_revoked".to_owned()), ..refusal.clone() };
        let superseded = StopReason::Superseded {
            reason: "session.already_connected".to_owned(),
            message: "m".to_owned(),
            retryable: false,
            correlation_id: Some("evict-1".to_owned()),
        };
        let rejected = StopReason::ControlRejected { reason: "no".to_owned() };
        let table = [
            (StopReason::Requested, "requested", None),
            (superseded, "session.already_connected", Some("evict-1")),
            (StopReason::Unauthorized(told), "key_revoked", Some("r")),
            (StopReason::Unauthorized(refusal.clone()), "unauthorized", Some("r")),
            (StopReason::Conflict(refusal.clone()), "connection_conflict", Some("r")),
            (StopReason::Forbidden(refusal.clone()), "forbidden", Some("r")),
            (StopReason::BadRequest(refusal), "bad_request", Some("r")),
            (rejected, "control_rejected", None),
        ];
        for (reason, code, id) in table {
            assert_eq!((reason.code(), reason.is_retryable(), reason.correlation_id()), (code, false, id));
        }
        let broken = StopReason::Broken;
        assert_eq!((broken.code(), broken.is_retryable(), broken.is_orderly()), ("broken", true, false));
    }
}
