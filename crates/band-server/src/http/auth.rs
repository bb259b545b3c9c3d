//! Signing in and out of the page.

use axum::extract::State;
use axum::response::Response;
use band_wire::rest::SignIn;
use band_wire::rest::query::NoQuery;
use http::{HeaderMap, header};

use super::answer;
use super::body::{Json, Nothing};
use super::context::Context;
use super::problem::Problem;
use super::query::Query;
use crate::session;

const FOREIGN: &str = "Sign in and out on the page itself";

/// Exchanges the one-time token of a link for the session cookie.
pub(super) async fn sign_in(
    State(ctx): State<Context>,
    headers: HeaderMap,
    _: Query<NoQuery>,
    Json(body): Json<SignIn>,
) -> Result<Response, Problem> {
    from_here(&headers)?;
    let session = ctx.app.exchange_sign_in(&body.token).await?.ok_or_else(|| {
        let message = "This sign-in link was used before or is too old; print a new one: band user link";
        Problem::unauthorized(message)
    })?;
    let mut response = answer::none();
    let cookie = session::set(&session.secret, session.max_age.as_secs(), session::is_secure(&headers));
    response.headers_mut().insert(header::SET_COOKIE, cookie.ok_or_else(Problem::internal)?);
    Ok(response)
}

/// Ends the session of the cookie, where there is one. The person's sockets are closed: those of other
/// sessions and keys come back by themselves.
pub(super) async fn sign_out(
    State(ctx): State<Context>,
    headers: HeaderMap,
    _: Query<NoQuery>,
    _: Json<Nothing>,
) -> Result<Response, Problem> {
    let mut response = answer::none();
    if let Some(secret) = session::of(&headers) {
        if !session::is_same_origin(&headers) {
            return Err(Problem::forbidden(FOREIGN));
        }
        let user = ctx.app.session(&secret).await?;
        ctx.app.end_session(&secret).await?;
        if let Some(user) = user {
            ctx.board.expel(user);
        }
    }
    let cookie = session::clear(session::is_secure(&headers)).ok_or_else(Problem::internal)?;
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(response)
}

/// Another site must not sign its visitors in to an account of its choosing.
fn from_here(headers: &HeaderMap) -> Result<(), Problem> {
    if headers.contains_key(header::ORIGIN) && !session::is_same_origin(headers) {
        return Err(Problem::forbidden(FOREIGN));
    }
    Ok(())
}
