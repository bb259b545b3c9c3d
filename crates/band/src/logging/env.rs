//! The log settings of the environment.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{ConsoleStyle, FileStyle, LogLevel, LogSettings, LogStream};
use crate::config::Env;
use crate::error::{Error, Result};

impl LogSettings {
    /// From these variables and the defaults.
    ///
    /// # Errors
    /// As [`from_env`](Self::from_env).
    pub fn from(env: &Env) -> Result<Self> {
        let defaults = Self::default();
        let from = Source(env);
        Ok(Self {
            log_level: from.level("log_level")?.unwrap_or(defaults.log_level),
            log_root_level: from.level("log_root_level")?,
            log_file: env.get("BAND_LOG_FILE").map(Into::into),
            log_file_level: from.level("log_file_level")?,
            log_max_bytes: from.count("log_max_bytes")?.unwrap_or(defaults.log_max_bytes),
            log_backups: from
                .count("log_backups")?
                .map_or(defaults.log_backups, |count| u32::try_from(count).unwrap_or(u32::MAX)),
            log_console_style: from
                .choice(
                    "log_console_style",
                    "'standard', 'rich' or 'json'",
                    &[
                        ("standard", ConsoleStyle::Standard),
                        ("rich", ConsoleStyle::Rich),
                        ("json", ConsoleStyle::Json),
                    ],
                )?
                .unwrap_or_default(),
            log_file_style: from
                .choice(
                    "log_file_style",
                    "'standard' or 'json'",
                    &[("standard", FileStyle::Standard), ("json", FileStyle::Json)],
                )?
                .unwrap_or_default(),
            log_stream: from
                .choice(
                    "log_stream",
                    "'stderr' or 'stdout'",
                    &[("stderr", LogStream::Stderr), ("stdout", LogStream::Stdout)],
                )?
                .unwrap_or_default(),
            log_overrides: from.overrides()?,
            filter: env.get("BAND_LOG").or_else(|| env.get("RUST_LOG")).map(str::to_owned),
            ..defaults
        })
    }
}

struct Source<'e>(&'e Env);

impl<'e> Source<'e> {
    fn get(&self, field: &str) -> Option<&'e str> {
        self.0.get(&format!("BAND_{field}"))
    }

    fn level(&self, field: &str) -> Result<Option<LogLevel>> {
        let Some(text) = self.get(field) else { return Ok(None) };
        let level = LogLevel::named(text);
        level
            .map(Some)
            .ok_or_else(|| refuse(field, "Value error, log level must be a valid logging level", text))
    }

    fn count(&self, field: &str) -> Result<Option<u64>> {
        let Some(text) = self.get(field) else { return Ok(None) };
        match text.trim().parse::<i64>() {
            Ok(count) => u64::try_from(count)
                .map(Some)
                .map_err(|_| refuse(field, "Input should be greater than or equal to 0", text)),
            Err(_) => Err(refuse(
                field,
                "Input should be a valid integer, unable to parse string as an integer",
                text,
            )),
        }
    }

    fn choice<T: Copy>(&self, field: &str, choices: &str, known: &[(&str, T)]) -> Result<Option<T>> {
        let Some(text) = self.get(field) else { return Ok(None) };
        match known.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
            Some((_, value)) => Ok(Some(*value)),
            None => Err(refuse(field, &format!("Input should be {choices}"), text)),
        }
    }

    fn overrides(&self) -> Result<BTreeMap<String, LogLevel>> {
        const FIELD: &str = "log_overrides";
        let Some(text) = self.get(FIELD) else { return Ok(BTreeMap::new()) };
        let parsed: Value = serde_json::from_str(text)
            .map_err(|err| refuse(FIELD, &format!("error parsing value: {err}"), text))?;
        let Value::Object(object) = parsed else {
            return Err(refuse(FIELD, "Input should be a valid dictionary", text));
        };
        read(object).map_err(|problem| refuse(FIELD, &problem, text))
    }
}

fn read(object: Map<String, Value>) -> Result<BTreeMap<String, LogLevel>, String> {
    let mut levels = BTreeMap::new();
    for (name, level) in object {
        let Value::String(level) = level else {
            return Err(format!("{name}: Input should be a valid string"));
        };
        if name.trim().is_empty() {
            return Err("Value error, log_overrides keys must be non-empty logger names".to_owned());
        }
        let level = LogLevel::named(&level)
            .ok_or_else(|| format!("Value error, log_overrides['{name}'] must be a valid logging level"))?;
        levels.insert(name, level);
    }
    Ok(levels)
}

fn refuse(field: &str, problem: &str, value: &str) -> Error {
    let variable = format!("BAND_{}", field.to_uppercase());
    Error::Config(format!("LogSettings: {field}: {problem} ({variable}={value:?})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(pairs: &[(&str, &str)]) -> Result<LogSettings> {
        LogSettings::from(&pairs.iter().copied().collect())
    }

    #[test]
    fn every_variable_is_read_in_any_case() {
        assert_eq!(from(&[("BAND_LOG_LEVEL", "")]).unwrap(), LogSettings::default());
        let read = from(&[
            ("band_log_level", "debug"),
            ("BAND_LOG_ROOT_LEVEL", "ERROR"),
            ("BAND_LOG_FILE", "/l"),
            ("BAND_LOG_FILE_LEVEL", "WARN"),
            ("BAND_LOG_MAX_BYTES", "10"),
            ("BAND_LOG_BACKUPS", "3"),
            ("BAND_LOG_CONSOLE_STYLE", "Rich"),
            ("BAND_LOG_FILE_STYLE", "JSON"),
            ("BAND_LOG_STREAM", "StdOut"),
            ("BAND_LOG_OVERRIDES", "{\"hyper\":\"debug\"}"),
            ("RUST_LOG", "warn"),
        ]);
        let expected = LogSettings {
            log_level: LogLevel::Debug,
            log_root_level: Some(LogLevel::Error),
            log_file: Some("/l".into()),
            log_file_level: Some(LogLevel::Warning),
            log_max_bytes: 10,
            log_backups: 3,
            log_console_style: ConsoleStyle::Rich,
            log_file_style: FileStyle::Json,
            log_stream: LogStream::Stdout,
            log_overrides: BTreeMap::from([("hyper".to_owned(), LogLevel::Debug)]),
            filter: Some("warn".to_owned()),
            ..LogSettings::default()
        };
        assert_eq!(read.unwrap(), expected);
    }

    #[test]
    fn what_does_not_fit_is_told_with_its_variable() {
        for (field, value, problem) in [
            ("log_level", "verbose", "Value error, log level must be a valid logging level"),
            ("log_file_level", "10", "Value error, log level must be a valid logging level"),
            ("log_max_bytes", "-1", "Input should be greater than or equal to 0"),
            ("log_backups", "x", "Input should be a valid integer, unable to parse string as an integer"),
            ("log_console_style", "nope", "Input should be 'standard', 'rich' or 'json'"),
            ("log_file_style", "rich", "Input should be 'standard' or 'json'"),
            ("log_stream", "x", "Input should be 'stderr' or 'stdout'"),
            ("log_overrides", "[1]", "Input should be a valid dictionary"),
            ("log_overrides", "{\"a\":5}", "a: Input should be a valid string"),
            (
                "log_overrides",
                "{\"\":\"INFO\"}",
                "Value error, log_overrides keys must be non-empty logger names",
            ),
            (
                "log_overrides",
                "{\"a\":\"no\"}",
                "Value error, log_overrides['a'] must be a valid logging level",
            ),
        ] {
            let variable = format!("BAND_{}", field.to_uppercase());
            let err = from(&[(&variable, value)]).unwrap_err().to_string();
            assert_eq!(err, format!("LogSettings: {field}: {problem} ({variable}={value:?})"));
        }
        let err = from(&[("BAND_LOG_OVERRIDES", "{")]).unwrap_err().to_string();
        assert!(err.starts_with("LogSettings: log_overrides: error parsing value: "), "{err}");
    }
}
