//! The Agent API.

mod chats;
mod contacts;
pub(in crate::http) mod memories;
mod messages;
mod participants;

use axum::extract::State;
use axum::response::Response;
use band_wire::rest::ExchangeDelegation;
use band_wire::rest::query::{AgentPeersQuery, NoQuery};

pub(super) use chats::{activity, context, create, create_event, list, rename, show};
pub(super) use contacts::{add_contact, contact_requests, contacts, remove_contact, respond_contact};
pub(super) use messages::{failed, messages, next, processed, processing, send};
pub(super) use participants::{add, participants, remove};

use super::answer;
use super::body::Json;
use super::caller::Caller;
use super::context::Context;
use super::problem::Problem;
use super::query::Query;

type Answered = Result<Response, Problem>;

pub(super) async fn me(State(ctx): State<Context>, Caller(who): Caller, _: Query<NoQuery>) -> Answered {
    Ok(answer::ok(ctx.app.agent_me(who).await?))
}

pub(super) async fn peers(
    State(ctx): State<Context>,
    Caller(who): Caller,
    Query(query): Query<AgentPeersQuery>,
) -> Answered {
    Ok(answer::whole(&ctx.app.agent_peers(who, query).await?))
}

pub(super) async fn delegation(
    State(ctx): State<Context>,
    Caller(who): Caller,
    _: Query<NoQuery>,
    Json(body): Json<ExchangeDelegation>,
) -> Answered {
    ctx.app.exchange_delegation(who, body).await?;
    Err(Problem::internal())
}
