//! What goes back over the wire, in the real types.

use band_core::platform::Refusal;
use band_wire::rest::query::QueryError;
use band_wire::rest::{Data, ErrorBody, ErrorEnvelope, Issues};
use bytes::Bytes;
use http::{HeaderValue, Response, StatusCode, header};
use serde::Serialize;

/// A whole answer.
pub(crate) type Answer = Response<Bytes>;

/// Every use case gives an answer or a refusal.
pub(super) type Answered = Result<Answer, Refusal>;

/// A body as it is.
pub(super) fn whole(body: &impl Serialize) -> Answer {
    json(StatusCode::OK, body)
}

/// A body under `data`.
pub(super) fn ok(data: impl Serialize) -> Answer {
    json(StatusCode::OK, &Data { data })
}

/// The same, for what is new.
pub(super) fn created(data: impl Serialize) -> Answer {
    json(StatusCode::CREATED, &Data { data })
}

/// A body under `data`, or 204.
pub(super) fn some(data: Option<impl Serialize>) -> Answer {
    data.map_or_else(|| status(StatusCode::NO_CONTENT, Bytes::new()), ok)
}

/// The one error envelope.
pub(super) fn refused(refusal: Refusal, request_id: String) -> Answer {
    let body = ErrorBody {
        code: refusal.code.to_owned(),
        message: refusal.message.into_owned(),
        request_id: Some(request_id),
        details: refusal.details.map(Issues::into_map),
        retry_after: None,
    };
    json(
        StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST),
        &ErrorEnvelope { error: body },
    )
}

/// Any status with any body.
pub(crate) fn status(status: StatusCode, body: Bytes) -> Answer {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    answer
}

fn json(code: StatusCode, body: &impl Serialize) -> Answer {
    let bytes = serde_json::to_vec(body).unwrap_or_default();
    let mut answer = status(code, bytes.into());
    answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

/// A query that can't be read.
pub(super) fn bad_query(err: QueryError) -> Refusal {
    let mut refusal = Refusal::invalid(err.issues);
    refusal.code = err.code;
    refusal
}
