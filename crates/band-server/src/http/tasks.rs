//! The task board of a room, the same on both sides.

use axum::extract::State;
use axum::response::Response;
use band_wire::id::Chat;
use band_wire::rest::query::{HistoryIncludeQuery, NoQuery, TaskHistoryQuery, TasksQuery};
use band_wire::rest::{CreateTask, SetBoard, UpdateTask};

use super::answer;
use super::body::Json;
use super::caller::Caller;
use super::context::Context;
use super::idempotency::IdempotencyKey;
use super::path::{OfBoard, One};
use super::problem::Problem;
use super::query::Query;

type Answered = Result<Response, Problem>;

pub(super) async fn list(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    Query(query): Query<TasksQuery>,
) -> Answered {
    Ok(answer::whole(&ctx.app.tasks(who, chat, query).await?))
}

pub(super) async fn create(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    IdempotencyKey(key): IdempotencyKey,
    _: Query<NoQuery>,
    Json(body): Json<CreateTask>,
) -> Answered {
    Ok(answer::created(ctx.app.create_task(who, chat, body, key).await?))
}

pub(super) async fn show(
    State(ctx): State<Context>,
    Caller(who): Caller,
    OfBoard(chat, task): OfBoard,
    Query(query): Query<HistoryIncludeQuery>,
) -> Answered {
    Ok(answer::ok(ctx.app.task(who, chat, task, query).await?))
}

pub(super) async fn update(
    State(ctx): State<Context>,
    Caller(who): Caller,
    OfBoard(chat, task): OfBoard,
    _: Query<NoQuery>,
    Json(body): Json<UpdateTask>,
) -> Answered {
    Ok(answer::ok(ctx.app.update_task(who, chat, task, body).await?))
}

pub(super) async fn history(
    State(ctx): State<Context>,
    Caller(who): Caller,
    OfBoard(chat, task): OfBoard,
    Query(query): Query<TaskHistoryQuery>,
) -> Answered {
    Ok(answer::whole(&ctx.app.task_history(who, chat, task, query).await?))
}

pub(super) async fn board(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    Query(query): Query<HistoryIncludeQuery>,
) -> Answered {
    Ok(answer::ok(ctx.app.goal(who, chat, query).await?))
}

pub(super) async fn set_board(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    _: Query<NoQuery>,
    Json(body): Json<SetBoard>,
) -> Answered {
    Ok(answer::ok(ctx.app.set_goal(who, chat, body).await?))
}
