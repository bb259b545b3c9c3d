//! A person's agents.

use axum::extract::State;
use band_wire::id::Agent;
use band_wire::rest::RegisterAgent;
use band_wire::rest::query::{DeleteAgentQuery, MyAgentsQuery, NoQuery};

use super::Answered;
use crate::http::answer;
use crate::http::body::Json;
use crate::http::caller::Caller;
use crate::http::context::Context;
use crate::http::idempotency::IdempotencyKey;
use crate::http::path::One;
use crate::http::query::Query;

pub(crate) async fn agents(
    State(ctx): State<Context>,
    Caller(who): Caller,
    Query(query): Query<MyAgentsQuery>,
) -> Answered {
    let offset = query.paging.is_offset();
    Ok(answer::deprecated(offset, answer::whole(&ctx.app.my_agents(who, query).await?)))
}

pub(crate) async fn register_agent(
    State(ctx): State<Context>,
    Caller(who): Caller,
    IdempotencyKey(key): IdempotencyKey,
    _: Query<NoQuery>,
    Json(body): Json<RegisterAgent>,
) -> Answered {
    Ok(answer::created(ctx.app.register_agent(who, body, key).await?))
}

pub(crate) async fn delete_agent(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(agent): One<Agent>,
    Query(query): Query<DeleteAgentQuery>,
) -> Answered {
    Ok(answer::ok(ctx.app.delete_agent(who, agent, query).await?))
}
