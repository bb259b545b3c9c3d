//! Participants, as agents see and change them.

use axum::extract::State;
use band_wire::id::{Chat, Participant};
use band_wire::rest::AddParticipant;
use band_wire::rest::query::NoQuery;

use super::Answered;
use crate::http::answer;
use crate::http::body::Json;
use crate::http::caller::Caller;
use crate::http::context::Context;
use crate::http::idempotency::IdempotencyKey;
use crate::http::path::{One, Two};
use crate::http::query::Query;

pub(crate) async fn participants(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    _: Query<NoQuery>,
) -> Answered {
    Ok(answer::ok(ctx.app.agent_participants(who, chat).await?))
}

pub(crate) async fn add(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    IdempotencyKey(key): IdempotencyKey,
    _: Query<NoQuery>,
    Json(body): Json<AddParticipant>,
) -> Answered {
    Ok(answer::created(ctx.app.add_participant(who, chat, body, key).await?))
}

pub(crate) async fn remove(
    State(ctx): State<Context>,
    Caller(who): Caller,
    Two(chat, target): Two<Chat, Participant>,
    _: Query<NoQuery>,
) -> Answered {
    Ok(answer::ok(ctx.app.remove_participant(who, chat, target).await?))
}
