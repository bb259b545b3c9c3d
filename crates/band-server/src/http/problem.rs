//! Why a request is not answered as it was meant.

use std::borrow::Cow;

use axum::response::{IntoResponse, Response};
use band_core::platform::Refusal;
use band_wire::rest::query::QueryError;
use band_wire::rest::{ErrorBody, ErrorEnvelope, Issues, code};
use http::{HeaderValue, StatusCode, header};

use crate::app::AppError;

/// What a caller is told to wait after a 503.
const RETRY_SECONDS: u32 = 1;

/// What a client is told to wait when no more sockets fit.
const FULL_SECONDS: u32 = 10;

/// A refusal on its way out. It travels as an extension of an empty response; the envelope, which knows the
/// id of the request, writes the body.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    refusal: Refusal,
    retry_after: Option<u32>,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        Refusal::new(status.as_u16(), code, message).into()
    }

    pub(crate) fn unauthorized(message: &'static str) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, code::UNAUTHORIZED, message)
    }

    pub(crate) fn forbidden(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code::FORBIDDEN, message)
    }

    pub(crate) fn bad_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code::BAD_REQUEST, message)
    }

    pub(crate) fn not_found() -> Self {
        Refusal::not_found().into()
    }

    /// The cause is in the log only.
    pub(crate) fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            code::INTERNAL,
            "Something went wrong here; the log has the cause under this request id",
        )
    }

    /// The platform stops; its next run may take the request.
    pub(crate) fn stopping() -> Self {
        let message = "The platform is about to stop, try again";
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, code::UNAVAILABLE, message);
        Self { retry_after: Some(RETRY_SECONDS), ..problem }
    }

    /// No more sockets fit.
    pub(crate) fn full() -> Self {
        let message = "Too many connections are open here, try again later";
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, code::TRACKING_FAILED, message);
        Self { retry_after: Some(FULL_SECONDS), ..problem }
    }

    /// What a bare status of the router becomes; none for statuses that are no error.
    pub(crate) fn of_status(status: StatusCode) -> Option<Self> {
        let (code, message) = match status {
            StatusCode::NOT_FOUND => return Some(Self::not_found()),
            StatusCode::METHOD_NOT_ALLOWED => (code::METHOD_NOT_ALLOWED, "This path has no such method"),
            StatusCode::INTERNAL_SERVER_ERROR => return Some(Self::internal()),
            _ if status.is_client_error() => (code::BAD_REQUEST, "The request can't be read"),
            _ if status.is_server_error() => (code::INTERNAL, "The platform failed"),
            _ => return None,
        };
        Some(Self::new(status, code, message))
    }

    pub(crate) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    pub(crate) fn code(&self) -> &'static str {
        self.refusal.code
    }

    /// The body, with the id of the request.
    pub(crate) fn into_envelope(self, request_id: &str) -> ErrorEnvelope {
        ErrorEnvelope {
            error: ErrorBody {
                code: self.refusal.code.to_owned(),
                message: self.refusal.message.into_owned(),
                request_id: Some(request_id.to_owned()),
                details: self.refusal.details.map(Issues::into_map),
                retry_after: self.retry_after.map(u64::from),
            },
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self { refusal, retry_after: None }
    }
}

impl From<Issues> for Problem {
    fn from(issues: Issues) -> Self {
        Refusal::invalid(issues).into()
    }
}

impl From<QueryError> for Problem {
    fn from(err: QueryError) -> Self {
        let mut refusal = Refusal::invalid(err.issues);
        refusal.code = err.code;
        refusal.into()
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.extensions_mut().insert(self);
        response
    }
}

impl From<AppError> for Problem {
    fn from(err: AppError) -> Self {
        if let AppError::Failed(failed) = &err {
            tracing::error!(error = failed as &dyn std::error::Error, "a use case failed");
        }
        let retry_after = (err.status() == 503).then_some(RETRY_SECONDS);
        Self { refusal: err.into_refusal(), retry_after }
    }
}
