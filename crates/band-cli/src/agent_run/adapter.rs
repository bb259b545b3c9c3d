//! The adapter that the command line describes.

use std::path::PathBuf;

use anyhow::{Context, Result};
use band::{BoxedAdapter, Capability};
use band_adapters::registry::{self, Settings};
use clap::Args;
use serde_json::{Value, json};

use crate::exit::Failure;

/// What answers, and how.
#[derive(Debug, Args)]
pub(crate) struct AdapterArgs {
    /// What answers: the name of an adapter
    #[arg(long, value_name = "NAME", required_unless_present = "file")]
    pub(super) adapter: Option<String>,
    /// The model, by its provider's name for it
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// A file with instructions for the model
    #[arg(long, value_name = "FILE")]
    instructions: Option<PathBuf>,
    /// Tools beside those of every room: groups (contacts, memory, files, tasks), or names to offer these alone
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    tools: Vec<String>,
    /// A setting of the adapter, such as base_url=http://127.0.0.1:11434/v1
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl AdapterArgs {
    /// Whether anything is said here that a file would say.
    pub(super) const fn is_silent(&self) -> bool {
        self.adapter.is_none()
            && self.model.is_none()
            && self.instructions.is_none()
            && self.tools.is_empty()
            && self.set.is_empty()
    }

    pub(super) fn make(&self) -> Result<BoxedAdapter> {
        let name = self.adapter.as_deref().unwrap_or_default();
        Ok(registry::make(name, &self.settings()?)?)
    }

    fn settings(&self) -> Result<Settings> {
        let mut settings = Settings::new();
        for word in &self.set {
            let Some((key, value)) = word.split_once('=') else {
                return Err(Failure::usage(format!("--set {word}: write it as KEY=VALUE")));
            };
            settings.insert(key.trim().to_owned(), plain(value));
        }
        if let Some(model) = &self.model {
            settings.insert("model".to_owned(), json!(model));
        }
        if let Some(file) = &self.instructions {
            let text = std::fs::read_to_string(file)
                .with_context(|| format!("--instructions: cannot read {}", file.display()))?;
            settings.insert("instructions".to_owned(), json!(text));
        }
        add_tools(&mut settings, &self.tools);
        Ok(settings)
    }
}

/// Groups are chosen beside the tools of every room; named tools are offered alone.
fn add_tools(settings: &mut Settings, words: &[String]) {
    let is_group = |word: &&String| word.parse::<Capability>().is_ok();
    let (groups, names): (Vec<&String>, Vec<&String>) = words.iter().partition(is_group);
    if !groups.is_empty() {
        settings.insert("capabilities".to_owned(), json!(groups));
    }
    if !names.is_empty() {
        settings.insert("include_tools".to_owned(), json!(names));
    }
}

/// A value of the command line: JSON where it is some that is no plain text, else the text.
fn plain(value: &str) -> Value {
    match serde_json::from_str::<Value>(value) {
        Ok(value @ (Value::Bool(_) | Value::Number(_) | Value::Object(_) | Value::Array(_))) => value,
        _ => Value::String(value.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(set: &[&str], tools: &[&str]) -> AdapterArgs {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        AdapterArgs { adapter: None, model: None, instructions: None, tools: words(tools), set: words(set) }
    }

    #[test]
    fn what_is_said_becomes_settings() {
        let args = args(
            &["base_url=http://h/v1?a=b", "streaming=false", "max_tokens=9", "headers={\"x\":\"y\"}"],
            &["contacts", "files", "band_send_message"],
        );
        let settings = args.settings().unwrap();
        assert_eq!(settings["base_url"], "http://h/v1?a=b");
        assert_eq!(settings["streaming"], false);
        assert_eq!(settings["max_tokens"], 9);
        assert_eq!(settings["headers"]["x"], "y");
        assert_eq!(settings["capabilities"], json!(["contacts", "files"]));
        assert_eq!(settings["include_tools"], json!(["band_send_message"]));
    }

    #[test]
    fn what_is_no_setting_is_told() {
        let err = args(&["base_url"], &[]).settings().unwrap_err().to_string();
        assert_eq!(err, "--set base_url: write it as KEY=VALUE");
    }
}
