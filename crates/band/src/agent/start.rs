//! The start: lock, identity, adapter, connection, in this order; undone in the opposite one.

use std::sync::Arc;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::place::Place;
use super::running::{Connected, Running};
use super::{Agent, Setup, metadata};
use crate::adapter::{AdapterError, EffectiveFeatures, FrameworkAdapter, Identity, PlatformConnection};
use crate::error::{Error, Result};
use crate::journal::Journal;
use crate::link::{LinkConfig, StopReason};
use crate::rest::{RestClient, RestConfig};
use crate::runtime::{Parts, Runtime};
use crate::sim::Chance;

impl Agent {
    /// Starts: takes the single-instance lock, asks the platform who the agent is, starts the adapter,
    /// connects, and joins the agent's rooms. Gives the running agent once all of that is done. What was
    /// said while the agent was away is handled in the background.
    ///
    /// # Errors
    /// Another process runs the agent; the key is wrong; the platform refuses or can't be reached for a
    /// minute; the agent has no description; the adapter refuses. Everything is undone, and the agent can
    /// be started again.
    pub async fn start(&self) -> Result<Running> {
        self.start_until(&CancellationToken::new()).await
    }

    /// The same; gives up when `stop` is cancelled.
    pub(super) async fn start_until(&self, stop: &CancellationToken) -> Result<Running> {
        let setup = &self.setup;
        if let Some(warning) = &setup.endpoints.warning {
            tracing::warn!(target: "band.agent", "{warning}");
        }
        let agent = setup.credentials.agent_id;
        let place = Place::take(setup)?;
        let chance = Chance::new(setup.seams.seed);
        let rest = RestClient::new(rest_config(setup, &chance))?;
        let me = or_stop(stop, metadata::fetch(&rest, agent, chance.seed())).await?;
        let features = setup.features.clone().served_by(me.feature_flags.as_ref());
        setup.adapter.apply_effective_features(&features);
        let features = Arc::new(features);
        let identity = Arc::new(Identity::from(me));
        let started = match or_stop(stop, start_adapter(setup, &identity, &rest)).await {
            Ok(()) => or_stop(stop, connect(setup, rest, &identity, features, place.journal(), chance)).await,
            Err(err) => Err(err),
        };
        match started {
            Ok(connected) => {
                tracing::info!(
                    target: "band.agent",
                    "Agent started: {} (band-sdk {})", identity.name, env!("CARGO_PKG_VERSION"),
                );
                Ok(Running::new(
                    identity,
                    Arc::clone(&setup.adapter),
                    place,
                    self.effective_config(),
                    setup.metrics.clone(),
                    connected,
                ))
            }
            Err(err) => {
                if let Err(failure) = setup.adapter.cleanup_all().await {
                    tracing::warn!(target: "band.agent", err = %failure, "the adapter could not be cleaned up");
                }
                Err(err)
            }
        }
    }
}

fn rest_config(setup: &Setup, chance: &Chance) -> RestConfig {
    let mut config = RestConfig::new(&setup.endpoints.rest_url, setup.credentials.api_key.clone());
    config.transport.clone_from(&setup.seams.transport);
    if let Some(gates) = &setup.seams.gates {
        config.gates = gates.clone();
    }
    config.seed = Some(chance.seed());
    config
}

async fn start_adapter(setup: &Setup, identity: &Identity, rest: &RestClient) -> Result<()> {
    let platform = PlatformConnection::new(
        setup.credentials.agent_id,
        setup.credentials.api_key.clone(),
        setup.endpoints.rest_url.clone(),
        setup.endpoints.ws_url.clone(),
        rest.clone(),
    );
    let refused = |err: AdapterError| Error::Adapter(err.to_string());
    setup.adapter.on_started(identity, &platform).await.map_err(refused)?;
    let chosen = setup.adapter.model_selection();
    if chosen.is_empty() {
        return Ok(());
    }
    match setup.adapter.list_models().await.map_err(refused)? {
        Some(catalog) => chosen.check(&catalog),
        None => Ok(()),
    }
}

/// Opens the socket and joins the rooms. When this is dropped, so is everything it began.
async fn connect(
    setup: &Setup,
    rest: RestClient,
    identity: &Arc<Identity>,
    features: Arc<EffectiveFeatures>,
    journal: Journal,
    chance: Chance,
) -> Result<Connected> {
    let credentials = &setup.credentials;
    let mut link =
        LinkConfig::new(&setup.endpoints.ws_url, credentials.api_key.clone(), credentials.agent_id);
    link.on_conflict = setup.config.conflict_policy;
    link.seed = Some(chance.seed());
    let (runtime, mut watched) = Runtime::start(Parts {
        rest,
        link,
        session: Arc::new(setup.session.clone()),
        identity: Arc::clone(identity),
        adapter: Arc::clone(&setup.adapter),
        metrics: setup.metrics.clone(),
        journal,
        features,
        hooks: Arc::clone(&setup.hooks),
        seams: setup.seams.clone(),
        chance,
    })?;
    let mut task = JoinSet::new();
    task.spawn(runtime.run());
    match (&mut watched.ready).await {
        Ok(Ok(_)) => Ok(Connected { task, watched }),
        Ok(Err(StopReason::Conflict(_))) => Err(Error::AlreadyRunning(format!(
            "Agent {} already has a live connection to the platform (another process or host is running it). Stop \
             that instance, or use AgentConfig(conflict_policy=ConflictPolicy.SUPERSEDE) to take over.",
            credentials.agent_id
        ))),
        Ok(Err(reason)) => Err(reason.into()),
        Err(_) => Err(Error::Ended(StopReason::Requested)),
    }
}

/// A step of the start, given up when the agent is to stop.
async fn or_stop<T>(stop: &CancellationToken, step: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::select! {
    biased;
            outcome = step => outcome,
            () = stop.cancelled() => Err(Error::Ended(StopReason::Requested)),
        }
}
