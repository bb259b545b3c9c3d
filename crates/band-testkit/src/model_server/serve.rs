//! The endpoint itself.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State as Extract;
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, StreamExt};
use serde_json::Value;

use super::Shared;
use super::check::Refused;
use super::dialect::Asked;
use super::recording::{Exchange, difference};
use super::state::{SeenRequest, State};
use super::step::{Kind, ModelStep};

/// What names whoever asks.
const KEY_HEADERS: [&str; 3] = ["authorization", "x-api-key", "x-goog-api-key"];

/// Where and how the answer goes.
struct Reply {
    status: u16,
    content_type: String,
    retry_after: Option<String>,
    /// Events, or the one body.
    parts: Vec<String>,
    step: Option<ModelStep>,
}

pub(super) fn router(shared: Arc<Shared>) -> Router {
    Router::new().fallback(handle).with_state(shared)
}

async fn handle(
    Extract(shared): Extract<Arc<Shared>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Infallible> {
    let Some(asked) = Asked::of(uri.path()) else {
        return Ok((StatusCode::NOT_FOUND, "no model is served here").into_response());
    };
    let reply = answer(&mut shared.lock(), &asked, &uri, &headers, &body);
    shared.count();
    Ok(match reply {
        Some(reply) => reply.send(),
        None => std::future::pending().await,
    })
}

/// The reply; none when the model says nothing at all.
fn answer(state: &mut State, asked: &Asked, uri: &Uri, headers: &HeaderMap, body: &[u8]) -> Option<Reply> {
    let request: Value = serde_json::from_slice(body).unwrap_or_default();
    let (key_header, key) = key_of(headers).unzip();
    let checked = checked(state, asked, headers, &request, key.as_deref());
    let (reply, refused) = match checked {
        Err(refused) => (Some(Reply::refusal(asked, &refused, None)), Some(refused.message)),
        Ok(()) if state.replay.is_some() => {
            let replayed = replay(state, uri.path(), &request);
            match replayed {
                Ok(exchange) => (Some(Reply::of(exchange)), None),
                Err(refused) => (Some(Reply::refusal(asked, &refused, None)), Some(refused.message)),
            }
        }
        Ok(()) => (scripted(state, asked, &request), None),
    };
    state.seen.push(SeenRequest {
        dialect: asked.dialect,
        path: uri.path_and_query().map(ToString::to_string).unwrap_or_default(),
        body: request.clone(),
        key,
        key_header,
        headers: others(headers),
        status: reply.as_ref().map_or(0, |reply| reply.status),
        refused,
    });
    if let Some(reply) = &reply {
        state.recording.exchanges.push(Exchange {
            path: uri.path().to_owned(),
            request,
            status: reply.status,
            content_type: reply.content_type.clone(),
            body: reply.parts.concat(),
        });
    }
    reply
}

/// Who asks, and whether the provider would take it.
fn checked(
    state: &State,
    asked: &Asked,
    headers: &HeaderMap,
    request: &Value,
    key: Option<&str>,
) -> Result<(), Refused> {
    if state.key.is_some() && state.key.as_deref() != key {
        return Err(asked.unauthorized());
    }
    if request.is_null() {
        return Err(asked.unreadable());
    }
    asked.check(headers, request, &state.minted)
}

/// All headers but the key.
fn others(headers: &HeaderMap) -> BTreeMap<String, String> {
    let others = headers.iter().filter(|(name, _)| !KEY_HEADERS.contains(&name.as_str()));
    others
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect()
}

/// The header with the key, and the key.
fn key_of(headers: &HeaderMap) -> Option<(&'static str, String)> {
    let value = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let (name, value) = KEY_HEADERS.into_iter().find_map(|name| Some((name, value(name)?)))?;
    Some((name, value.strip_prefix("Bearer ").unwrap_or(value).to_owned()))
}

fn replay(state: &mut State, path: &str, request: &Value) -> Result<Exchange, Refused> {
    let wrong = |message: String| Refused { status: 400, kind: "replay".into(), code: None, message };
    let number = state.seen.len() + 1;
    let next = state.replay.as_mut().and_then(std::collections::VecDeque::pop_front);
    let Some(exchange) = next else { return Err(wrong(format!("request {number}: the recording is over"))) };
    if exchange.path != path {
        return Err(wrong(format!("request {number}: recorded {}, asked {path}", exchange.path)));
    }
    match difference(&exchange.request, request) {
        None => Ok(exchange),
        Some(difference) => Err(wrong(format!("request {number}: {difference}"))),
    }
}

fn scripted(state: &mut State, asked: &Asked, request: &Value) -> Option<Reply> {
    let Some(step) = state.next_step(request) else {
        let message = "the script of this model is over".to_owned();
        let over = Refused { status: 400, kind: "script".into(), code: None, message };
        return Some(Reply::refusal(asked, &over, None));
    };
    match &step.kind {
        Kind::Stall => None,
        Kind::Overflow => Some(Reply::refusal(asked, &asked.overflow(), None)),
        Kind::Refuse { status, kind, message, retry_after } => {
            let (kind, message) = (kind.clone(), message.clone());
            let refused = Refused { status: *status, code: Some(kind.clone()), kind, message };
            Some(Reply::refusal(asked, &refused, retry_after.clone()))
        }
        Kind::Raw { status, content_type, body } => Some(Reply {
            status: *status,
            content_type: content_type.clone(),
            retry_after: None,
            parts: vec![body.clone()],
            step: Some(step),
        }),
        Kind::Answer => {
            let (content_type, parts) = if asked.streams(request) {
                let events = asked.events(request, &step.answer, &mut state.minted);
                ("text/event-stream", events.iter().map(super::dialect::Event::to_text).collect())
            } else {
                let whole = asked.whole(&asked.model(request), &step.answer, &mut state.minted);
                ("application/json", vec![whole.to_string()])
            };
            Some(Reply {
                status: 200,
                content_type: content_type.into(),
                retry_after: None,
                parts,
                step: Some(step),
            })
        }
    }
}

impl Reply {
    fn refusal(asked: &Asked, refused: &Refused, retry_after: Option<String>) -> Self {
        Self {
            status: refused.status,
            content_type: "application/json".into(),
            retry_after,
            parts: vec![asked.refusal(refused).to_string()],
            step: None,
        }
    }

    fn of(exchange: Exchange) -> Self {
        Self {
            status: exchange.status,
            content_type: exchange.content_type,
            retry_after: None,
            parts: vec![exchange.body],
            step: None,
        }
    }

    fn send(self) -> Response {
        let mut builder = Response::builder().status(self.status).header("content-type", self.content_type);
        if let Some(wait) = &self.retry_after {
            builder = builder.header("retry-after", wait);
        }
        let body = body(self.parts, self.step.as_ref());
        builder.body(body).unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
    }
}

/// The parts as they are to arrive: whole, in pieces, broken off, or with nothing more after some.
fn body(mut parts: Vec<String>, step: Option<&ModelStep>) -> Body {
    let Some(step) = step else { return Body::from(parts.concat()) };
    let mut pieces: Vec<Vec<u8>> = Vec::new();
    let is_whole = parts.len() == 1;
    if let (Some(count), false) = (step.cut_after.or(step.stall_after), is_whole) {
        parts.truncate(count);
    }
    for part in parts {
        let mut bytes = part.into_bytes();
        if let (Some(count), true) = (step.cut_after, is_whole) {
            bytes.truncate(count);
        }
        pieces.extend(bytes.chunks(step.pieces_of.unwrap_or(usize::MAX).max(1)).map(<[u8]>::to_vec));
    }
    let sent = stream::iter(pieces.into_iter().map(Ok::<_, io::Error>));
    if step.cut_after.is_some() {
        let broken = io::Error::new(io::ErrorKind::ConnectionReset, "cut by the script");
        // A breath, so that what was sent is not lost with the connection.
        return Body::from_stream(sent.then(breathe).chain(stream::iter([Err(broken)])));
    }
    if step.stall_after.is_some() {
        return Body::from_stream(sent.chain(stream::pending()));
    }
    Body::from_stream(sent.then(breathe))
}

async fn breathe<T>(item: T) -> T {
    tokio::task::yield_now().await;
    item
}
