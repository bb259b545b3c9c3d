//! Contacts of agents.

use axum::extract::State;
use band_wire::rest::query::{AgentContactRequestsQuery, ContactsQuery, NoQuery};
use band_wire::rest::{AddContact, RemoveContact, RespondContact};

use super::Answered;
use crate::http::answer;
use crate::http::body::Json;
use crate::http::caller::Caller;
use crate::http::context::Context;
use crate::http::idempotency::IdempotencyKey;
use crate::http::query::Query;

pub(crate) async fn contacts(
    State(ctx): State<Context>,
    Caller(who): Caller,
    Query(query): Query<ContactsQuery>,
) -> Answered {
    Ok(answer::whole(&ctx.app.agent_contacts(who, query).await?))
}

pub(crate) async fn add_contact(
    State(ctx): State<Context>,
    Caller(who): Caller,
    IdempotencyKey(key): IdempotencyKey,
    _: Query<NoQuery>,
    Json(body): Json<AddContact>,
) -> Answered {
    Ok(answer::created(ctx.app.add_contact(who, body, key).await?))
}

pub(crate) async fn remove_contact(
    State(ctx): State<Context>,
    Caller(who): Caller,
    _: Query<NoQuery>,
    Json(body): Json<RemoveContact>,
) -> Answered {
    Ok(answer::ok(ctx.app.remove_contact(who, body).await?))
}

pub(crate) async fn contact_requests(
    State(ctx): State<Context>,
    Caller(who): Caller,
    Query(query): Query<AgentContactRequestsQuery>,
) -> Answered {
    Ok(answer::whole(&ctx.app.agent_contact_requests(who, query).await?))
}

pub(crate) async fn respond_contact(
    State(ctx): State<Context>,
    Caller(who): Caller,
    _: Query<NoQuery>,
    Json(body): Json<RespondContact>,
) -> Answered {
    Ok(answer::ok(ctx.app.respond_contact(who, body).await?))
}
