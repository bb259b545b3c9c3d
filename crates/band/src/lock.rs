//! One process per agent and host: a lock file in the folder for temporary files, which other Band SDKs on this
//! host respect too, and one in the state folder, which is found when the temporary folders differ.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use band_wire::AgentId;
use uuid::Uuid;

use crate::config::{Env, lock_dir};
use crate::error::{Error, Result};

/// The agents of this process. A second holder is refused here, before the file is opened.
static HELD: Mutex<BTreeSet<AgentId>> = Mutex::new(BTreeSet::new());

/// The right to run an agent on this host. Freed when dropped, and by the system when the process ends.
#[derive(Debug)]
pub(crate) struct InstanceLock {
    agent: AgentId,
    // Held for the locks on them. Never written, never deleted: a leftover file is harmless.
    files: Vec<File>,
}

impl InstanceLock {
    /// Takes the locks, without waiting. Where the agents' state has no place that can be written, the first one
    /// has to do.
    pub(crate) fn acquire(agent: AgentId, env: &Env) -> Result<Self> {
        Self::acquire_in(agent, &temp_dir(env), lock_dir(env, agent))
    }

    fn acquire_in(agent: AgentId, temporary: &Path, state: Result<PathBuf>) -> Result<Self> {
        let name = format!("band-agent-{agent}.lock");
        let path = temporary.join(&name);
        if !held().insert(agent) {
            return Err(already_running(agent, &path));
        }
        // From here on it is let go of when it is dropped.
        let mut lock = Self { agent, files: Vec::new() };
        lock.files.push(lock_file(agent, &path)?);
        match state.and_then(|folder| lock_file(agent, &folder.join(&name))) {
            Ok(file) => lock.files.push(file),
            Err(err @ Error::AlreadyRunning(_)) => return Err(err),
            Err(err) => tracing::warn!(target: "band.agent", %err,
                "a second process of this agent is only noticed when it has the same folder for temporary files"),
        }
        Ok(lock)
    }
}

impl Drop for InstanceLock {
    fn drop(&mut self) {
        held().remove(&self.agent);
    }
}

fn held() -> MutexGuard<'static, BTreeSet<AgentId>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

fn lock_file(agent: AgentId, path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o644);
    let file = options.open(path).map_err(|err| {
        Error::Config(format!(
            "Cannot open the single-instance lock file {} for agent {agent}: {err}. Fix the file's permissions, or \
             set AgentConfig::single_instance(false) to bypass the guard.",
            path.display()
        ))
    })?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(already_running(agent, path)),
        Err(TryLockError::Error(err)) if err.kind() == ErrorKind::PermissionDenied => {
            Err(already_running(agent, path))
        }
        Err(TryLockError::Error(err)) => Err(Error::Config(format!(
            "Cannot take the single-instance lock at {} for agent {agent}: {err}. Locking may be unsupported on \
             this filesystem — set AgentConfig::single_instance(false) to bypass the guard.",
            path.display()
        ))),
    }
}

fn already_running(agent: AgentId, path: &Path) -> Error {
    Error::AlreadyRunning(format!(
        "Agent {agent} is already running on this host (lock: {}). Two instances of one agent steal each other's \
         room messages and split conversations — stop the other process first, or set \
         AgentConfig::single_instance(false) to bypass the guard.",
        path.display()
    ))
}

/// The folder for temporary files, found as Python's `tempfile` finds it, so that agents written in either
/// language meet at the same file: the first of these that can be written to.
fn temp_dir(env: &Env) -> PathBuf {
    let named = ["TMPDIR", "TEMP", "TMP"].into_iter().filter_map(|name| env.get(name)).map(PathBuf::from);
    let usual = ["/tmp", "/var/tmp", "/usr/tmp"].into_iter().map(PathBuf::from);
    let here = std::env::current_dir().ok();
    named
        .chain(usual)
        .chain(here)
        .map(|dir| std::path::absolute(&dir).unwrap_or(dir))
        .find(|dir| is_writable(dir))
        .unwrap_or_else(std::env::temp_dir)
}

fn is_writable(dir: &Path) -> bool {
    let probe = dir.join(format!("band-{}", Uuid::new_v4().simple()));
    let created = OpenOptions::new().write(true).create_new(true).open(&probe);
    created.is_ok() && std::fs::remove_file(&probe).is_ok()
}

#[cfg(test)]
mod tests {
    use band_wire::Id;

    use super::*;

    fn agent() -> AgentId {
        Id::new(Uuid::new_v4())
    }

    fn nowhere() -> Result<PathBuf> {
        Err(Error::Config("no place for state".to_owned()))
    }

    #[test]
    fn a_second_holder_is_refused_until_the_first_lets_go() {
        let dir = tempfile::tempdir().unwrap();
        let agent = agent();
        let first = InstanceLock::acquire_in(agent, dir.path(), nowhere()).unwrap();
        let path = dir.path().join(format!("band-agent-{agent}.lock"));
        let refused = InstanceLock::acquire_in(agent, dir.path(), nowhere()).unwrap_err();
        assert!(matches!(refused, Error::AlreadyRunning(_)));
        assert_eq!(
            refused.to_string(),
            format!(
                "Agent {agent} is already running on this host (lock: {}). Two instances of one agent steal each \
                 other's room messages and split conversations — stop the other process first, or set \
                 AgentConfig::single_instance(false) to bypass the guard.",
                path.display()
            )
        );
        drop(first);
        assert!(path.exists(), "the file stays");
        InstanceLock::acquire_in(agent, dir.path(), nowhere()).unwrap();
    }

    #[test]
    fn another_process_is_told_by_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let agent = agent();
        let other = lock_file(agent, &dir.path().join(format!("band-agent-{agent}.lock"))).unwrap();
        assert!(matches!(
            InstanceLock::acquire_in(agent, dir.path(), nowhere()),
            Err(Error::AlreadyRunning(_))
        ));
        drop(other);
        InstanceLock::acquire_in(agent, dir.path(), nowhere()).unwrap();
    }

    #[test]
    fn another_process_with_another_temporary_folder_is_told_by_the_file_in_the_state_folder() {
        let (mine, other, state) =
            (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let agent = agent();
        let file = format!("band-agent-{agent}.lock");
        let there = lock_file(agent, &state.path().join(&file)).unwrap();
        let refused = InstanceLock::acquire_in(agent, mine.path(), Ok(state.path().to_owned())).unwrap_err();
        assert!(refused.to_string().contains(&state.path().display().to_string()), "{refused}");
        // What was taken before is given back.
        drop(there);
        let first = InstanceLock::acquire_in(agent, mine.path(), Ok(state.path().to_owned())).unwrap();
        assert!(matches!(lock_file(agent, &state.path().join(&file)), Err(Error::AlreadyRunning(_))));
        drop(first);
        InstanceLock::acquire_in(agent, other.path(), Ok(state.path().to_owned())).unwrap();
    }

    #[test]
    fn without_a_place_for_state_the_lock_in_the_temporary_folder_has_to_do() {
        let dir = tempfile::tempdir().unwrap();
        let env: Env = [("TMPDIR", dir.path().to_str().unwrap())].into_iter().collect();
        InstanceLock::acquire(agent(), &env).unwrap();
    }

    #[test]
    fn a_state_folder_that_can_not_be_written_costs_its_lock_and_not_the_start() {
        let (dir, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let agent = agent();
        // A folder where the file should be fails for the system's administrator too, as a read-only disk does.
        std::fs::create_dir(state.path().join(format!("band-agent-{agent}.lock"))).unwrap();
        let lock = InstanceLock::acquire_in(agent, dir.path(), Ok(state.path().to_owned())).unwrap();
        assert_eq!(lock.files.len(), 1);
    }

    #[test]
    fn a_folder_that_is_not_there_is_a_configuration_error() {
        let err = InstanceLock::acquire_in(agent(), Path::new("/nowhere"), nowhere()).unwrap_err();
        assert!(matches!(err, Error::Config(_)));
        assert!(
            err.to_string().starts_with("Cannot open the single-instance lock file /nowhere/band-agent-")
        );
    }

    #[test]
    fn the_first_folder_that_can_be_written_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().to_str().unwrap();
        let env: Env = [("TMPDIR", "/nowhere"), ("TEMP", at), ("TMP", "/")].into_iter().collect();
        assert_eq!(temp_dir(&env), dir.path());
        assert_eq!(temp_dir(&Env::default()), Path::new("/tmp"));
    }
}
