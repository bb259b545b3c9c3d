//! The Human API.

mod agents;
mod chats;
pub(super) mod contacts;
pub(super) mod control;
pub(super) mod deletions;
pub(super) mod memories;

use axum::extract::State;
use axum::response::Response;
use band_wire::rest::UpdateProfile;
use band_wire::rest::query::{MyPeersQuery, NoQuery};

pub(super) use agents::{agents, delete_agent, register_agent};
pub(super) use chats::{
    add_participant, archive, chat, chats, create_chat, delete_chat, messages, participants,
    remove_participant, rename, send, unarchive,
};

use super::answer;
use super::body::Json;
use super::caller::Caller;
use super::context::Context;
use super::problem::Problem;
use super::query::Query;

type Answered = Result<Response, Problem>;

pub(super) async fn profile(State(ctx): State<Context>, Caller(who): Caller, _: Query<NoQuery>) -> Answered {
    Ok(answer::ok(ctx.app.profile(who).await?))
}

pub(super) async fn update_profile(
    State(ctx): State<Context>,
    Caller(who): Caller,
    _: Query<NoQuery>,
    Json(body): Json<UpdateProfile>,
) -> Answered {
    Ok(answer::ok(ctx.app.update_profile(who, body).await?))
}

pub(super) async fn peers(
    State(ctx): State<Context>,
    Caller(who): Caller,
    Query(query): Query<MyPeersQuery>,
) -> Answered {
    Ok(answer::whole(&ctx.app.my_peers(who, query).await?))
}
