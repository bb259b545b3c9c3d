//! Asking who the agent is.

use band_core::Moment;
use band_core::agent::{Setback, StartPatience};
use band_wire::AgentId;
use band_wire::rest::AgentMe;
use tokio::time::{Instant, sleep};

use crate::error::{Error, Result};
use crate::rest::RestClient;

/// Fetches name, description and flags, with the patience of a start.
pub(super) async fn fetch(rest: &RestClient, agent: AgentId, seed: u64) -> Result<AgentMe> {
    let origin = Instant::now();
    let mut patience = StartPatience::new(seed);
    let me = loop {
        let err = match rest.me().await {
            Ok(me) => break me,
            Err(err) => err,
        };
        let now = Moment::at(origin.elapsed());
        let Some(wait) = patience.after(now, setback(&err)) else { return Err(err) };
        let at = rest.address();
        tracing::warn!(
            target: "band.agent", %err, ?wait, "the platform at {at} did not say who the agent is; asking again",
        );
        sleep(wait).await;
    };
    if me.id != agent {
        return Err(Error::Config(format!("the key belongs to agent {}, not to agent {agent}", me.id)));
    }
    if me.description.as_ref().is_none_or(|description| description.trim().is_empty()) {
        return Err(Error::Config(format!("Agent {agent} has no description")));
    }
    Ok(me)
}

fn setback(err: &Error) -> Setback {
    match (err, err.api()) {
        (Error::Connection(_), _) => Setback::Unreachable(None),
        (_, Some(api)) if api.status_code == 429 => Setback::RateLimited(api.retry_after),
        (_, Some(api)) if api.status_code >= 500 || api.status_code == 408 => {
            Setback::Unreachable(api.retry_after)
        }
        _ => Setback::Refused,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use band_wire::Id;
    use bytes::Bytes;
    use http::{Request, Response};
    use serde_json::json;
    use tokio::task::JoinSet;
    use uuid::Uuid;

    use super::*;
    use crate::rest::{Carried, Gates, RestConfig, Transport};

    /// A platform that answers so many calls in any second, and refuses the others.
    #[derive(Debug)]
    struct Busy {
        most: usize,
        says_when: bool,
        answered: Mutex<VecDeque<Instant>>,
        calls: Mutex<Vec<Instant>>,
    }

    impl Busy {
        fn answer(&self, request: &Request<Bytes>) -> Response<Bytes> {
            let now = Instant::now();
            self.calls.lock().unwrap().push(now);
            let mut answered = self.answered.lock().unwrap();
            while answered.front().is_some_and(|at| now.duration_since(*at) >= Duration::from_secs(1)) {
                answered.pop_front();
            }
            if answered.len() >= self.most {
                let refusal = Response::builder().status(429);
                let refusal = if self.says_when { refusal.header("Retry-After", "1") } else { refusal };
                return refusal.body(Bytes::new()).unwrap();
            }
            answered.push_back(now);
            let body = match request.uri().path() {
                "/api/v1/agent/me" => {
                    let id = request.headers()["x-api-key"].to_str().unwrap();
                    json!({"data": {"id": id, "handle": "a", "name": "A", "description": "Helps.", "owner_uuid": Uuid::nil(),
                        "inserted_at": "2026-07-01T10:00:00Z", "updated_at": "2026-07-01T10:00:00Z"}})
                }
                _ => json!({"data": [], "metadata": {"page": 1, "page_size": 100, "total_count": 0,
                    "total_pages": 0}}),
            };
            Response::new(body.to_string().into())
        }
    }

    impl Transport for Busy {
        fn carry(&self, request: Request<Bytes>) -> Carried<'_> {
            Box::pin(async move {
                sleep(Duration::from_millis(20)).await;
                let answer = self.answer(&request);
                sleep(Duration::from_millis(20)).await;
                Ok(answer)
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_hundred_agents_start_at_once_against_twenty_calls_a_second_without_a_storm() {
        const AGENTS: usize = 100;
        for says_when in [true, false] {
            let (answered, calls) = (Mutex::default(), Mutex::default());
            let busy = Arc::new(Busy { most: 20, says_when, answered, calls });
            let gates = Gates::default();
            let mut starts = JoinSet::new();
            for n in 0..AGENTS {
                let agent: AgentId = Id::new(Uuid::from_u128(n as u128));
                let transport = Arc::clone(&busy);
                let mut config =
                    RestConfig::new("http://busy", agent.to_string().into()).transport(transport);
                config.gates = gates.clone();
                starts.spawn(async move {
                    let rest = RestClient::new(config).unwrap();
                    fetch(&rest, agent, n as u64).await.unwrap();
                    rest.all_chats().await.unwrap();
                });
            }
            let start = Instant::now();
            while let Some(started) = starts.join_next().await {
                started.unwrap();
            }
            let calls = busy.calls.lock().unwrap();
            let least = AGENTS * 2;
            assert!(calls.len() * 10 <= least * 13, "{} calls where {least} would do", calls.len());
            // No second brings many more calls than the platform can answer.
            let crowd = |from: &Instant| {
                calls
                    .iter()
                    .filter(|at| at.checked_duration_since(*from).is_some_and(|d| d.as_secs() < 1))
                    .count()
            };
            let most = calls.iter().map(crowd).max().unwrap();
            assert!(most <= 45, "{most} calls in a second");
            assert!(start.elapsed() <= Duration::from_secs(30), "{:?}", start.elapsed());
        }
    }
}
