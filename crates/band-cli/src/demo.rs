//! What `band up` makes once and finds again: a person, a room, and an agent for each adapter it was asked for.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use band_wire::rest::IssuedKey;
use band_wire::{AgentId, ChatId, UserId};
use serde::{Deserialize, Serialize};

use crate::exit::Failure;
use crate::output::Variables;
use crate::private_file;

const FILE: &str = "demo.json";

/// The demo of a data directory, with its keys. Kept in a file for the owner's eyes alone; `Debug` hides them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Demo {
    pub(crate) user: DemoUser,
    pub(crate) room: ChatId,
    /// By the name of the adapter that plays it.
    pub(crate) agents: BTreeMap<String, DemoAgent>,
    /// The adapter of the last run.
    pub(crate) adapter: String,
}

/// The first person.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct DemoUser {
    pub(crate) id: UserId,
    #[serde(flatten)]
    pub(crate) key: IssuedKey,
}

/// An agent that `band up` runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct DemoAgent {
    pub(crate) id: AgentId,
    #[serde(flatten)]
    pub(crate) key: IssuedKey,
}

impl Demo {
    /// Reads the demo of a directory; none where `band up` never ran.
    pub(crate) fn read(data: &Path) -> Result<Option<Self>> {
        let path = file(data);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(err) if err.kind() == ErrorKind::NotFound => return Ok(None),
            Err(err) => return Err(err).with_context(|| format!("cannot read {}", path.display())),
        };
        // The parser's own words could quote a key.
        serde_json::from_str(&text).map(Some).map_err(|err| {
            let (path, line) = (path.display(), err.line());
            Failure::usage(format!(
                "{path}: line {line} is not what `band up` writes; delete the file, `band up` then makes new keys"
            ))
        })
    }

    pub(crate) fn write(&self, data: &Path) -> Result<()> {
        private_file::write(&file(data), &format!("{:#}\n", serde_json::to_value(self)?))
    }

    /// The agent of the last run.
    pub(crate) fn agent(&self) -> Option<&DemoAgent> {
        self.agents.get(&self.adapter)
    }

    /// Adds the keys to variables.
    pub(crate) fn put(&self, variables: &mut Variables) {
        variables.set("BAND_USER_KEY", self.user.key.api_key.as_str());
        if let Some(agent) = self.agent() {
            variables.set("BAND_AGENT_ID", agent.id.to_string());
            variables.set("BAND_API_KEY", agent.key.api_key.as_str());
        }
    }
}

fn file(data: &Path) -> PathBuf {
    data.join(FILE)
}

#[cfg(test)]
mod tests {
    use band_wire::Id;
    use uuid::Uuid;

    use super::*;
    use crate::exit::{Exit, exit_of};

    fn key(text: &str) -> IssuedKey {
        IssuedKey { api_key: text.into() }
    }

    fn demo() -> Demo {
        let agent = DemoAgent { id: Id::new(Uuid::from_u128(2)), key: key("band_a_1_x") };
        Demo {
            user: DemoUser { id: Id::new(Uuid::from_u128(1)), key: key("band_u_1_x") },
            room: Id::new(Uuid::from_u128(3)),
            agents: [("echo".to_owned(), agent)].into(),
            adapter: "echo".into(),
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Demo::read(folder.path()).unwrap().is_none());
        demo().write(folder.path()).unwrap();
        let read = Demo::read(folder.path()).unwrap().unwrap();
        assert_eq!(read.user.key.api_key, "band_u_1_x");
        assert_eq!(read.agent().unwrap().id, Id::new(Uuid::from_u128(2)));
    }

    #[test]
    fn a_broken_file_is_named_without_its_content() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "{\"user\": \"band_u_1_secret\"").unwrap();
        let error = Demo::read(folder.path()).unwrap_err();
        assert_eq!(exit_of(&error), Exit::Usage);
        let text = format!("{error:?}");
        assert!(text.contains("demo.json") && !text.contains("secret"), "{text}");
    }

    #[test]
    fn keys_do_not_show() {
        assert!(!format!("{:?}", demo()).contains("_1_x"));
    }
}
