//! How much is logged, logger by logger.

use std::collections::BTreeMap;

use serde::Serialize;
use tracing::subscriber::Interest;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Context, Filter};

/// From what severity on something is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum LogLevel {
    /// Everything.
    Trace,
    /// What helps to find a defect.
    Debug,
    /// What happens.
    Info,
    /// What somebody may want to act on.
    Warning,
    /// What lost work.
    Error,
}

impl LogLevel {
    /// A level by its name, in any letter case; those of Python are known too.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name.to_uppercase().as_str() {
            "TRACE" | "NOTSET" => Self::Trace,
            "DEBUG" => Self::Debug,
            "INFO" => Self::Info,
            "WARNING" | "WARN" => Self::Warning,
            "ERROR" | "CRITICAL" | "FATAL" => Self::Error,
            _ => return None,
        })
    }

    const fn filter(self) -> LevelFilter {
        match self {
            Self::Trace => LevelFilter::TRACE,
            Self::Debug => LevelFilter::DEBUG,
            Self::Info => LevelFilter::INFO,
            Self::Warning => LevelFilter::WARN,
            Self::Error => LevelFilter::ERROR,
        }
    }
}

/// What a level is called in a line.
pub(super) const fn shown(level: Level) -> &'static str {
    match level {
        Level::TRACE => "TRACE",
        Level::DEBUG => "DEBUG",
        Level::INFO => "INFO",
        Level::WARN => "WARNING",
        Level::ERROR => "ERROR",
    }
}

/// Levels by logger: the longest name that fits decides.
#[derive(Debug, Clone)]
pub(super) struct Levels {
    root: LogLevel,
    /// The longest name first.
    named: Vec<(String, LogLevel)>,
}

impl Levels {
    /// `least` holds for all: nothing below it passes, whatever its logger says.
    pub(super) fn new(root: LogLevel, named: &BTreeMap<String, LogLevel>, least: Option<LogLevel>) -> Self {
        let pinned = |level: LogLevel| least.map_or(level, |least| level.max(least));
        let mut named: Vec<_> = named.iter().map(|(name, level)| (name.clone(), pinned(*level))).collect();
        named.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        Self { root: pinned(root), named }
    }

    fn of(&self, target: &str) -> LogLevel {
        let found = self.named.iter().find(|(name, _)| is_within(target, name));
        found.map_or(self.root, |(_, level)| *level)
    }

    fn passes(&self, meta: &Metadata<'_>) -> bool {
        *meta.level() <= self.of(meta.target()).filter()
    }
}

/// Whether a logger is the one of this name, or below it. The crates `band_…` are below `band`.
fn is_within(target: &str, name: &str) -> bool {
    target.strip_prefix(name).is_some_and(|rest| {
        rest.is_empty() || rest.starts_with(['.', ':']) || (name == "band" && rest.starts_with('_'))
    })
}

impl<S> Filter<S> for Levels {
    fn enabled(&self, meta: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        self.passes(meta)
    }

    fn callsite_enabled(&self, meta: &'static Metadata<'static>) -> Interest {
        if self.passes(meta) { Interest::always() } else { Interest::never() }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        let levels = self.named.iter().map(|(_, level)| *level).chain([self.root]);
        levels.min().map(LogLevel::filter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_that_fits_decides() {
        let named = [("band", LogLevel::Info), ("band.room", LogLevel::Debug), ("hyper", LogLevel::Error)];
        let named: BTreeMap<String, LogLevel> =
            named.into_iter().map(|(name, level)| (name.to_owned(), level)).collect();
        let levels = Levels::new(LogLevel::Warning, &named, None);
        for (target, level) in [
            ("band", LogLevel::Info),
            ("band.agent", LogLevel::Info),
            ("band_server::http", LogLevel::Info),
            ("band.room", LogLevel::Debug),
            ("band.rooms", LogLevel::Info),
            ("bandit", LogLevel::Warning),
            ("hyper::proto", LogLevel::Error),
            ("hyper_util", LogLevel::Warning),
        ] {
            assert_eq!(levels.of(target), level, "{target}");
        }
        let pinned = Levels::new(LogLevel::Warning, &named, Some(LogLevel::Info));
        assert_eq!(pinned.of("band.room"), LogLevel::Info, "the least of the handler holds for all");
        assert_eq!(Filter::<tracing_subscriber::Registry>::max_level_hint(&levels), Some(LevelFilter::DEBUG));
    }

    #[test]
    fn names_of_python_are_known_in_any_case() {
        for (name, level) in [
            ("warn", Some(LogLevel::Warning)),
            ("Critical", Some(LogLevel::Error)),
            ("NOTSET", Some(LogLevel::Trace)),
            ("10", None),
            (" info", None),
        ] {
            assert_eq!(LogLevel::named(name), level, "{name}");
        }
    }
}
