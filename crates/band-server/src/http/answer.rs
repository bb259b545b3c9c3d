//! Successful answers.

use axum::response::{IntoResponse, Response};
use band_wire::rest::Data;
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;

use super::problem::Problem;

const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
const SUNSET: HeaderName = HeaderName::from_static("sunset");
/// The day the public API has announced for the end of offset pages on lists that know cursors.
const OFFSET_SUNSET: HeaderValue = HeaderValue::from_static("Thu, 01 Oct 2026 00:00:00 GMT");

/// 200 with `{"data":…}`.
pub(crate) fn ok<T: Serialize>(data: T) -> Response {
    body(StatusCode::OK, &Data { data })
}

/// 201 with `{"data":…}`.
pub(crate) fn created<T: Serialize>(data: T) -> Response {
    body(StatusCode::CREATED, &Data { data })
}

/// 202 with `{"data":…}`, and where what was begun can be watched.
pub(crate) fn accepted<T: Serialize>(location: &str, data: T) -> Response {
    let mut response = body(StatusCode::ACCEPTED, &Data { data });
    if let Ok(location) = HeaderValue::from_str(location) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}

/// 200 with a body that is whole already, such as a list with its metadata.
pub(crate) fn whole<T: Serialize>(page: &T) -> Response {
    body(StatusCode::OK, page)
}

/// 200 with `{"data":…}`, or an empty 204.
pub(crate) fn some<T: Serialize>(data: Option<T>) -> Response {
    data.map_or_else(none, ok)
}

/// An empty 204.
pub(crate) fn none() -> Response {
    StatusCode::NO_CONTENT.into_response()
}

/// The same answer, marked where it was asked for by the deprecated page and page_size.
pub(crate) fn deprecated(offset: bool, mut response: Response) -> Response {
    if offset {
        response.headers_mut().insert(DEPRECATION, HeaderValue::from_static("true"));
        response.headers_mut().insert(SUNSET, OFFSET_SUNSET);
    }
    response
}

fn body<T: Serialize>(status: StatusCode, body: &T) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => (status, [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], bytes)
            .into_response(),
        Err(err) => {
            tracing::error!(%err, "an answer could not be written");
            Problem::internal().into_response()
        }
    }
}
