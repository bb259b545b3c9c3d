//! What is logged, how, and where to.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value};
use tracing::Subscriber;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

use super::levels::{Levels, LogLevel};
use super::lines::{JSON_FIELDS, Lines};
use super::rolling::Rolling;
use super::trace::Remember;
use crate::config::Env;
use crate::error::{Error, Result};

/// What a line on the console looks like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ConsoleStyle {
    /// `2026-07-01 10:00:00 [INFO] band.agent: Agent started: …`, times in UTC.
    #[default]
    Standard,
    /// Shorter, and in colours on a terminal, unless `NO_COLOR` is set.
    Rich,
    /// One JSON object a line.
    Json,
}

/// What a line in a file looks like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileStyle {
    /// As on the console.
    #[default]
    Standard,
    /// One JSON object a line.
    Json,
}

/// Where the console's lines go.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogStream {
    /// Standard error.
    #[default]
    Stderr,
    /// Standard output.
    Stdout,
}

/// What is logged, how, and where to. [`from_env`](Self::from_env) reads `BAND_` + the field's name in capitals.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LogSettings {
    /// How much of `band`. Default INFO.
    pub log_level: LogLevel,
    /// How much of everything else. Default WARNING.
    pub log_root_level: Option<LogLevel>,
    /// A file to write to as well; `~` is the home directory. Default none.
    pub log_file: Option<PathBuf>,
    /// How much of `band` in the file. Default: as on the console.
    pub log_file_level: Option<LogLevel>,
    /// The file is set aside before it gets longer; 0: never. Default 0.
    pub log_max_bytes: u64,
    /// How many files that were set aside are kept. Default 1.
    pub log_backups: u32,
    /// Default standard.
    pub log_console_style: ConsoleStyle,
    /// Default standard.
    pub log_file_style: FileStyle,
    /// Default standard error.
    pub log_stream: LogStream,
    /// Levels of single loggers, by name. Default none.
    pub log_overrides: BTreeMap<String, LogLevel>,
    /// What every JSON line says besides; not read from the environment. Default nothing.
    pub static_fields: Map<String, Value>,
    /// The keys of a JSON line, in place of the usual ones; not read from the environment.
    pub json_fields: Option<Vec<String>>,
    /// `BAND_LOG`, or else `RUST_LOG`: directives like `warn,band=debug` that hold in place of all levels above.
    pub filter: Option<String>,
}

impl Default for LogSettings {
    fn default() -> Self {
        Self {
            log_level: LogLevel::Info,
            log_root_level: None,
            log_file: None,
            log_file_level: None,
            log_max_bytes: 0,
            log_backups: 1,
            log_console_style: ConsoleStyle::Standard,
            log_file_style: FileStyle::Standard,
            log_stream: LogStream::Stderr,
            log_overrides: BTreeMap::new(),
            static_fields: Map::new(),
            json_fields: None,
            filter: None,
        }
    }
}

impl LogSettings {
    /// From the environment of this process and the defaults. An empty variable is unset.
    ///
    /// # Errors
    /// The first variable that does not fit, by name.
    pub fn from_env() -> Result<Self> {
        Self::from(&Env::of_process())
    }

    /// For a program whose own lines matter as much as the agent's: everything is logged at the agent's level,
    /// unless another level was chosen.
    #[must_use]
    pub fn for_application(mut self) -> Self {
        self.log_root_level.get_or_insert(self.log_level);
        self
    }

    /// A level for a logger that holds unless the environment names another.
    #[must_use]
    pub fn default_override(mut self, logger: impl Into<String>, level: LogLevel) -> Self {
        self.log_overrides.entry(logger.into()).or_insert(level);
        self
    }

    /// Sets logging up. Does nothing when the program has set up its own before: that stays as it is.
    ///
    /// # Errors
    /// Settings that do not go together; a log file that can't be one. One that can't be written
    /// now is tried again with each line; that is said once on standard error.
    pub fn configure(&self) -> Result<()> {
        let layers = self.layers::<Registry>()?;
        // An error means that the program has a subscriber already: its own choice stands.
        let _ = tracing_subscriber::registry().with(layers).try_init();
        Ok(())
    }

    /// The same as layers, for a program that has a subscriber of its own.
    ///
    /// # Errors
    /// As [`configure`](Self::configure).
    pub fn layers<S>(&self) -> Result<Vec<Box<dyn Layer<S> + Send + Sync>>>
    where
        S: Subscriber + for<'a> LookupSpan<'a> + Send + Sync,
    {
        self.check()?;
        let console = tracing_subscriber::fmt::layer()
            .with_ansi(self.in_colours())
            .event_format(self.lines(self.log_console_style));
        let console = match self.log_stream {
            LogStream::Stderr => self.filtered(console.with_writer(std::io::stderr), self.log_level)?,
            LogStream::Stdout => self.filtered(console.with_writer(std::io::stdout), self.log_level)?,
        };
        let mut layers: Vec<Box<dyn Layer<S> + Send + Sync>> = vec![Box::new(Remember), console];
        if let Some(path) = &self.log_file {
            let path = expanded(path);
            let style = match self.log_file_style {
                FileStyle::Standard => ConsoleStyle::Standard,
                FileStyle::Json => ConsoleStyle::Json,
            };
            let file = Rolling::open(path.clone(), self.log_max_bytes, self.log_backups).map_err(|err| {
                let path = path.display();
                Error::Config(format!("log_file {path}: {err}; name another with BAND_LOG_FILE"))
            })?;
            let file = tracing_subscriber::fmt::layer()
                .with_ansi(false)
                .event_format(self.lines(style))
                .with_writer(file);
            layers.push(self.filtered(file, self.file_level())?);
        }
        Ok(layers)
    }

    fn check(&self) -> Result<()> {
        let refuse = |text: &str| Err(Error::Config(format!("LogSettings: {text}")));
        if self.log_max_bytes > 0 && self.log_backups == 0 {
            return refuse(
                "backup_count must be at least 1 when max_bytes is set; a rotating handler with no backups never \
                 rotates (log_max_bytes, log_backups)",
            );
        }
        if self.log_overrides.keys().any(String::is_empty) {
            return refuse("log_overrides keys must be non-empty logger names");
        }
        if self.json_fields.as_ref().is_some_and(Vec::is_empty) {
            return refuse("json_fields must name at least one key");
        }
        Ok(())
    }

    fn file_level(&self) -> LogLevel {
        self.log_file_level.unwrap_or(self.log_level)
    }

    /// A layer that lets through what belongs on an output of this level.
    fn filtered<S>(
        &self,
        layer: impl Layer<S> + Send + Sync,
        level: LogLevel,
    ) -> Result<Box<dyn Layer<S> + Send + Sync>>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        if let Some(filter) = &self.filter {
            let filter = EnvFilter::try_new(filter).map_err(|err| {
                Error::Config(format!(
                    "BAND_LOG or RUST_LOG {filter:?}: {err}; write it like warn,band=debug"
                ))
            })?;
            return Ok(Box::new(layer.with_filter(filter)));
        }
        let mut named = BTreeMap::from([("band".to_owned(), self.log_level.min(self.file_level()))]);
        named.extend(self.log_overrides.clone());
        let outputs_differ = self.log_file.is_some() && self.file_level() != self.log_level;
        let root = self.log_root_level.unwrap_or(LogLevel::Warning);
        Ok(Box::new(layer.with_filter(Levels::new(root, &named, outputs_differ.then_some(level)))))
    }

    fn lines(&self, style: ConsoleStyle) -> Lines {
        match style {
            ConsoleStyle::Standard => Lines::Standard,
            ConsoleStyle::Rich => Lines::Rich,
            ConsoleStyle::Json => Lines::Json {
                keys: self.json_fields.clone().unwrap_or_else(|| JSON_FIELDS.map(str::to_owned).to_vec()),
                fields: self.static_fields.clone(),
            },
        }
    }

    fn in_colours(&self) -> bool {
        let is_terminal = match self.log_stream {
            LogStream::Stderr => std::io::stderr().is_terminal(),
            LogStream::Stdout => std::io::stdout().is_terminal(),
        };
        let is_wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        self.log_console_style == ConsoleStyle::Rich && is_terminal && is_wanted
    }
}

/// `~` at the start is the home directory.
fn expanded(path: &Path) -> PathBuf {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty());
    match (path.strip_prefix("~"), home) {
        (Ok(rest), Some(home)) => Path::new(&home).join(rest),
        _ => path.to_owned(),
    }
}
