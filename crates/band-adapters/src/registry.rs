//! Adapters by name, for programs that choose one at run time.

use std::collections::BTreeMap;

#[cfg(feature = "provider")]
use band::config::Env;
use band::{BoxedAdapter, Error, Result};
use serde_json::Value;

use crate::echo::Echo;

/// Settings of an adapter by name, from a file or a command line.
pub type Settings = BTreeMap<String, Value>;

/// An adapter that can be made by name.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    make: fn(&Settings) -> Result<BoxedAdapter>,
}

/// All adapters of this build, by name.
pub const ADAPTERS: &[Entry] = &[
    Entry {
        name: "echo",
        about: "answers with what it was told; for first steps and drills",
        make: |settings| {
            refuse_unknown("Echo", settings, &[])?;
            Ok(BoxedAdapter::new(Echo))
        },
    },
    #[cfg(feature = "openai")]
    Entry {
        name: "openai",
        about: "a model behind a Chat Completions endpoint, OpenAI's or a server's of your own, or behind Responses",
        make: |settings| crate::openai::from_settings(settings, &Env::of_process()),
    },
    #[cfg(feature = "anthropic")]
    Entry {
        name: "anthropic",
        about: "Claude, over Anthropic's Messages API",
        make: |settings| {
            let adapter = crate::anthropic::Anthropic::from_settings(settings, &Env::of_process())?;
            Ok(BoxedAdapter::new(adapter))
        },
    },
    #[cfg(feature = "gemini")]
    Entry {
        name: "gemini",
        about: "Gemini, over Google's API for developers",
        make: |settings| {
            let adapter = crate::gemini::Gemini::from_settings(settings, &Env::of_process())?;
            Ok(BoxedAdapter::new(adapter))
        },
    },
];

/// Makes the adapter of this name.
///
/// # Errors
/// There is no such adapter; a setting is unknown or does not fit.
pub fn make(name: &str, settings: &Settings) -> Result<BoxedAdapter> {
    match ADAPTERS.iter().find(|entry| entry.name == name) {
        Some(entry) => (entry.make)(settings),
        None => {
            let names: Vec<&str> = ADAPTERS.iter().map(|entry| entry.name).collect();
            Err(Error::Config(format!("unknown adapter {name:?}; available: {}", names.join(", "))))
        }
    }
}

/// Refuses the first setting that an adapter does not have, naming the nearest one that it has.
pub(crate) fn refuse_unknown(adapter: &str, settings: &Settings, known: &[&str]) -> Result<()> {
    let Some(unknown) = settings.keys().find(|field| !known.contains(&field.as_str())) else { return Ok(()) };
    let hint = band::config::did_you_mean(unknown, known.iter().copied());
    Err(Error::Config(format!("{adapter}Config: {unknown}: Extra inputs are not permitted.{hint}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapters_are_made_by_name() {
        assert!(make("echo", &Settings::new()).is_ok());
        let err = make("ecko", &Settings::new()).unwrap_err().to_string();
        assert!(err.starts_with("unknown adapter \"ecko\"; available: echo"), "{err}");
    }

    #[test]
    fn an_unknown_setting_is_refused_with_the_nearest() {
        let settings = Settings::from([("modle".to_owned(), Value::from("x"))]);
        let err = refuse_unknown("Chat", &settings, &["model", "base_url"]).unwrap_err().to_string();
        assert_eq!(err, "ChatConfig: modle: Extra inputs are not permitted. Did you mean 'model'?");
        let err = make("echo", &settings).unwrap_err().to_string();
        assert_eq!(err, "EchoConfig: modle: Extra inputs are not permitted.");
    }
}
