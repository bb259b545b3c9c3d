//! Explicit, else environment, else default; then the checks.

use std::time::Duration;

use super::setting::Settings;
use super::{Env, SessionConfig};
use crate::error::{Error, Result};

/// After this long without a report the platform takes an agent for idle, in seconds.
const WORKING_TTL: f64 = 10.0;

/// Collects settings; see [`SessionConfig`] for what they mean.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionConfigBuilder {
    enable_context_cache: Option<bool>,
    context_cache_ttl: Option<i64>,
    max_context_messages: Option<i64>,
    max_message_retries: Option<i64>,
    enable_context_hydration: Option<bool>,
    idle_resync: Option<f64>,
    enable_working_state: Option<bool>,
    working_keep_alive: Option<f64>,
    working_request_timeout: Option<i64>,
    max_working_state: Option<f64>,
    max_cycle: Option<f64>,
    report_turn_failures_to_room: Option<bool>,
    idle_resync_max: Option<f64>,
    stopped_resync: Option<f64>,
    max_deliveries: Option<i64>,
    enable_journal: Option<bool>,
}

macro_rules! setters {
    ($($name:ident: $kind:ty => $field:ident, $value:ident, $to:expr;)*) => {$(
        #[doc = concat!("Sets `", stringify!($field), "`; see [`SessionConfig`].")]
        #[must_use]
        pub fn $name(mut self, $value: $kind) -> Self {
            self.$field = Some($to);
            self
        }
    )*};
}

impl SessionConfigBuilder {
    setters! {
        enable_context_cache: bool => enable_context_cache, on, on;
        context_cache_ttl_seconds: i64 => context_cache_ttl, seconds, seconds;
        max_context_messages: u32 => max_context_messages, count, i64::from(count);
        max_message_retries: u32 => max_message_retries, count, i64::from(count);
        enable_context_hydration: bool => enable_context_hydration, on, on;
        idle_resync: Duration => idle_resync, every, every.as_secs_f64();
        enable_working_state: bool => enable_working_state, on, on;
        working_keep_alive: Duration => working_keep_alive, every, every.as_secs_f64();
        working_request_timeout_seconds: u32 => working_request_timeout, seconds, i64::from(seconds);
        max_working_state: Duration => max_working_state, limit, limit.as_secs_f64();
        max_cycle: Duration => max_cycle, limit, limit.as_secs_f64();
        report_turn_failures_to_room: bool => report_turn_failures_to_room, on, on;
        idle_resync_max: Duration => idle_resync_max, most, most.as_secs_f64();
        stopped_resync: Duration => stopped_resync, every, every.as_secs_f64();
        max_deliveries: u32 => max_deliveries, count, i64::from(count);
        enable_journal: bool => enable_journal, on, on;
    }

    /// Fills in the environment of this process and the defaults, and checks everything.
    ///
    /// # Errors
    /// The first value that does not fit, by name.
    pub fn build(self) -> Result<SessionConfig> {
        self.build_with(&Env::of_process())
    }

    /// The same, with these variables.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_with(self, env: &Env) -> Result<SessionConfig> {
        let defaults = SessionConfig::default();
        let from = Settings::new("SessionConfig", env);
        // Checked only where it matters, and told as it was given.
        let timeout = from
            .integer("working_request_timeout_seconds", self.working_request_timeout)?
            .unwrap_or(defaults.working_request_timeout_seconds.into());
        let config = SessionConfig {
            enable_context_cache: from.boolean("enable_context_cache", self.enable_context_cache, true)?,
            context_cache_ttl_seconds: from
                .integer("context_cache_ttl_seconds", self.context_cache_ttl)?
                .unwrap_or(defaults.context_cache_ttl_seconds),
            max_context_messages: from.count(
                "max_context_messages",
                self.max_context_messages,
                (100, 1),
                |got| match got {
                    ..=0 => format!("Input should be greater than 0, got {got}"),
                    _ => too_many(got),
                },
            )?,
            max_message_retries: from.count(
                "max_message_retries",
                self.max_message_retries,
                (1, 0),
                |got| format!("`max_retries` must be an integer between 0 and {}, got {got}", u32::MAX),
            )?,
            enable_context_hydration: from.boolean(
                "enable_context_hydration",
                self.enable_context_hydration,
                true,
            )?,
            idle_resync_seconds: from
                .positive("idle_resync_seconds", self.idle_resync)?
                .unwrap_or(defaults.idle_resync_seconds),
            enable_working_state: from.boolean("enable_working_state", self.enable_working_state, true)?,
            working_keep_alive_seconds: from
                .number("working_keep_alive_seconds", self.working_keep_alive)?
                .unwrap_or(defaults.working_keep_alive_seconds),
            working_request_timeout_seconds: u32::try_from(timeout).unwrap_or_default(),
            max_working_state_seconds: from.number("max_working_state_seconds", self.max_working_state)?,
            max_cycle_seconds: from.number("max_cycle_seconds", self.max_cycle)?,
            report_turn_failures_to_room: from.boolean(
                "report_turn_failures_to_room",
                self.report_turn_failures_to_room,
                true,
            )?,
            idle_resync_max_seconds: from
                .positive("idle_resync_max_seconds", self.idle_resync_max)?
                .unwrap_or(defaults.idle_resync_max_seconds),
            stopped_resync_seconds: from.positive("stopped_resync_seconds", self.stopped_resync)?,
            max_deliveries: from.count("max_deliveries", self.max_deliveries, (10, 0), |got| match got {
                ..0 => format!("Input should be greater than or equal to 0, got {got}"),
                _ => too_many(got),
            })?,
            enable_journal: from.boolean("enable_journal", self.enable_journal, true)?,
        };
        check(&config, timeout)?;
        Ok(endless(config))
    }
}

fn too_many(got: i64) -> String {
    format!("Input should be less than or equal to {}, got {got}", u32::MAX)
}

/// No limit is as good as an endless one.
fn endless(mut config: SessionConfig) -> SessionConfig {
    for limit in [&mut config.max_cycle_seconds, &mut config.max_working_state_seconds] {
        *limit = limit.filter(|limit| limit.is_finite());
    }
    config
}

/// What must hold between fields. The first that does not is told.
fn check(config: &SessionConfig, timeout: i64) -> Result<()> {
    let alive = config.working_keep_alive_seconds;
    let positive = |name: &str, value: Option<f64>| match value {
        Some(value) if value.is_nan() || value <= 0.0 => {
            Err(value_error(&format!("{name} must be > 0 when set (got {value:?})")))
        }
        _ => Ok(()),
    };
    if config.enable_working_state {
        if alive.is_nan() || alive <= 0.0 {
            return Err(value_error(&format!("working_keep_alive_seconds must be > 0 (got {alive:?})")));
        }
        if alive >= WORKING_TTL / 2.0 {
            return Err(value_error(&format!(
                "working_keep_alive_seconds must be < TTL/2 ({:?}) to keep TTL headroom (got {alive:?})",
                WORKING_TTL / 2.0
            )));
        }
        if timeout <= 0 {
            return Err(value_error(&format!("working_request_timeout_seconds must be > 0 (got {timeout})")));
        }
        if f64::from(u32::try_from(timeout).unwrap_or(u32::MAX)) >= alive {
            return Err(value_error(&format!(
                "working_request_timeout_seconds ({timeout}) must be < working_keep_alive_seconds ({alive:?}) so a \
                 slow POST can't stack"
            )));
        }
        positive("max_working_state_seconds", config.max_working_state_seconds)?;
    }
    positive("max_cycle_seconds", config.max_cycle_seconds)
}

fn value_error(text: &str) -> Error {
    Error::Config(format!("SessionConfig: Value error, {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(pairs: &[(&str, &str)]) -> Result<SessionConfig> {
        SessionConfig::from(&pairs.iter().copied().collect())
    }

    #[test]
    fn what_is_set_wins_over_the_environment_and_that_over_the_default() {
        assert_eq!(settled(&[]).unwrap(), SessionConfig::default());
        let env: Env =
            [("IDLE_RESYNC_SECONDS", "5"), ("max_message_retries", "3"), ("MAX_CYCLE_SECONDS", "inf")]
                .into_iter()
                .collect();
        let config = SessionConfig::builder().idle_resync(Duration::from_secs(7)).build_with(&env).unwrap();
        assert_eq!((config.idle_resync_seconds, config.max_message_retries), (7.0, 3));
        assert_eq!(config.max_cycle_seconds, None);
        assert!(!settled(&[("ENABLE_WORKING_STATE", "Off")]).unwrap().enable_working_state);
    }

    #[test]
    fn each_bad_value_has_its_text() {
        let table = [
            ("IDLE_RESYNC_SECONDS", "0", "idle_resync_seconds: Input should be greater than 0"),
            ("IDLE_RESYNC_SECONDS", "nan", "idle_resync_seconds: Input should be a finite number"),
            ("STOPPED_RESYNC_SECONDS", "inf", "stopped_resync_seconds: Input should be a finite number"),
            (
                "IDLE_RESYNC_MAX_SECONDS",
                " ",
                "idle_resync_max_seconds: Input should be a valid number, unable to parse string as a number",
            ),
            (
                "WORKING_REQUEST_TIMEOUT_SECONDS",
                "1.5",
                "working_request_timeout_seconds: Input should be a valid integer, unable to parse string as an \
                 integer",
            ),
            ("MAX_DELIVERIES", "-1", "max_deliveries: Input should be greater than or equal to 0, got -1"),
            (
                "MAX_MESSAGE_RETRIES",
                "none",
                "max_message_retries: Input should be a valid integer, unable to parse string as an integer",
            ),
            (
                "MAX_MESSAGE_RETRIES",
                "-1",
                "max_message_retries: `max_retries` must be an integer between 0 and 4294967295, got -1",
            ),
            (
                "ENABLE_WORKING_STATE",
                "maybe",
                "enable_working_state: Input should be a valid boolean, unable to interpret input",
            ),
            ("MAX_CONTEXT_MESSAGES", "0", "max_context_messages: Input should be greater than 0, got 0"),
            (
                "WORKING_KEEP_ALIVE_SECONDS",
                "0",
                "Value error, working_keep_alive_seconds must be > 0 (got 0.0)",
            ),
            (
                "WORKING_KEEP_ALIVE_SECONDS",
                "5",
                "Value error, working_keep_alive_seconds must be < TTL/2 (5.0) to keep TTL headroom (got 5.0)",
            ),
            (
                "WORKING_REQUEST_TIMEOUT_SECONDS",
                "0",
                "Value error, working_request_timeout_seconds must be > 0 (got 0)",
            ),
            (
                "WORKING_REQUEST_TIMEOUT_SECONDS",
                "3",
                "Value error, working_request_timeout_seconds (3) must be < working_keep_alive_seconds (3.0) so a \
                 slow POST can't stack",
            ),
            (
                "MAX_WORKING_STATE_SECONDS",
                "0",
                "Value error, max_working_state_seconds must be > 0 when set (got 0.0)",
            ),
            ("MAX_CYCLE_SECONDS", "-1", "Value error, max_cycle_seconds must be > 0 when set (got -1.0)"),
            ("MAX_CYCLE_SECONDS", "nan", "Value error, max_cycle_seconds must be > 0 when set (got NaN)"),
        ];
        for (name, value, text) in table {
            let err = settled(&[(name, value)]).unwrap_err();
            let origin =
                if text.starts_with("Value error") { String::new() } else { format!(" ({name}={value:?})") };
            assert_eq!(err.to_string(), format!("SessionConfig: {text}{origin}"), "{name}={value}");
        }
    }

    #[test]
    fn working_state_checks_rest_while_it_is_off() {
        let off = settled(&[("ENABLE_WORKING_STATE", "0"), ("WORKING_KEEP_ALIVE_SECONDS", "50")]);
        assert!(off.is_ok());
        assert!(settled(&[("WORKING_KEEP_ALIVE_SECONDS", "50")]).is_err(), "it is checked otherwise");
    }
}
