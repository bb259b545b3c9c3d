//! `agent_config.yaml`: ids and keys of agents by name.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use band_wire::AgentId;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::{Env, did_you_mean};
use crate::error::{Error, Result};

/// The file that is read when no path is given, in the working directory.
pub const DEFAULT_CONFIG_FILE: &str = "agent_config.yaml";

/// A longer file is not read.
const FILE_MAX: u64 = 4 << 20;

/// An agent's id and key. `Debug` hides the key.
#[derive(Clone)]
#[non_exhaustive]
pub struct Credentials {
    /// The agent.
    pub agent_id: AgentId,
    /// Its key.
    pub api_key: SecretString,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("agent_id", &self.agent_id).finish_non_exhaustive()
    }
}

impl Credentials {
    /// From texts.
    ///
    /// # Errors
    /// The id is no UUID; the key is blank, or no header can carry it.
    pub fn new(agent_id: &str, api_key: impl Into<SecretString>) -> Result<Self> {
        let agent_id = agent_id
            .trim()
            .parse()
            .map_err(|err: band_wire::id::ParseIdError| Error::Config(err.to_string()))?;
        let api_key = api_key.into();
        let refuse = |why: &str| Err(Error::Config(format!("the api_key of agent {agent_id} {why}")));
        match api_key.expose_secret().trim() {
            "" => refuse("is empty"),
            key if !key.bytes().all(|byte| byte.is_ascii_graphic()) => refuse(
                "holds blanks or letters that no key has: only visible ASCII is allowed. Copy it again",
            ),
            _ => Ok(Self { agent_id, api_key }),
        }
    }

    /// From `BAND_AGENT_ID` and `BAND_API_KEY`.
    ///
    /// # Errors
    /// One of them is not set, or does not fit.
    pub fn from_env(env: &Env) -> Result<Self> {
        let names = ["BAND_AGENT_ID", "BAND_API_KEY"];
        match names.map(|name| env.get(name)) {
            [Some(id), Some(key)] => Self::new(id, key),
            values => {
                let missing: Vec<&str> = names
                    .iter()
                    .zip(values)
                    .filter(|(_, value)| value.is_none())
                    .map(|(name, _)| *name)
                    .collect();
                Err(Error::Config(format!(
                    "{} not set: an agent is named by BAND_AGENT_ID and BAND_API_KEY",
                    missing.join(" and ")
                )))
            }
        }
    }
}

/// Reads the id and key of the agent `name` from a YAML file: either under the top-level key `name`, or, when
/// that key is absent or empty, from `agent_id` and `api_key` at the top level.
///
/// # Errors
/// The file is not there, can't be read or is no YAML; the agent is not in it; a field is missing.
pub fn load_agent_config(name: &str, path: Option<&Path>) -> Result<Credentials> {
    let path = path.unwrap_or(Path::new(DEFAULT_CONFIG_FILE));
    let shown = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let text = contents(path, &shown.display().to_string())?;
    read(&text, name, &shown.display().to_string())
}

/// The text of the file. Nothing is waited for: what is no plain file is not opened.
fn contents(path: &Path, shown: &str) -> Result<String> {
    let bad = |cause: &str| Error::Config(format!("Error loading agent config: {shown}: {cause}"));
    let about = match std::fs::metadata(path) {
        Ok(about) => about,
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::Config(format!(
                "Config file not found at {shown}. Copy agent_config.yaml.example to agent_config.yaml and configure \
                 your agents."
            )));
        }
        Err(err) => return Err(bad(&err.to_string())),
    };
    if about.is_dir() {
        return Err(bad(
            "is a directory, not a file. Docker makes one when a file that is to be mounted is not there: remove \
             the directory, and put the file in its place",
        ));
    }
    if !about.is_file() {
        return Err(bad("is not a plain file"));
    }
    if about.len() > FILE_MAX {
        return Err(bad(&format!("has {} bytes; more than {FILE_MAX} are not read", about.len())));
    }
    std::fs::read_to_string(path).map_err(|err| bad(&err.to_string()))
}

fn read(text: &str, name: &str, path: &str) -> Result<Credentials> {
    let bad = |cause: &str| Error::Config(format!("Error loading agent config: {cause}"));
    let file: Option<BTreeMap<String, Value>> = if text.trim().is_empty() {
        None
    } else {
        // The parser's own words could quote a key, so only the place is told.
        serde_saphyr::from_str(text).map_err(|err| match err.location() {
            Some(at) => bad(&format!("{path} is no YAML mapping, line {}", at.line())),
            None => bad(&format!("{path} is no YAML mapping")),
        })?
    };
    let file = file.unwrap_or_default();
    let keyed = match file.get(name) {
        Some(Value::Object(entry)) if !entry.is_empty() => {
            Some(entry.iter().map(|(k, v)| (k.clone(), v)).collect())
        }
        Some(Value::Object(_) | Value::Null) | None => None,
        Some(_) => return Err(bad(&format!("{path}: the entry {name:?} must be a mapping"))),
    };
    let is_flat = file.contains_key("agent_id") || file.contains_key("api_key");
    let entry: BTreeMap<String, &Value> = match keyed {
        Some(entry) => entry,
        None if is_flat => file.iter().map(|(k, v)| (k.clone(), v)).collect(),
        None => {
            let hint = did_you_mean(name, file.keys().map(String::as_str));
            return Err(Error::Config(format!(
                "Agent '{name}' not found in {path}. Please add the agent configuration.{hint}"
            )));
        }
    };
    let field =
        |field: &str| entry.get(field).and_then(|value| scalar(value)).filter(|text| !text.is_empty());
    match (field("agent_id"), field("api_key")) {
        (Some(id), Some(key)) => Credentials::new(&id, key)
            .map_err(|err| Error::Config(format!("{err} (agent '{name}' in {path})"))),
        (id, key) => {
            let missing: Vec<&str> = [("agent_id", id), ("api_key", key)]
                .into_iter()
                .filter(|(_, value)| value.is_none())
                .map(|(field, _)| field)
                .collect();
            // A field that is there in another spelling is the likeliest cause.
            let spelt = |field: &str| {
                did_you_mean(field, entry.keys().map(String::as_str))
                    .replace("Did you mean", "Is it written as")
            };
            let hint: String = missing.iter().map(|field| spelt(field)).collect();
            let hint = if hint.is_empty() { hint } else { format!(".{hint}") };
            Err(Error::Config(format!(
                "Missing required fields for agent '{name}': {}. Please create a remote agent on the platform and \
                 add the credentials to {path}{hint}",
                missing.join(", ")
            )))
        }
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d";

    fn said(text: &str) -> String {
        read(text, "bot", "/c.yaml").unwrap_err().to_string()
    }

    #[test]
    fn both_shapes_are_read_and_the_named_entry_wins() {
        let keyed = format!("agent_id: other\nbot:\n  agent_id: {ID}\n  api_key: k1\n  more: [1]\n");
        let flat = format!("agent_id: \"{ID}\"\napi_key: 42\nbot: {{}}\n");
        for (text, key) in [(keyed, "k1"), (flat, "42")] {
            let found = read(&text, "bot", "/c.yaml").unwrap();
            assert_eq!((found.agent_id.to_string().as_str(), found.api_key.expose_secret()), (ID, key));
        }
    }

    #[test]
    fn every_problem_names_the_file_and_the_fix() {
        let not_found = "Agent 'bot' not found in /c.yaml. Please add the agent configuration.";
        assert_eq!(said(""), not_found);
        assert_eq!(said("other: {agent_id: a, api_key: b}"), not_found);
        let missing = |fields| {
            format!(
                "Missing required fields for agent 'bot': {fields}. Please create a remote agent on the platform \
                 and add the credentials to /c.yaml"
            )
        };
        assert_eq!(said("bott: {x: 1}"), format!("{not_found} Did you mean 'bott'?"));
        assert_eq!(said("bot: {x: 1}"), missing("agent_id, api_key"));
        assert_eq!(
            said(&format!("bot: {{agent_id: {ID}, apikey: k}}")),
            missing("api_key") + ". Is it written as 'apikey'?"
        );
        assert_eq!(said(&format!("bot: {{agent_id: {ID}, api_key: ''}}")), missing("api_key"));
        assert!(said("- a\n- b").starts_with("Error loading agent config: /c.yaml is no YAML mapping"));
        assert!(said("bot: [1]").contains("must be a mapping"));
        assert!(said("bot: {agent_id: nope, api_key: k}").contains("agent id must be a UUID, got \"nope\""));
        let none = load_agent_config("bot", Some(Path::new("/nowhere/agent_config.yaml"))).unwrap_err();
        assert_eq!(
            none.to_string(),
            "Config file not found at /nowhere/agent_config.yaml. Copy agent_config.yaml.example to \
             agent_config.yaml and configure your agents."
        );
    }

    #[test]
    fn what_is_no_file_is_named_and_never_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let told = |path: &Path| load_agent_config("bot", Some(path)).unwrap_err().to_string();
        let text = told(folder.path());
        assert!(text.contains("is a directory") && text.contains("Docker"), "{text}");
        let long = folder.path().join("long.yaml");
        std::fs::File::create(&long).unwrap().set_len(FILE_MAX + 1).unwrap();
        assert!(told(&long).contains("more than 4194304 are not read"));
        std::fs::write(&long, b"bot: \xff").unwrap();
        assert!(told(&long).starts_with("Error loading agent config: "));
        #[cfg(unix)]
        {
            let pipe = folder.path().join("pipe");
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
            assert!(told(&pipe).ends_with("is not a plain file"), "{}", told(&pipe));
        }
    }

    #[test]
    fn a_key_that_no_header_can_carry_is_refused_without_showing_it() {
        for (key, why) in
            [("", "is empty"), (" \n", "is empty"), ("schlüssel", "visible ASCII"), ("a b", "visible ASCII")]
        {
            let err = Credentials::new(ID, key).unwrap_err().to_string();
            assert!(err.contains(why) && (key.trim().is_empty() || !err.contains(key)), "{err}");
        }
        let padded = Credentials::new(ID, " proxy-managed\n").unwrap();
        assert_eq!(padded.api_key.expose_secret().trim(), "proxy-managed");
    }

    #[test]
    fn a_broken_file_never_shows_its_secrets() {
        let text = said("bot: {agent_id: x, api_key: band_a_secret\nmore: : :");
        assert!(!text.contains("secret"), "{text}");
    }

    #[test]
    fn the_environment_names_what_is_missing() {
        let env: Env = [("BAND_AGENT_ID", ID)].into_iter().collect();
        let err = Credentials::from_env(&env).unwrap_err().to_string();
        assert!(err.starts_with("BAND_API_KEY not set"), "{err}");
        let env: Env = [("BAND_AGENT_ID", ID), ("BAND_API_KEY", "k")].into_iter().collect();
        assert!(!format!("{:?}", Credentials::from_env(&env).unwrap()).contains("\"k\""));
    }
}
