//! Settings of adapters by name, from a file or a command line, read.

use std::time::Duration;

use band::config::Env;
use band::{Capability, Emit, Error, Features, Result};
use serde_json::Value;

use crate::registry::{Settings, refuse_unknown};

/// Settings that every adapter with a model has.
pub(crate) const LOOP_FIELDS: [&str; 12] = [
    "capabilities",
    "context_bytes",
    "custom_section",
    "emit",
    "exclude_tools",
    "include_base_instructions",
    "include_categories",
    "include_tools",
    "instructions",
    "instructions_file",
    "max_tool_rounds",
    "system_prompt",
];
/// Settings that every adapter with a provider has.
pub(crate) const PROVIDER_FIELDS: [&str; 8] = [
    "base_url",
    "headers",
    "model",
    "provider_key",
    "retry_seconds",
    "stall_seconds",
    "streaming",
    "timeout_seconds",
];
/// What other SDKs, or this one earlier, called a setting.
const RENAMED: [(&str, &str); 6] = [
    ("api_key", "provider_key"),
    ("anthropic_api_key", "provider_key"),
    ("openai_api_key", "provider_key"),
    ("prompt", "system_prompt"),
    ("llm", "model"),
    ("emit_tool_calls", "emit"),
];

/// Reads the settings of one adapter.
pub(crate) struct Reader<'s> {
    adapter: &'static str,
    settings: &'s Settings,
    env: &'s Env,
}

impl<'s> Reader<'s> {
    /// Refuses the first setting that is none of the adapter's.
    ///
    /// # Errors
    /// It names the setting, and the one that was meant if that can be told.
    pub(crate) fn new(
        adapter: &'static str,
        settings: &'s Settings,
        env: &'s Env,
        own: &[&'static str],
    ) -> Result<Self> {
        let known: Vec<&str> = LOOP_FIELDS.iter().chain(own).copied().collect();
        for (old, new) in RENAMED {
            if settings.contains_key(old) && known.contains(&new) {
                return Err(problem(
                    adapter,
                    old,
                    &format!("Extra inputs are not permitted. Did you mean '{new}'?"),
                ));
            }
        }
        refuse_unknown(adapter, settings, &known)?;
        Ok(Self { adapter, settings, env })
    }

    /// A problem with a setting, as an error.
    pub(crate) fn problem(&self, field: &str, text: &str) -> Error {
        problem(self.adapter, field, text)
    }

    pub(crate) fn value(&self, field: &str) -> Option<&'s Value> {
        self.settings.get(field).filter(|value| !value.is_null())
    }

    /// A text; empty counts as not set, and then the first of the variables that is set.
    pub(crate) fn text(&self, field: &str, variables: &[&str]) -> Result<Option<String>> {
        match self.value(field) {
            Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
            Some(Value::String(_)) | None => {
                Ok(variables.iter().find_map(|name| self.env.get(name)).map(str::to_owned))
            }
            Some(_) => Err(self.problem(field, "Input should be a valid string")),
        }
    }

    /// A whole number above zero; as text too, since command lines have nothing else.
    pub(crate) fn count(&self, field: &str) -> Result<Option<u32>> {
        let Some(value) = self.value(field) else { return Ok(None) };
        let number = match value {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let count = number.and_then(|number| u32::try_from(number).ok()).filter(|count| *count > 0);
        count.map(Some).ok_or_else(|| self.problem(field, "Input should be a whole number greater than 0"))
    }

    pub(crate) fn seconds(&self, field: &str) -> Result<Option<Duration>> {
        Ok(self.count(field)?.map(|seconds| Duration::from_secs(seconds.into())))
    }

    /// A number, as text too.
    pub(crate) fn number(&self, field: &str) -> Result<Option<f64>> {
        let Some(value) = self.value(field) else { return Ok(None) };
        let number = match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let number = number.filter(|number: &f64| number.is_finite());
        number.map(Some).ok_or_else(|| self.problem(field, "Input should be a valid number"))
    }

    pub(crate) fn flag(&self, field: &str) -> Result<Option<bool>> {
        match self.value(field) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(Value::String(text)) if text == "true" => Ok(Some(true)),
            Some(Value::String(text)) if text == "false" => Ok(Some(false)),
            Some(_) => Err(self.problem(field, "Input should be true or false")),
        }
    }

    /// Words: a list, or one text with commas.
    pub(crate) fn words(&self, field: &str) -> Result<Option<Vec<String>>> {
        let wrong = || self.problem(field, "Input should be a list of words");
        match self.value(field) {
            None => Ok(None),
            Some(Value::String(text)) => {
                let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
                Ok(Some(words.map(str::to_owned).collect()))
            }
            Some(Value::Array(list)) => {
                let words = list.iter().map(|word| word.as_str().map(str::to_owned).ok_or_else(wrong));
                words.collect::<Result<_>>().map(Some)
            }
            Some(_) => Err(wrong()),
        }
    }

    /// What the adapter posts and offers.
    pub(crate) fn features(&self) -> Result<Features> {
        let mut features = Features::new();
        if let Some(words) = self.words("emit")? {
            let emit: Vec<Emit> = words.iter().map(|word| word.parse()).collect::<Result<_>>()?;
            features = features.emit(emit.into_iter().collect::<band::Emits>());
        }
        if let Some(words) = self.words("capabilities")? {
            let chosen: Vec<Capability> = words.iter().map(|word| word.parse()).collect::<Result<_>>()?;
            features = features.capabilities(chosen.into_iter().collect::<band::Capabilities>());
        }
        if let Some(names) = self.words("include_tools")? {
            features = features.include_tools(names);
        }
        if let Some(names) = self.words("exclude_tools")? {
            features = features.exclude_tools(names);
        }
        if let Some(names) = self.words("include_categories")? {
            features = features.include_categories(names);
        }
        Ok(features)
    }

    /// The developer's instructions: as they are, or from a file.
    pub(crate) fn instructions(&self) -> Result<Option<String>> {
        let texts = [self.text("instructions", &[])?, self.text("custom_section", &[])?, self.file()?];
        let mut given = texts.into_iter().flatten();
        match (given.next(), given.next()) {
            (Some(_), Some(_)) => {
                Err(self
                    .problem("instructions", "only one of instructions, custom_section, instructions_file"))
            }
            (one, _) => Ok(one),
        }
    }

    fn file(&self) -> Result<Option<String>> {
        let Some(path) = self.text("instructions_file", &[])? else { return Ok(None) };
        let read = std::fs::read_to_string(&path);
        read.map(Some).map_err(|err| self.problem("instructions_file", &format!("can't read {path}: {err}")))
    }
}

fn problem(adapter: &str, field: &str, text: &str) -> Error {
    Error::Config(format!("{adapter}Config: {field}: {text}"))
}
