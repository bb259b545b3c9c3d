//! One process per agent and host: a lock file that other Band SDKs on this host respect too.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use band_wire::AgentId;
use uuid::Uuid;

use crate::config::Env;
use crate::error::{Error, Result};

/// The agents of this process. A second holder is refused here, before the file is opened.
static HELD: Mutex<BTreeSet<AgentId>> = Mutex::new(BTreeSet::new());

/// The right to run an agent on this host. Freed when dropped, and by the system when the process ends.
#[derive(Debug)]
pub(crate) struct InstanceLock {
    agent: AgentId,
    // Held for the lock on it. Never written, never deleted: a leftover file is harmless.
    _file: File,
}

impl InstanceLock {
    /// Takes the lock, without waiting.
    pub(crate) fn acquire(agent: AgentId, env: &Env) -> Result<Self> {
        Self::acquire_in(agent, &temp_dir(env))
    }

    fn acquire_in(agent: AgentId, dir: &Path) -> Result<Self> {
        let path = dir.join(format!("band-agent-{agent}.lock"));
        if !held().insert(agent) {
            return Err(already_running(agent, &path));
        }
        lock_file(agent, &path).map(|file| Self { agent, _file: file }).inspect_err(|_| {
            held().remove(&agent);
        })
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
             set AgentConfig(single_instance=False) to bypass the guard.",
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
             this filesystem — set AgentConfig(single_instance=False) to bypass the guard.",
            path.display()
        ))),
    }
}

fn already_running(agent: AgentId, path: &Path) -> Error {
    Error::AlreadyRunning(format!(
        "Agent {agent} is already running on this host (lock: {}). Two instances of one agent steal each other's \
         room messages and split conversations — stop the other process first, or set \
         AgentConfig(single_instance=False) to bypass the guard.",
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

    #[test]
    fn a_second_holder_is_refused_until_the_first_lets_go() {
        let dir = tempfile::tempdir().unwrap();
        let agent = agent();
        let first = InstanceLock::acquire_in(agent, dir.path()).unwrap();
        let path = dir.path().join(format!("band-agent-{agent}.lock"));
        let refused = InstanceLock::acquire_in(agent, dir.path()).unwrap_err();
        assert!(matches!(refused, Error::AlreadyRunning(_)));
        assert_eq!(
            refused.to_string(),
            format!(
                "Agent {agent} is already running on this host (lock: {}). Two instances of one agent steal each \
                 other's room messages and split conversations — stop the other process first, or set \
                 AgentConfig(single_instance=False) to bypass the guard.",
                path.display()
            )
        );
        drop(first);
        assert!(path.exists(), "the file stays");
        InstanceLock::acquire_in(agent, dir.path()).unwrap();
    }

    #[test]
    fn another_process_is_told_by_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let agent = agent();
        let other = lock_file(agent, &dir.path().join(format!("band-agent-{agent}.lock"))).unwrap();
        assert!(matches!(InstanceLock::acquire_in(agent, dir.path()), Err(Error::AlreadyRunning(_))));
        drop(other);
        InstanceLock::acquire_in(agent, dir.path()).unwrap();
    }

    #[test]
    fn a_folder_that_is_not_there_is_a_configuration_error() {
        let err = InstanceLock::acquire_in(agent(), Path::new("/nowhere")).unwrap_err();
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
