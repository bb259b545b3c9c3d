//! Where an agent keeps what outlives its process.

use std::path::{Path, PathBuf};

use band_wire::AgentId;

use super::Env;
use crate::error::{Error, Result};

/// The folder of all agents' state: `BAND_STATE_DIR`, else `$XDG_STATE_HOME/band`, else
/// `~/.local/state/band`. It is not created.
///
/// # Errors
/// None of the three is known.
pub fn state_dir(env: &Env) -> Result<PathBuf> {
    if let Some(dir) = env.get("BAND_STATE_DIR") {
        return Ok(PathBuf::from(dir));
    }
    // The specification of that variable says that a path which is not absolute does not count.
    if let Some(dir) = env.get("XDG_STATE_HOME").map(Path::new).filter(|dir| dir.is_absolute()) {
        return Ok(dir.join("band"));
    }
    match env.get("HOME") {
        Some(home) => Ok(Path::new(home).join(".local/state/band")),
        None => Err(Error::Config(
            "there is no place for the agents' state: set BAND_STATE_DIR, XDG_STATE_HOME or HOME".to_owned(),
        )),
    }
}

/// The folder of one agent on one deployment, created with mode 0700 if it is not there.
///
/// # Errors
/// See [`state_dir`]; the folder can't be created.
pub fn agent_state_dir(env: &Env, rest_url: &str, agent: AgentId) -> Result<PathBuf> {
    created(state_dir(env)?.join(deployment(rest_url)).join(agent.to_string()), agent)
}

/// The folder of the locks of all agents of this state, created with mode 0700 if it is not there.
pub(crate) fn lock_dir(env: &Env, agent: AgentId) -> Result<PathBuf> {
    created(state_dir(env)?.join("locks"), agent)
}

fn created(dir: PathBuf, agent: AgentId) -> Result<PathBuf> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(&dir) {
        Ok(()) => Ok(dir),
        Err(err) => Err(Error::Config(format!(
            "cannot create the state folder {} of agent {agent}: {err}. Set BAND_STATE_DIR to a folder that can \
             be written",
            dir.display()
        ))),
    }
}

/// A deployment as a folder name: host and port, with anything odd made an underscore.
fn deployment(rest_url: &str) -> String {
    let rest = rest_url.split_once("://").map_or(rest_url, |(_, rest)| rest).trim_end_matches('/');
    let name: String = rest
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '_' })
        .collect();
    if name.trim_matches('.').is_empty() { "_".to_owned() } else { name.to_lowercase() }
}

#[cfg(test)]
mod tests {
    use band_wire::Id;
    use uuid::Uuid;

    use super::*;

    fn env(pairs: &[(&str, &str)]) -> Env {
        pairs.iter().copied().collect()
    }

    #[test]
    fn the_first_place_that_is_known_is_taken() {
        let all = [("BAND_STATE_DIR", "/s"), ("XDG_STATE_HOME", "/x"), ("HOME", "/h")];
        assert_eq!(state_dir(&env(&all)).unwrap(), Path::new("/s"));
        assert_eq!(state_dir(&env(&all[1..])).unwrap(), Path::new("/x/band"));
        assert_eq!(state_dir(&env(&all[2..])).unwrap(), Path::new("/h/.local/state/band"));
        let odd = [("XDG_STATE_HOME", "relative"), ("HOME", "/h")];
        assert_eq!(state_dir(&env(&odd)).unwrap(), Path::new("/h/.local/state/band"));
        assert!(state_dir(&env(&[])).unwrap_err().to_string().contains("BAND_STATE_DIR"));
    }

    #[cfg(unix)]
    #[test]
    fn each_deployment_and_agent_has_a_folder_of_its_own_that_nobody_else_reads() {
        use std::os::unix::fs::PermissionsExt;
        let root = tempfile::tempdir().unwrap();
        let env = env(&[("BAND_STATE_DIR", root.path().to_str().unwrap())]);
        let agent = Id::new(Uuid::from_u128(1));
        let one = agent_state_dir(&env, "http://127.0.0.1:4000/", agent).unwrap();
        let two = agent_state_dir(&env, "https://app.band.ai", agent).unwrap();
        assert_ne!(one, two);
        assert!(one.starts_with(root.path()), "{}", one.display());
        assert_eq!(one.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(
            agent_state_dir(&env, "http://../..", agent).unwrap().parent().unwrap().parent(),
            Some(root.path())
        );
    }
}
