//! Stop, play and interrupt, and the executions that they are about.

use axum::extract::State;
use band_wire::id::Agent;
use band_wire::rest::query::NoQuery;

use super::Answered;
use crate::http::answer;
use crate::http::caller::Caller;
use crate::http::context::Context;
use crate::http::path::One;
use crate::http::query::Query;

pub(crate) async fn executions(
    State(ctx): State<Context>,
    Caller(who): Caller,
    One(agent): One<Agent>,
    _: Query<NoQuery>,
) -> Answered {
    Ok(answer::ok(ctx.app.executions(who, agent).await?))
}

/// For each mode three handlers: all agents of a room, one of them, an agent in all its rooms.
macro_rules! modes {
    ($($name:ident => $mode:ident,)+) => {$(
        pub(crate) mod $name {
            use axum::extract::State;
            use band_wire::event::ControlMode;
            use band_wire::id::{Agent, Chat, Execution};
            use band_wire::rest::query::NoQuery;

            use crate::http::answer;
            use crate::http::body::{Json, Nothing};
            use crate::http::caller::Caller;
            use crate::http::context::Context;
            use crate::http::human::Answered;
            use crate::http::path::{One, Two};
            use crate::http::query::Query;

            pub(crate) async fn room(
                State(ctx): State<Context>,
                Caller(who): Caller,
                One(chat): One<Chat>,
                _: Query<NoQuery>,
                _: Json<Nothing>,
            ) -> Answered {
                Ok(answer::ok(ctx.app.control_room(who, chat, None, ControlMode::$mode).await?))
            }

            pub(crate) async fn agent(
                State(ctx): State<Context>,
                Caller(who): Caller,
                Two(chat, agent): Two<Chat, Agent>,
                _: Query<NoQuery>,
                _: Json<Nothing>,
            ) -> Answered {
                Ok(answer::ok(ctx.app.control_room(who, chat, Some(agent), ControlMode::$mode).await?))
            }

            pub(crate) async fn everywhere(
                State(ctx): State<Context>,
                Caller(who): Caller,
                Two(agent, execution): Two<Agent, Execution>,
                _: Query<NoQuery>,
                _: Json<Nothing>,
            ) -> Answered {
                let execution = execution.uuid();
                Ok(answer::ok(ctx.app.control_agent(who, agent, execution, ControlMode::$mode).await?))
            }
        }
    )+};
}

modes! {
    stop => Stop,
    play => Play,
    interrupt => Interrupt,
}
