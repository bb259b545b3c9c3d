//! Rooms, their messages and participants, as people see and change them.

use axum::extract::State;
use band_wire::id::{Chat, Participant};
use band_wire::rest::query::{MyChatQuery, MyChatsQuery, MyMessagesQuery, MyParticipantsQuery, NoQuery};
use band_wire::rest::{AddParticipant, ChatStatus, CreateChat, RenameChat, SendMessage};

use super::Answered;
use crate::http::answer;
use crate::http::body::{Json, MAX_MESSAGE_BODY, Nothing};
use crate::http::caller::Caller;
use crate::http::context::Context;
use crate::http::idempotency::IdempotencyKey;
use crate::http::path::{One, Two};
use crate::http::query::Query;

pub(crate) async fn chats(
    State(ctx): State<Context>,
    Caller(who): Caller,
    Query(query): Query<MyChatsQuery>,
) -> Answered {
    let offset = query.paging.is_offset();
    Ok(answer::deprecated(offset, answer::whole(&ctx.app.my_chats(who, query).await?)))
}

pub(crate) async fn create_chat(
    State(ctx): State<Context>,
    Caller(who): Caller,
    IdempotencyKey(key): IdempotencyKey,
    _: Query<NoQuery>,
    Json(body): Json<CreateChat>,
) -> Answered {
    Ok(answer::created(ctx.app.create_my_chat(who, body, key).await?))
}

pub(crate) async fn chat(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    Query(query): Query<MyChatQuery>,
) -> Answered {
    Ok(answer::ok(ctx.app.my_chat(who, chat, query).await?))
}

pub(crate) async fn rename(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    _: Query<NoQuery>,
    Json(body): Json<RenameChat>,
) -> Answered {
    Ok(answer::ok(ctx.app.rename_my_chat(who, chat, body).await?))
}

pub(crate) async fn delete_chat(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    _: Query<NoQuery>,
) -> Answered {
    Ok(answer::ok(ctx.app.delete_chat(who, chat).await?))
}

pub(crate) async fn archive(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    _: Query<NoQuery>,
    _: Json<Nothing>,
) -> Answered {
    Ok(answer::ok(ctx.app.set_chat_status(who, chat, ChatStatus::Archived).await?))
}

pub(crate) async fn unarchive(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    _: Query<NoQuery>,
    _: Json<Nothing>,
) -> Answered {
    Ok(answer::ok(ctx.app.set_chat_status(who, chat, ChatStatus::Active).await?))
}

pub(crate) async fn messages(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    Query(query): Query<MyMessagesQuery>,
) -> Answered {
    let offset = query.paging.is_offset();
    Ok(answer::deprecated(offset, answer::whole(&ctx.app.my_messages(who, chat, query).await?)))
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

pub(crate) async fn participants(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    Query(query): Query<MyParticipantsQuery>,
) -> Answered {
    let offset = query.paging.is_offset();
    Ok(answer::deprecated(offset, answer::whole(&ctx.app.my_participants(who, chat, query).await?)))
}

pub(crate) async fn add_participant(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(chat): One<Chat>,
    IdempotencyKey(key): IdempotencyKey,
    _: Query<NoQuery>,
    Json(body): Json<AddParticipant>,
) -> Answered {
    Ok(answer::created(ctx.app.add_participant(who, chat, body, key).await?))
}

pub(crate) async fn remove_participant(
    State(ctx): State<Context>,
    Caller(who): Caller,
    Two(chat, target): Two<Chat, Participant>,
    _: Query<NoQuery>,
) -> Answered {
    Ok(answer::ok(ctx.app.remove_participant(who, chat, target).await?))
}
