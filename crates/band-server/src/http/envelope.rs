//! The outermost layer: request ids, the one error shape, panics, the request log.

use std::panic::AssertUnwindSafe;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use http::{HeaderValue, Method, StatusCode, header};

use super::problem::Problem;
use crate::telemetry::{RequestId, X_REQUEST_ID, record};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Wraps every route and every fallback.
pub(super) async fn envelope(mut request: Request, next: Next) -> Response {
    let began = Instant::now();
    let id = RequestId::of(request.headers());
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    request.extensions_mut().insert(id.clone());
    let answered = AssertUnwindSafe(next.run(request)).catch_unwind().await;
    let response = answered.unwrap_or_else(|_| Problem::internal().into_response());
    let (response, code) = finish(response, &method, &id);
    let route = route.as_ref().map_or("", MatchedPath::as_str);
    record(&method, route, response.status(), code, began.elapsed(), &id);
    response
}

/// Gives an error its body, and every response its headers.
fn finish(mut response: Response, method: &Method, id: &RequestId) -> (Response, Option<&'static str>) {
    let problem = response.extensions_mut().remove::<Problem>();
    let problem = problem.or_else(|| Problem::of_status(response.status()));
    let code = problem.as_ref().map(Problem::code);
    if let Some(problem) = problem {
        write_body(&mut response, problem, method, id);
    }
    let headers = response.headers_mut();
    if let Some(id) = id.header() {
        headers.insert(X_REQUEST_ID, id);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    (response, code)
}

fn write_body(response: &mut Response, problem: Problem, method: &Method, id: &RequestId) {
    let status = problem.status();
    let body = serde_json::to_vec(&problem.into_envelope(id.as_str())).unwrap_or_default();
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
    *response.body_mut() = if *method == Method::HEAD { Body::empty() } else { Body::from(body) };
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("ApiKey"));
    }
}
