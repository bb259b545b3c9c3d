//! Messages and delivery marks of agents.

use axum::extract::State;
use band_wire::id::{Chat, Message};
use band_wire::rest::query::{AgentMessagesQuery, NoQuery};
use band_wire::rest::{FailMark, SendMessage};

use super::Answered;
use crate::http::answer;
use crate::http::body::{Json, MAX_MESSAGE_BODY, Nothing};
use crate::http::caller::Caller;
use crate::http::context::Context;
use crate::http::idempotency::IdempotencyKey;
use crate::http::path::{One, Two};
use crate::http::query::Query;

pub(crate) async fn messages(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    Query(query): Query<AgentMessagesQuery>,
) -> Answered {
    let offset = query.paging.is_offset();
    Ok(answer::deprecated(offset, answer::whole(&ctx.app.agent_messages(who, chat, query).await?)))
}

pub(crate) async fn send(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    IdempotencyKey(key): IdempotencyKey,
    _: Query<NoQuery>,
    Json(body): Json<SendMessage, MAX_MESSAGE_BODY>,
) -> Answered {
    Ok(answer::created(ctx.app.send_message(who, chat, body, key).await?))
}

pub(crate) async fn next(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    _: Query<NoQuery>,
) -> Answered {
    Ok(answer::some(ctx.app.next_message(who, chat).await?))
}

pub(crate) async fn processing(
    State(ctx): State<Context>,
    Caller(who): Caller,
    Two(chat, message): Two<Chat, Message>,
    _: Query<NoQuery>,
    _: Json<Nothing>,
) -> Answered {
    Ok(answer::some(ctx.app.mark_processing(who, chat, message).await?))
}

pub(crate) async fn processed(
    State(ctx): State<Context>,
    Caller(who): Caller,
    Two(chat, message): Two<Chat, Message>,
    _: Query<NoQuery>,
    _: Json<Nothing>,
) -> Answered {
    Ok(answer::some(ctx.app.mark_processed(who, chat, message).await?))
}

pub(crate) async fn failed(
    State(ctx): State<Context>,
    Caller(who): Caller,
    Two(chat, message): Two<Chat, Message>,
    _: Query<NoQuery>,
    Json(body): Json<FailMark>,
) -> Answered {
    Ok(answer::some(ctx.app.mark_failed(who, chat, message, body).await?))
}
