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

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::middleware::from_fn;
    use axum::routing::get;
    use hyper::service::Service;
    use hyper_util::service::TowerToHyperService;

    use super::*;

    async fn call(path: &str) -> (StatusCode, serde_json::Value) {
        async fn boom() {
            panic!("a defect")
        }
        let bare = get(|| async { StatusCode::IM_A_TEAPOT });
        let router = Router::new().route("/boom", get(boom)).route("/bare", bare).layer(from_fn(envelope));
        let request = Request::builder().uri(path).header(X_REQUEST_ID, "r-1").body(Body::empty()).unwrap();
        let response = TowerToHyperService::new(router).call(request).await.unwrap();
        let status = response.status();
        let body = axum::body::to_bytes(response.into_body(), 4096).await.unwrap();
        (status, serde_json::from_slice(&body).unwrap())
    }

    #[tokio::test]
    async fn a_panic_is_a_500_in_the_one_shape_that_tells_nothing() {
        let (status, body) = call("/boom").await;
        assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(
            (&body["error"]["code"], &body["error"]["request_id"]),
            (&"internal_error".into(), &"r-1".into())
        );
        assert!(!body.to_string().contains("defect"), "{body}");
    }

    #[tokio::test]
    async fn a_bare_status_gets_a_body() {
        let (status, body) = call("/bare").await;
        assert_eq!((status, &body["error"]["code"]), (StatusCode::IM_A_TEAPOT, &"bad_request".into()));
    }
}
