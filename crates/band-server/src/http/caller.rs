//! Who calls, and whether that kind of caller may.

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use band_core::platform::Principal;
use http::request::Parts;
use http::{HeaderMap, HeaderName, header};

use super::context::Context;
use super::problem::Problem;
use super::single;
use crate::server::Peer;
use crate::session;

const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// The kinds of callers. Every route is for one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nobody is asked who they are.
    Anyone,
    /// An agent, by its key.
    Agent,
    /// A person, by their key or by the session cookie.
    Human,
    /// A command on the platform's own machine, by the token of the run.
    Admin,
}

/// The authenticated caller of a route for agents or people.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caller(pub(crate) Principal);

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parts.extensions.get::<Self>().copied().ok_or_else(Problem::internal)
    }
}

/// Lets the right kind of caller through.
pub(super) async fn authenticate(
    State((context, kind)): State<(Context, Kind)>,
    request: Request,
    next: Next,
) -> Response {
    let (mut parts, body) = request.into_parts();
    if let Err(problem) = single::check(&parts.headers) {
        return problem.into_response();
    }
    let admitted = match kind {
        Kind::Anyone => Ok(()),
        Kind::Admin => admit_admin(&context, &parts),
        Kind::Agent | Kind::Human => admit(&context, kind, &mut parts).await,
    };
    match admitted {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(problem) => problem.into_response(),
    }
}

async fn admit(context: &Context, kind: Kind, parts: &mut Parts) -> Result<(), Problem> {
    let (principal, by_cookie) = identify(context, &parts.headers).await?;
    match (kind, principal) {
        (Kind::Agent, Principal::User(_)) => return Err(Problem::forbidden("Agent authentication required")),
        (Kind::Human, Principal::Agent { .. }) => {
            return Err(Problem::forbidden("User authentication required"));
        }
        _ => {}
    }
    if by_cookie && !parts.method.is_safe() && !session::is_same_origin(&parts.headers) {
        return Err(Problem::forbidden("A request with the session cookie must come from the page itself"));
    }
    parts.extensions.insert(Caller(principal));
    Ok(())
}

/// A key wins over the cookie, also when it is wrong.
async fn identify(context: &Context, headers: &HeaderMap) -> Result<(Principal, bool), Problem> {
    let invalid = || Problem::unauthorized("Invalid API key");
    if let Some(key) = headers.get(X_API_KEY) {
        let key = key.to_str().map_err(|_| invalid())?;
        let principal = context.app.authenticate(key).await?.ok_or_else(invalid)?;
        return Ok((principal, false));
    }
    if headers.contains_key(header::AUTHORIZATION) {
        return Err(Problem::unauthorized(
            "This platform takes keys in the header X-API-Key, no bearer tokens",
        ));
    }
    if let Some(secret) = session::of(headers) {
        let user = context.app.session(&secret).await?;
        let user = user.ok_or_else(|| Problem::unauthorized("The session has ended, sign in again"))?;
        return Ok((Principal::User(user), true));
    }
    Err(Problem::unauthorized("Send an API key in the header X-API-Key"))
}

/// Not even its existence is told to other machines.
fn admit_admin(context: &Context, parts: &Parts) -> Result<(), Problem> {
    let peer = parts.extensions.get::<Peer>().ok_or_else(Problem::not_found)?;
    if !peer.0.ip().to_canonical().is_loopback() {
        return Err(Problem::not_found());
    }
    let given = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    match given.and_then(|text| text.strip_prefix("Bearer ")) {
        Some(token) if context.admin.is(token) => Ok(()),
        _ => Err(Problem::unauthorized("Send the admin token of server.json as a bearer token")),
    }
}
