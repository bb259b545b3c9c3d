//! The HTTP request that becomes a socket.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;
use band_core::platform::Principal;
use band_core::platform::hub::{OnConflict, Refused};
use band_wire::AgentId;
use band_wire::phx::MAX_FRAME_BYTES;
use band_wire::rest::code;
use http::{HeaderMap, StatusCode, Uri};

use super::connection;
use crate::http::{Context, Problem, Sockets, pairs};
use crate::session;

/// Enough for most frames; the library's own default of 128 KiB would be held for each socket.
const READ_BUFFER: usize = 8 * 1024;
/// Frames are written through up to this many waiting bytes.
const WRITE_BUFFER: usize = 16 * 1024;
/// A little above the limit for frames, so that a frame above the limit is answered by name.
const MAX_MESSAGE: usize = MAX_FRAME_BYTES + 64 * 1024;

/// `GET /api/v1/socket/websocket`.
pub(crate) async fn upgrade(
    State(context): State<Context>,
    uri: Uri,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Problem> {
    let upgrade = upgrade.map_err(|_| Problem::bad_request("This path takes WebSocket upgrades alone"))?;
    let params: BTreeMap<String, String> = pairs(uri.query().unwrap_or_default()).collect();
    let param = |name: &str| params.get(name).map(String::as_str).filter(|value| !value.is_empty());
    speaks_our_version(param("vsn"))?;
    let principal = identify(&context, &headers, param("api_key")).await?;
    let principal = act_as(&context, principal, param("agent_id")).await?;
    let on_conflict = read_on_conflict(param("on_conflict"))?;
    let seat = context.board.open(principal, on_conflict).map_err(|why| match why {
        Refused::Conflict => {
            Problem::new(StatusCode::CONFLICT, code::CONNECTION_CONFLICT, "Agent already connected")
        }
        Refused::Stopping => Problem::stopping(),
        Refused::Full => Problem::full(),
    })?;
    let Sockets { tasks, hard } = context.sockets;
    let serve = move |socket| {
        let serving = connection::serve(socket, seat, context.app);
        tasks.track_future(async move {
            let _ = hard.run_until_cancelled(serving).await;
        })
    };
    Ok(upgrade
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .on_upgrade(serve))
}

/// 2.0.x. Whoever names none would speak 1.0.0.
fn speaks_our_version(vsn: Option<&str>) -> Result<(), Problem> {
    match vsn {
        Some(vsn) if vsn == "2.0" || vsn.starts_with("2.0.") => Ok(()),
        _ => Err(Problem::forbidden("Unsupported serializer: ask for vsn=2.0.0 in the query")),
    }
}

/// A key in the header wins over one in the query, and both over the session cookie. The cookie is good on
/// pages of this host only.
async fn identify(
    context: &Context,
    headers: &HeaderMap,
    query_key: Option<&str>,
) -> Result<Principal, Problem> {
    let header_key = headers.get("x-api-key").map(|value| value.to_str().unwrap_or_default());
    if let Some(key) = header_key.or(query_key) {
        return context.app.authenticate(key).await?.ok_or_else(|| Problem::forbidden("Invalid API key"));
    }
    let secret =
        session::of(headers).ok_or_else(|| Problem::forbidden("Send an API key in the header X-API-Key"))?;
    if !session::is_same_origin(headers) {
        return Err(Problem::forbidden("A socket with the session cookie must come from the page itself"));
    }
    let user = context.app.session(&secret).await?;
    user.map(Principal::User).ok_or_else(|| Problem::forbidden("The session has ended, sign in again"))
}

/// An agent's key is good for that agent; a person's key for each of their agents.
async fn act_as(context: &Context, who: Principal, agent_id: Option<&str>) -> Result<Principal, Problem> {
    let Some(text) = agent_id else { return Ok(who) };
    let foreign = || Problem::forbidden("The key is not for this agent_id");
    let wanted: AgentId = text.parse().map_err(|_| foreign())?;
    let acting = match who {
        Principal::Agent { id, .. } => (id == wanted).then_some(who),
        Principal::User(owner) => {
            context.app.owns(owner, wanted).await?.then_some(Principal::Agent { id: wanted, owner })
        }
    };
    acting.ok_or_else(foreign)
}

fn read_on_conflict(text: Option<&str>) -> Result<OnConflict, Problem> {
    let Some(text) = text else { return Ok(OnConflict::default()) };
    OnConflict::parse(text).ok_or_else(|| {
        let message = "on_conflict must be supersede or reject";
        Problem::new(StatusCode::BAD_REQUEST, code::INVALID_ON_CONFLICT, message)
    })
}
