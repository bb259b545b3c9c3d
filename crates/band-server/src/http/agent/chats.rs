//! Rooms, as agents see them.

use axum::extract::State;
use band_wire::id::Chat;
use band_wire::rest::query::{AgentChatsQuery, ContextQuery, NoQuery};
use band_wire::rest::{CreateChat, CreateEvent, RenameChat, ReportActivity};

use super::Answered;
use crate::http::answer;
use crate::http::body::Json;
use crate::http::caller::Caller;
use crate::http::context::Context;
use crate::http::idempotency::IdempotencyKey;
use crate::http::path::One;
use crate::http::query::Query;

pub(crate) async fn list(
    State(ctx): State<Context>,
    Caller(who): Caller,
    Query(query): Query<AgentChatsQuery>,
) -> Answered {
    Ok(answer::whole(&ctx.app.agent_chats(who, query).await?))
}

pub(crate) async fn create(
    State(ctx): State<Context>,
    Caller(who): Caller,
    IdempotencyKey(key): IdempotencyKey,
    _: Query<NoQuery>,
    Json(body): Json<CreateChat>,
) -> Answered {
    Ok(answer::created(ctx.app.create_agent_chat(who, body, key).await?))
}

pub(crate) async fn show(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    _: Query<NoQuery>,
) -> Answered {
    Ok(answer::ok(ctx.app.agent_chat(who, chat).await?))
}

pub(crate) async fn rename(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    _: Query<NoQuery>,
    Json(body): Json<RenameChat>,
) -> Answered {
    Ok(answer::ok(ctx.app.rename_agent_chat(who, chat, body).await?))
}

pub(crate) async fn context(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    Query(query): Query<ContextQuery>,
) -> Answered {
    let offset = query.paging.is_offset();
    Ok(answer::deprecated(offset, answer::whole(&ctx.app.context(who, chat, query).await?)))
}

pub(crate) async fn create_event(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    IdempotencyKey(key): IdempotencyKey,
    _: Query<NoQuery>,
    Json(body): Json<CreateEvent>,
) -> Answered {
    Ok(answer::created(ctx.app.create_event(who, chat, body, key).await?))
}

pub(crate) async fn activity(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    _: Query<NoQuery>,
    Json(body): Json<ReportActivity>,
) -> Answered {
    Ok(answer::ok(ctx.app.report_activity(who, chat, body).await?))
}
