//! What commands on the platform's own machine ask of a running server.

use axum::extract::State;
use axum::response::Response;
use band_wire::rest::query::NoQuery;
use band_wire::rest::{CreateAgent, CreateSignInLink, CreateUser};

use super::answer;
use super::body::Json;
use super::context::Context;
use super::problem::Problem;
use super::query::Query;

pub(super) async fn create_user(
    State(ctx): State<Context>,
    _: Query<NoQuery>,
    Json(body): Json<CreateUser>,
) -> Result<Response, Problem> {
    Ok(answer::created(ctx.app.create_user(body).await?))
}

pub(super) async fn create_agent(
    State(ctx): State<Context>,
    _: Query<NoQuery>,
    Json(body): Json<CreateAgent>,
) -> Result<Response, Problem> {
    Ok(answer::created(ctx.app.create_agent(body).await?))
}

pub(super) async fn create_sign_in_link(
    State(ctx): State<Context>,
    _: Query<NoQuery>,
    Json(body): Json<CreateSignInLink>,
) -> Result<Response, Problem> {
    Ok(answer::created(ctx.app.create_sign_in_link(body).await?))
}
