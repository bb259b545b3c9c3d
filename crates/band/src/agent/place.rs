//! An agent's place on this host: its lock and its journal.

use std::path::Path;
use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;

use super::Setup;
use super::host::Host;
use crate::config::agent_state_dir;
use crate::error::{Error, Result};
use crate::journal::{Journal, RealDisk, Tending};
use crate::link::StopReason;
use crate::lock::InstanceLock;

/// What an agent holds on this host while it runs. When it is dropped, another process may take its place; that
/// waits for the disk, [`leave`](Self::leave) does so elsewhere.
#[derive(Debug)]
pub(super) struct Place {
    /// None where the disk is simulated: what it is slow with is nothing.
    tending: Option<Tending>,
    files: Files,
}

/// Fields are dropped in this order: whoever gets the lock finds the journal free, and whoever waits in this process
/// finds both.
#[derive(Debug)]
struct Files {
    journal: OpenJournal,
    _lock: Option<InstanceLock>,
    _turn: OwnedSemaphorePermit,
}

#[derive(Debug)]
struct OpenJournal(Journal);

impl Place {
    /// Takes the locks and reads the journal, on a thread for such work. When this is dropped, that thread still
    /// gives everything back, and the next start of this agent waits for it.
    ///
    /// # Errors
    /// Another process runs the agent. A journal that can't be used is no error.
    pub(super) async fn take(host: &Arc<Host>) -> Result<Self> {
        // It fails only when it is closed, which it never is.
        let turn = Arc::clone(&host.places).acquire_owned().await;
        let turn = turn.map_err(|_| Error::Ended(StopReason::Requested))?;
        // A disk of its own is a machine of its own, without threads.
        if host.setup.seams.disk.is_some() {
            return Ok(Self { tending: None, files: Files::take(&host.setup, turn)? });
        }
        let owner = Arc::clone(host);
        let files = match tokio::task::spawn_blocking(move || Files::take(&owner.setup, turn)).await {
            Ok(files) => files?,
            Err(broken) => match broken.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // The runtime shuts down.
                Err(_) => return Err(Error::Ended(StopReason::Requested)),
            },
        };
        Ok(Self { tending: Tending::start(&files.journal.0), files })
    }

    pub(super) fn journal(&self) -> Journal {
        self.files.journal.0.clone()
    }

    /// Gives all of it back; the disk is waited for elsewhere. When this is dropped, it is given back all the same.
    pub(super) async fn leave(self) {
        let Self { tending, files } = self;
        let Some(tending) = tending else { return };
        tending.end().await;
        if let Err(broken) = tokio::task::spawn_blocking(move || drop(files)).await {
            tracing::error!(target: "band.journal", %broken, "closing the journal broke");
        }
    }
}

impl Files {
    fn take(setup: &Setup, turn: OwnedSemaphorePermit) -> Result<Self> {
        let lock = match setup.config.single_instance && setup.seams.disk.is_none() {
            true => Some(InstanceLock::acquire(setup.credentials.agent_id, &setup.env)?),
            false => None,
        };
        Ok(Self { journal: OpenJournal(journal(setup)), _lock: lock, _turn: turn })
    }
}

fn journal(setup: &Setup) -> Journal {
    let agent = setup.credentials.agent_id;
    if !setup.session.enable_journal {
        return Journal::none();
    }
    if let Some(disk) = &setup.seams.disk {
        return Journal::open(Path::new(&agent.to_string()), &**disk);
    }
    match agent_state_dir(&setup.env, &setup.endpoints.rest_url, agent) {
        Ok(folder) => Journal::open(&folder, &RealDisk),
        Err(err) => {
            tracing::warn!(target: "band.journal", %err,
                "there is no journal: the agent may repeat an answer after a crash");
            Journal::none()
        }
    }
}

impl Drop for OpenJournal {
    /// Whatever still holds a part of the journal writes no more, so that the next start finds it free.
    fn drop(&mut self) {
        self.0.close();
    }
}
