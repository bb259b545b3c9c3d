//! Version and health.

use axum::response::Response;
use band_wire::rest::query::NoQuery;
use serde_json::json;

use super::answer;
use super::query::Query;

/// The version of the public API that this platform is compatible with. Clients look at it before they use
/// comma lists in `include`.
const API_VERSION: &str = "1.51.0";

pub(super) async fn version(_: Query<NoQuery>) -> Response {
    answer::ok(json!({ "version": API_VERSION, "server": concat!("band-rs/", env!("CARGO_PKG_VERSION")) }))
}

pub(super) async fn health(_: Query<NoQuery>) -> Response {
    answer::ok(json!({ "status": "ok" }))
}
