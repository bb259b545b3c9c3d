//! The start: callbacks, lock, identity, adapter, connection, in this order.

use std::sync::Arc;

use band_wire::rest::AgentMe;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::body::{Body, Connected};
use super::cleanup::caught;
use super::host::Host;
use super::place::Place;
use super::running::Lease;
use super::{Setup, metadata, registry};
use crate::adapter::{AdapterError, FrameworkAdapter, Identity, PlatformConnection};
use crate::contacts::{ContactDesk, HubRoom};
use crate::error::{Error, Result};
use crate::health::HealthServer;
use crate::host::Places;
use crate::journal::Journal;
use crate::link::{LinkConfig, StopReason};
use crate::rest::{RestClient, RestConfig};
use crate::runtime::{Parts, Runtime};
use crate::sim::Chance;
use crate::tools::Offer;

/// What is known of the agent once the platform has said it.
pub(crate) struct Known {
    pub(crate) rest: RestClient,
    pub(crate) identity: Arc<Identity>,
    pub(crate) features: Arc<Offer>,
    pub(crate) chance: Chance,
}

impl Host {
    /// Takes the steps of a start, and notes in `body` what each one brings. Given up when `stop` is
    /// cancelled; undone by whoever has the body.
    pub(super) async fn take_steps(
        self: &Arc<Self>,
        body: &mut Body,
        stop: &CancellationToken,
    ) -> Result<Arc<Lease>> {
        let setup = &self.setup;
        self.take_adapter(body)?;
        body.pending.callbacks = setup.cleanups.accept(self.id)?;
        if let Some(warning) = &setup.endpoints.warning {
            tracing::warn!(target: "band.agent", "{warning}");
        }
        if let Some(address) = setup.health {
            let agents = vec![(setup.credentials.agent_id, setup.metrics.clone())];
            body.health = Some(HealthServer::listen(address, agents).await?);
        }
        let place = or_stop(stop, Place::take(self)).await?;
        let journal = place.journal();
        body.place = Some(place);
        let known = or_stop(stop, self.ask_who_it_is()).await?;
        body.pending.adapter = true;
        or_stop(stop, self.start_adapter(&known)).await?;
        let (identity, features) = (Arc::clone(&known.identity), Arc::clone(&known.features));
        let connected = body.connected.insert(self.connect(known, journal)?);
        or_stop(stop, self.joined(connected)).await?;
        tracing::info!(
            target: "band.agent",
            "Agent started: {} (band-sdk {})", identity.name, env!("CARGO_PKG_VERSION"),
        );
        let watched = &connected.watched;
        let lease = Arc::new(Lease {
            host: Arc::clone(self),
            life: self.life(),
            identity,
            features,
            config: setup.effective_config(),
            ended: watched.ended.clone(),
            rooms: watched.rooms.clone(),
            closer: watched.closer.clone(),
            link: watched.link.clone(),
        });
        registry::note(&lease);
        Ok(lease)
    }

    async fn ask_who_it_is(&self) -> Result<Known> {
        let (rest, chance) = self.client()?;
        let me = metadata::fetch(&rest, self.setup.credentials.agent_id, chance.seed()).await?;
        Ok(self.known(rest, me, chance))
    }

    pub(super) fn client(&self) -> Result<(RestClient, Chance)> {
        let chance = Chance::new(self.setup.seams.seed);
        let rest = RestClient::new(rest_config(&self.setup, &chance))?;
        Ok((rest, chance))
    }

    pub(super) fn known(&self, rest: RestClient, me: AgentMe, chance: Chance) -> Known {
        let served = self.setup.features.clone().served_by(me.feature_flags.as_ref());
        let features = Arc::new(Offer::new(served, &self.setup.tools));
        Known { rest, identity: Arc::new(me.into()), features, chance }
    }

    pub(super) async fn start_adapter(&self, known: &Known) -> Result<()> {
        let setup = &self.setup;
        setup.cleanups.starts()?;
        let platform = PlatformConnection::new(
            setup.credentials.agent_id,
            setup.credentials.api_key.clone(),
            setup.endpoints.rest_url.clone(),
            setup.endpoints.ws_url.clone(),
            known.rest.clone(),
        );
        let refused = |err: AdapterError| Error::Adapter(err.to_string());
        setup.adapter.apply_effective_features(&known.features);
        caught(setup.adapter.on_started(&known.identity, &platform)).await.map_err(refused)?;
        let chosen = setup.adapter.model_selection();
        if chosen.is_empty() {
            return Ok(());
        }
        match caught(setup.adapter.list_models()).await.map_err(refused)? {
            Some(catalog) => chosen.check(&catalog),
            None => Ok(()),
        }
    }

    /// Opens the socket; the rooms are joined meanwhile.
    fn connect(&self, known: Known, journal: Journal) -> Result<Connected> {
        let setup = &self.setup;
        let credentials = &setup.credentials;
        let mut link =
            LinkConfig::new(&setup.endpoints.ws_url, credentials.api_key.clone(), credentials.agent_id);
        link.on_conflict = setup.config.conflict_policy;
        link.contacts = setup.contacts.options().listens();
        link.seed = Some(known.chance.seed());
        let hub = HubRoom::default();
        let told = crate::prompt::hub(known.features.tools(true).names());
        let contacts =
            ContactDesk::new(&setup.contacts, known.rest.clone(), known.chance.clone(), hub.clone(), told);
        let parts = Parts {
            rest: known.rest,
            link,
            session: Arc::new(setup.session.clone()),
            identity: known.identity,
            adapter: Arc::clone(&setup.adapter),
            metrics: setup.metrics.clone(),
            journal,
            features: known.features,
            hooks: Arc::clone(&setup.hooks),
            places: setup.may_block.then(|| Places::of(credentials.agent_id)),
            seams: setup.seams.clone(),
            chance: known.chance,
            hub,
            existing_rooms: setup.config.auto_subscribe_existing_rooms,
        };
        let (runtime, watched) = Runtime::start(parts, contacts)?;
        let mut task = JoinSet::new();
        task.spawn(runtime.run());
        Ok(Connected { task, watched })
    }

    /// Waits until the rooms are joined.
    async fn joined(&self, connected: &mut Connected) -> Result<()> {
        match (&mut connected.watched.ready).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(StopReason::Conflict(_))) => Err(Error::AlreadyRunning(format!(
                "Agent {} already has a live connection to the platform (another process or host is running it). \
                 Stop that instance, or use AgentConfig(conflict_policy=ConflictPolicy.SUPERSEDE) to take over.",
                self.setup.credentials.agent_id
            ))),
            Ok(Err(reason)) => Err(reason.into()),
            Err(_) => Err(Error::Ended(StopReason::Requested)),
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

/// A step of the start, given up when the agent is to stop.
async fn or_stop<T>(stop: &CancellationToken, step: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::select! {
        biased;
        () = stop.cancelled() => Err(Error::Ended(StopReason::Requested)),
        outcome = step => outcome,
    }
}
