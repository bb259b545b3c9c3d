//! An agent's place on this host: its lock and its journal.

use std::path::Path;

use super::Setup;
use crate::config::agent_state_dir;
use crate::error::Result;
use crate::journal::{Journal, RealDisk};
use crate::lock::InstanceLock;

/// What an agent holds on this host while it runs. When it is dropped, another process may take its place.
#[derive(Debug)]
pub(super) struct Place {
    // Fields are dropped in this order: whoever gets the lock finds the journal free.
    journal: OpenJournal,
    _lock: Option<InstanceLock>,
}

#[derive(Debug)]
struct OpenJournal(Journal);

impl Place {
    /// # Errors
    /// Another process runs the agent. A journal that can't be used is no error.
    pub(super) fn take(setup: &Setup) -> Result<Self> {
        let agent = setup.credentials.agent_id;
        // A disk of its own is a machine of its own.
        let lock = match setup.config.single_instance && setup.seams.disk.is_none() {
            true => Some(InstanceLock::acquire(agent, &setup.env)?),
            false => None,
        };
        Ok(Self { journal: OpenJournal(journal(setup)), _lock: lock })
    }

    pub(super) fn journal(&self) -> Journal {
        self.journal.0.clone()
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
