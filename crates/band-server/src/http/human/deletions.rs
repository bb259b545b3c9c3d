//! Deleting many rooms or agents at once.

use axum::extract::State;
use axum::response::Response;
use band_wire::id::Deletion;
use band_wire::rest::query::NoQuery;
use band_wire::rest::{BulkDeleteAgents, BulkDeleteChats, BulkDeletion, routes};

use super::Answered;
use crate::http::answer;
use crate::http::body::Json;
use crate::http::caller::Caller;
use crate::http::context::Context;
use crate::http::path::One;
use crate::http::query::Query;

pub(crate) async fn chats(
    State(ctx): State<Context>,
    Caller(who): Caller,
    _: Query<NoQuery>,
    Json(body): Json<BulkDeleteChats>,
) -> Answered {
    Ok(accepted(ctx.app.delete_chats(who, body).await?))
}

pub(crate) async fn agents(
    State(ctx): State<Context>,
    Caller(who): Caller,
    _: Query<NoQuery>,
    Json(body): Json<BulkDeleteAgents>,
) -> Answered {
    Ok(accepted(ctx.app.delete_agents(who, body).await?))
}

pub(crate) async fn show(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(deletion): One<Deletion>,
    _: Query<NoQuery>,
) -> Answered {
    Ok(answer::ok(ctx.app.bulk_deletion(who, deletion).await?))
}

fn accepted(job: BulkDeletion) -> Response {
    answer::accepted(&routes::me_bulk_deletion(job.id), job)
}
