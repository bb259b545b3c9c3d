//! Memories that people may see.

use axum::extract::State;
use band_core::platform::memories::Act;
use band_wire::id::Memory;
use band_wire::rest::query::{MyMemoriesQuery, NoQuery};

use super::Answered;
use crate::http::answer;
use crate::http::body::{Json, Nothing};
use crate::http::caller::Caller;
use crate::http::context::Context;
use crate::http::path::One;
use crate::http::query::Query;

pub(crate) async fn list(
    State(ctx): State<Context>,
    Caller(who): Caller,
    Query(query): Query<MyMemoriesQuery>,
) -> Answered {
    let offset = query.paging.is_offset();
    Ok(answer::deprecated(offset, answer::whole(&ctx.app.my_memories(who, query).await?)))
}

pub(crate) async fn show(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(memory): One<Memory>,
    _: Query<NoQuery>,
) -> Answered {
    Ok(answer::ok(ctx.app.my_memory(who, memory).await?))
}

pub(crate) async fn remove(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(memory): One<Memory>,
    _: Query<NoQuery>,
) -> Answered {
    ctx.app.delete_memory(who, memory).await?;
    Ok(answer::none())
}

pub(crate) async fn supersede(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(memory): One<Memory>,
    _: Query<NoQuery>,
    _: Json<Nothing>,
) -> Answered {
    Ok(answer::ok(ctx.app.act_on_my_memory(who, memory, Act::Supersede).await?))
}

pub(crate) async fn archive(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(memory): One<Memory>,
    _: Query<NoQuery>,
    _: Json<Nothing>,
) -> Answered {
    Ok(answer::ok(ctx.app.act_on_my_memory(who, memory, Act::Archive).await?))
}

pub(crate) async fn restore(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(memory): One<Memory>,
    _: Query<NoQuery>,
    _: Json<Nothing>,
) -> Answered {
    Ok(answer::ok(ctx.app.act_on_my_memory(who, memory, Act::Restore).await?))
}
