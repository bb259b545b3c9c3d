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
        tracing::warn!(target: "band.agent", %err, ?wait, "the platform did not say who the agent is; asking again");
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
