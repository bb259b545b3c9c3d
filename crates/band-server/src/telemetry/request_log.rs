//! One line for each request. Neither keys nor query strings are in it: the route is logged as its pattern.

use std::time::Duration;

use http::{Method, StatusCode};

use super::RequestId;

/// Under which a filter finds the lines.
const TARGET: &str = "band_server::request";

/// Writes the line of a finished request. `code` is that of the error envelope.
pub(crate) fn record(
    method: &Method,
    route: &str,
    status: StatusCode,
    code: Option<&str>,
    took: Duration,
    request_id: &RequestId,
) {
    let (status, took_us) = (status.as_u16(), u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    if status >= 500 {
        tracing::warn!(target: TARGET, %method, route, status, code, took_us, %request_id, "request");
    } else {
        tracing::info!(target: TARGET, %method, route, status, code, took_us, %request_id, "request");
    }
}
