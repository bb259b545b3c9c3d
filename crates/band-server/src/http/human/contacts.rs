//! Contacts of people.

use axum::extract::State;
use band_wire::id::ContactRequest;
use band_wire::rest::query::{ContactsQuery, NoQuery, SentContactRequestsQuery};
use band_wire::rest::{ContactAction, CreateContactRequest, ResolveHandle};

use super::Answered;
use crate::http::answer;
use crate::http::body::{Json, Nothing};
use crate::http::caller::Caller;
use crate::http::context::Context;
use crate::http::idempotency::IdempotencyKey;
use crate::http::path::One;
use crate::http::query::Query;

pub(crate) async fn contacts(
    State(ctx): State<Context>,
    Caller(who): Caller,
    Query(query): Query<ContactsQuery>,
) -> Answered {
    Ok(answer::whole(&ctx.app.my_contacts(who, query).await?))
}

pub(crate) async fn resolve(
    State(ctx): State<Context>,
    Caller(who): Caller,
    _: Query<NoQuery>,
    Json(body): Json<ResolveHandle>,
) -> Answered {
    Ok(answer::ok(ctx.app.resolve_handle(who, body).await?))
}

pub(crate) async fn received_requests(
    State(ctx): State<Context>,
    Caller(who): Caller,
    Query(query): Query<ContactsQuery>,
) -> Answered {
    Ok(answer::whole(&ctx.app.received_contact_requests(who, query).await?))
}

pub(crate) async fn sent_requests(
    State(ctx): State<Context>,
    Caller(who): Caller,
    Query(query): Query<SentContactRequestsQuery>,
) -> Answered {
    Ok(answer::whole(&ctx.app.sent_contact_requests(who, query).await?))
}

pub(crate) async fn ask(
    State(ctx): State<Context>,
    Caller(who): Caller,
    IdempotencyKey(key): IdempotencyKey,
    _: Query<NoQuery>,
    Json(body): Json<CreateContactRequest>,
) -> Answered {
    Ok(answer::created(ctx.app.create_contact_request(who, body, key).await?))
}

pub(crate) async fn approve(
    state: State<Context>,
    caller: Caller,
    id: One<ContactRequest>,
    _: Query<NoQuery>,
    _: Json<Nothing>,
) -> Answered {
    settle(state, caller, id, ContactAction::Approve).await
}

pub(crate) async fn reject(
    state: State<Context>,
    caller: Caller,
    id: One<ContactRequest>,
    _: Query<NoQuery>,
    _: Json<Nothing>,
) -> Answered {
    settle(state, caller, id, ContactAction::Reject).await
}

pub(crate) async fn cancel(
    state: State<Context>,
    caller: Caller,
    id: One<ContactRequest>,
    _: Query<NoQuery>,
) -> Answered {
    settle(state, caller, id, ContactAction::Cancel).await
}

async fn settle(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(request): One<ContactRequest>,
    action: ContactAction,
) -> Answered {
    Ok(answer::ok(ctx.app.settle_contact_request(who, request, action).await?))
}
