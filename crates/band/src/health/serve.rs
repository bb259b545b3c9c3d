//! The server's loop, and its three answers.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use band_wire::AgentId;
use http::{Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};

use super::Health;
use crate::metrics::{self, Metrics};

/// Connections served at a time. One more takes the place of the oldest: whoever asks is answered at once, and an old
/// one that is still there is one that does not go on.
const CONNECTIONS: usize = 64;
/// How long the head of a request may take.
const HEAD_LIMIT: Duration = Duration::from_secs(2);
/// How long one may take in all.
const LIMIT: Duration = Duration::from_secs(10);
/// How long to wait when the system has no descriptor left for a connection.
const PAUSE: Duration = Duration::from_secs(1);

type Agents = Arc<Vec<(AgentId, Metrics)>>;

pub(super) async fn run(listener: TcpListener, agents: Vec<(AgentId, Metrics)>) {
    let agents = Arc::new(agents);
    let mut open = JoinSet::new();
    let mut order: VecDeque<AbortHandle> = VecDeque::new();
    loop {
        tokio::select! {
            biased;
            Some(_) = open.join_next(), if !open.is_empty() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    order.retain(|connection| !connection.is_finished());
                    if order.len() >= CONNECTIONS && let Some(oldest) = order.pop_front() {
                        oldest.abort();
                    }
                    order.push_back(open.spawn(serve(stream, Arc::clone(&agents))));
                }
                Err(err) => {
                    tracing::debug!(target: "band.health", %err, "a connection could not be accepted");
                    sleep(PAUSE).await;
                }
            }
        }
    }
}

async fn serve(stream: TcpStream, agents: Agents) {
    let service = service_fn(|request: Request<Incoming>| {
        let answer = answer(request.method(), request.uri().path(), &agents);
        async move { Ok::<_, Infallible>(answer) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_LIMIT)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    // Who looks has gone, or is too slow: nothing to be done.
    let _ = timeout(LIMIT, connection).await;
}

fn answer(method: &Method, path: &str, agents: &[(AgentId, Metrics)]) -> Response<String> {
    if !matches!(*method, Method::GET | Method::HEAD) {
        return respond(StatusCode::METHOD_NOT_ALLOWED, "text/plain", "GET only\n".to_owned());
    }
    match path {
        "/healthz" => respond(StatusCode::OK, "application/json", json!({ "status": "alive" }).to_string()),
        "/readyz" => readiness(agents),
        "/metrics" => {
            let names: Vec<String> = agents.iter().map(|(id, _)| id.to_string()).collect();
            let named = names.iter().map(String::as_str).zip(agents.iter().map(|(_, metrics)| metrics));
            respond(StatusCode::OK, metrics::CONTENT_TYPE, metrics::render(named))
        }
        _ => respond(StatusCode::NOT_FOUND, "text/plain", "/healthz, /readyz or /metrics\n".to_owned()),
    }
}

fn readiness(agents: &[(AgentId, Metrics)]) -> Response<String> {
    let agents: Vec<Health> = agents.iter().map(|(id, metrics)| Health::of(*id, metrics)).collect();
    let is_ready = agents.iter().all(|agent| agent.ready);
    let (status, word) =
        if is_ready { (StatusCode::OK, "ready") } else { (StatusCode::SERVICE_UNAVAILABLE, "not ready") };
    respond(status, "application/json", json!({ "status": word, "agents": agents }).to_string())
}

fn respond(status: StatusCode, kind: &'static str, text: String) -> Response<String> {
    let mut response = Response::new(text);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-store"));
    response
}
