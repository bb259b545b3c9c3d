//! `band.toml`: several agents at once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use band::config::{Env, did_you_mean};
use band::{Agent, AgentBuilder, SessionConfig};
use band_adapters::registry::{self, Settings};
use secrecy::SecretString;
use serde_json::Value;

use crate::exit::Failure;

/// What an `[[agent]]` may say.
const KEYS: [&str; 13] = [
    "adapter",
    "agent_id",
    "api_key_env",
    "capabilities",
    "config",
    "exclude_tools",
    "include_tools",
    "instructions",
    "instructions_file",
    "model",
    "name",
    "session",
    "settings",
];
/// What of it is a setting of the adapter.
const PASSED_ON: [&str; 5] = ["capabilities", "exclude_tools", "include_tools", "instructions", "model"];

/// One agent of the file, ready to be built.
pub(super) struct Entry {
    /// What it is called in messages.
    pub(super) name: String,
    pub(super) builder: AgentBuilder,
    pub(super) env: Env,
}

/// The agents of a file.
///
/// # Errors
/// It can't be read, says something unknown, or names what does not exist.
pub(super) fn read(path: &Path) -> Result<Vec<Entry>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    entries(&text, folder, &variables()).with_context(|| path.display().to_string())
}

fn variables() -> BTreeMap<String, String> {
    let all = std::env::vars_os();
    all.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))).collect()
}

fn entries(text: &str, folder: &Path, variables: &BTreeMap<String, String>) -> Result<Vec<Entry>> {
    let file: BTreeMap<String, Value> =
        toml::from_str(text).map_err(|err| Failure::usage(format!("no TOML: {}", err.message())))?;
    known("the file", file.keys(), &["agent"])?;
    let agents = file.get("agent").and_then(Value::as_array).filter(|agents| !agents.is_empty());
    let agents = agents.ok_or_else(|| Failure::usage("no agent: it needs an [[agent]] at least"))?;
    let read = agents.iter().enumerate().map(|(index, agent)| entry(index, agent, folder, variables));
    read.collect()
}

fn known<'k>(place: &str, keys: impl Iterator<Item = &'k String>, known: &[&str]) -> Result<()> {
    for key in keys {
        if !known.contains(&key.as_str()) {
            let hint = did_you_mean(key, known.iter().copied());
            return Err(Failure::usage(format!("{place}: {key}: unknown key.{hint}")));
        }
    }
    Ok(())
}

fn entry(index: usize, agent: &Value, folder: &Path, variables: &BTreeMap<String, String>) -> Result<Entry> {
    let place = format!("agent {}", index + 1);
    let fields = agent.as_object().ok_or_else(|| Failure::usage(format!("{place}: no table")))?;
    known(&place, fields.keys(), &KEYS)?;
    let text = |key: &str| match fields.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(Failure::usage(format!("{place}: {key}: it should be a text"))),
    };
    let name = text("name")?.or(text("config")?).map_or_else(|| place.clone(), str::to_owned);
    let wrong = |what: &str| Failure::usage(format!("{name}: {what}"));
    let adapter =
        text("adapter")?.ok_or_else(|| wrong("adapter: which one? for example adapter = \"openai\""))?;
    let mut settings = match fields.get("settings") {
        None => Settings::new(),
        Some(Value::Object(own)) => own.clone().into_iter().collect(),
        Some(_) => return Err(wrong("settings: it should be a table")),
    };
    for key in PASSED_ON {
        if let Some(value) = fields.get(key) {
            settings.insert(key.to_owned(), value.clone());
        }
    }
    if let Some(file) = text("instructions_file")? {
        let file = folder.join(file);
        settings.insert("instructions_file".to_owned(), file.to_string_lossy().into_owned().into());
    }
    let adapter = registry::make(adapter, &settings).with_context(|| name.clone())?;
    let builder = Agent::builder(adapter);
    let builder = match (text("config")?, text("agent_id")?, text("api_key_env")?) {
        (Some(key), None, None) => builder.config(key).config_file(config_file(folder)),
        (None, Some(id), Some(variable)) => {
            let key = variables.get(variable).filter(|key| !key.is_empty());
            let key = key.ok_or_else(|| wrong(&format!("api_key_env: {variable} is not set")))?;
            builder.credentials(id, SecretString::from(key.clone()))
        }
        _ => {
            return Err(wrong(
                "who is it? Give config, a key of agent_config.yaml, or agent_id and api_key_env",
            ));
        }
    };
    let env = environment(&name, fields.get("session"), variables)?;
    Ok(Entry { name, builder, env })
}

/// Beside the file, as everywhere else.
fn config_file(folder: &Path) -> PathBuf {
    folder.join("agent_config.yaml")
}

/// The environment of the process, with what the file says about the session above it.
fn environment(name: &str, session: Option<&Value>, variables: &BTreeMap<String, String>) -> Result<Env> {
    let mut variables = variables.clone();
    let Some(session) = session else { return Ok(variables.into_iter().collect()) };
    let wrong = |what: String| Failure::usage(format!("{name}: session: {what}"));
    let session = session.as_object().ok_or_else(|| wrong("it should be a table".to_owned()))?;
    let shown = serde_json::to_value(SessionConfig::default())?;
    let fields: Vec<&str> = shown.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
    known(&format!("{name}: session"), session.keys(), &fields)?;
    for (key, value) in session {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            _ => return Err(wrong(format!("{key}: it should be a number, a text, or true or false"))),
        };
        variables.insert(format!("BAND_{}", key.to_uppercase()), text);
    }
    Ok(variables.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0190a8d4-5f3e-7c2a-9b1d-2f3e4a5b6c7d";

    fn read(text: &str) -> Result<Vec<Entry>> {
        let variables = [("KEY_ONE", "band_a_1"), ("KEY_TWO", "band_a_2")];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        entries(text, Path::new("/nowhere"), &variables)
    }

    #[test]
    fn each_table_is_an_agent_with_its_own_session() {
        let text = format!(
            "[[agent]]\nname = \"first\"\nagent_id = \"{ID}\"\napi_key_env = \"KEY_ONE\"\nadapter = \"echo\"\n\
             [agent.session]\nmax_message_retries = 3\n\
             [[agent]]\nconfig = \"second\"\nadapter = \"openai\"\nmodel = \"m\"\ninstructions = \"Be brief.\"\n\
             capabilities = [\"contacts\"]\nsettings = {{ base_url = \"http://127.0.0.1:1/v1\" }}\n"
        );
        let entries = read(&text).unwrap();
        let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["first", "second"]);
        assert_eq!(entries[0].env.get("BAND_MAX_MESSAGE_RETRIES"), Some("3"));
        assert_eq!(entries[1].env.get("BAND_MAX_MESSAGE_RETRIES"), None);
    }

    #[test]
    fn what_does_not_fit_is_named_with_the_way_out() {
        let agent = |rest: &str| format!("[[agent]]\nagent_id = \"{ID}\"\napi_key_env = \"KEY_ONE\"\n{rest}");
        for (text, expected) in [
            (String::new(), "no agent: it needs an [[agent]] at least"),
            ("[[agent".to_owned(), "no TOML"),
            ("[[agents]]".to_owned(), "the file: agents: unknown key. Did you mean 'agent'?"),
            (agent("adaptor = \"echo\""), "agent 1: adaptor: unknown key. Did you mean 'adapter'?"),
            (agent(""), "agent 1: adapter: which one?"),
            (agent("adapter = 7"), "agent 1: adapter: it should be a text"),
            (agent("adapter = \"ecko\""), "unknown adapter \"ecko\""),
            (agent("adapter = \"echo\"\nsettings = { modle = 1 }"), "modle: Extra inputs are not permitted"),
            (agent("adapter = \"echo\"\nconfig = \"x\""), "who is it?"),
            ("[[agent]]\nadapter = \"echo\"".to_owned(), "who is it?"),
            (
                format!("[[agent]]\nadapter = \"echo\"\nagent_id = \"{ID}\"\napi_key_env = \"KEY_NINE\""),
                "api_key_env: KEY_NINE is not set",
            ),
            (
                agent("adapter = \"echo\"\nsession = { max_mesage_retries = 1 }"),
                "session: max_mesage_retries: unknown key. Did you mean 'max_message_retries'?",
            ),
        ] {
            let err = read(&text).err().unwrap_or_else(|| panic!("{text}"));
            let err = format!("{err:#}");
            assert!(err.contains(expected), "{text}: {err}");
            assert!(!err.contains("band_a_1"), "{err}");
        }
    }
}
