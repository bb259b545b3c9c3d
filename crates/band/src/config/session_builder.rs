//! Explicit, else environment, else default; then the checks.

use std::time::Duration;

use super::{Env, SessionConfig};
use crate::error::{Error, Result};

/// After this long without a report the platform takes an agent for idle, in seconds.
const WORKING_TTL: f64 = 10.0;

/// Collects settings; see [`SessionConfig`] for what they mean.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionConfigBuilder {
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
        let source = Source { env };
        let config = SessionConfig {
            max_context_messages: count(
                "max_context_messages",
                source.integer("max_context_messages", self.max_context_messages)?.unwrap_or(100),
            )?,
            max_message_retries: retries(
                source.integer("max_message_retries", self.max_message_retries)?.unwrap_or(1),
            )?,
            enable_context_hydration: source.boolean(
                "enable_context_hydration",
                self.enable_context_hydration,
                true,
            )?,
            idle_resync_seconds: source
                .positive("idle_resync_seconds", self.idle_resync)?
                .unwrap_or(defaults.idle_resync_seconds),
            enable_working_state: source.boolean("enable_working_state", self.enable_working_state, true)?,
            working_keep_alive_seconds: source
                .number("working_keep_alive_seconds", self.working_keep_alive)?
                .unwrap_or(defaults.working_keep_alive_seconds),
            working_request_timeout_seconds: u32::try_from(
                source.integer("working_request_timeout_seconds", self.working_request_timeout)?.unwrap_or(2),
            )
            .unwrap_or(0),
            max_working_state_seconds: source.number("max_working_state_seconds", self.max_working_state)?,
            max_cycle_seconds: source
                .number("max_cycle_seconds", self.max_cycle)?
                .filter(|limit| *limit != f64::INFINITY),
            report_turn_failures_to_room: source.boolean(
                "report_turn_failures_to_room",
                self.report_turn_failures_to_room,
                true,
            )?,
            idle_resync_max_seconds: source
                .positive("idle_resync_max_seconds", self.idle_resync_max)?
                .unwrap_or(defaults.idle_resync_max_seconds),
            stopped_resync_seconds: source.positive("stopped_resync_seconds", self.stopped_resync)?,
        };
        check(&config)?;
        Ok(config)
    }
}

/// What must hold between fields. The first that does not is told.
fn check(config: &SessionConfig) -> Result<()> {
    let (alive, timeout) = (config.working_keep_alive_seconds, config.working_request_timeout_seconds);
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
        if timeout == 0 {
            return Err(value_error("working_request_timeout_seconds must be > 0 (got 0)"));
        }
        if f64::from(timeout) >= alive {
            return Err(value_error(&format!(
                "working_request_timeout_seconds ({timeout}) must be < working_keep_alive_seconds ({alive:?}) so a \
                 slow POST can't stack"
            )));
        }
        positive("max_working_state_seconds", config.max_working_state_seconds)?;
    }
    positive("max_cycle_seconds", config.max_cycle_seconds)
}

fn count(name: &str, value: i64) -> Result<u32> {
    u32::try_from(value)
        .ok()
        .filter(|count| *count > 0)
        .ok_or_else(|| value_error(&format!("{name} must be > 0 (got {value})")))
}

fn retries(value: i64) -> Result<u32> {
    u32::try_from(value).map_err(|_| {
        field_error(
            "max_message_retries",
            &format!("`max_retries` must be an integer between 0 and 4294967295, got {value}"),
        )
    })
}

fn field_error(field: &str, text: &str) -> Error {
    Error::Config(format!("SessionConfig: {field}: {text}"))
}

fn value_error(text: &str) -> Error {
    Error::Config(format!("SessionConfig: Value error, {text}"))
}

/// Reads a field from the builder, or else from the environment.
struct Source<'e> {
    env: &'e Env,
}

impl Source<'_> {
    fn number(&self, field: &str, set: Option<f64>) -> Result<Option<f64>> {
        let Some(text) = self.text(field, set.is_some()) else { return Ok(set) };
        let parsed = text.trim().parse().map(Some);
        parsed.map_err(|_| {
            field_error(field, "Input should be a valid number, unable to parse string as a number")
        })
    }

    fn positive(&self, field: &str, set: Option<f64>) -> Result<Option<f64>> {
        let value = self.number(field, set)?;
        match value {
            Some(value) if value <= 0.0 => Err(field_error(field, "Input should be greater than 0")),
            Some(value) if !value.is_finite() => Err(field_error(field, "Input should be a finite number")),
            value => Ok(value),
        }
    }

    fn integer(&self, field: &str, set: Option<i64>) -> Result<Option<i64>> {
        let Some(text) = self.text(field, set.is_some()) else { return Ok(set) };
        let text = text.trim();
        if let Ok(value) = text.parse() {
            return Ok(Some(value));
        }
        let problem = match text.parse::<f64>() {
            Ok(number) if number.is_finite() && number.fract() != 0.0 => {
                "Input should be a valid integer, got a number with a fractional part"
            }
            _ => "Input should be a valid integer, unable to parse string as an integer",
        };
        Err(field_error(field, problem))
    }

    fn boolean(&self, field: &str, set: Option<bool>, default: bool) -> Result<bool> {
        let Some(text) = self.text(field, set.is_some()) else { return Ok(set.unwrap_or(default)) };
        match text.to_lowercase().as_str() {
            "1" | "true" | "yes" | "on" | "t" | "y" => Ok(true),
            "0" | "false" | "no" | "off" | "f" | "n" => Ok(false),
            _ => Err(field_error(field, "Input should be a valid boolean, unable to interpret input")),
        }
    }

    fn text(&self, field: &str, is_set: bool) -> Option<&str> {
        if is_set { None } else { self.env.get(field) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(pairs: &[(&str, &str)]) -> Result<SessionConfig> {
        SessionConfig::from(&pairs.iter().copied().collect())
    }

    #[test]
    fn what_is_set_wins_over_the_environment_and_that_over_the_default() {
        assert_eq!(from(&[]).unwrap(), SessionConfig::default());
        let env: Env =
            [("IDLE_RESYNC_SECONDS", "5"), ("max_message_retries", "3"), ("MAX_CYCLE_SECONDS", "inf")]
                .into_iter()
                .collect();
        let config = SessionConfig::builder().idle_resync(Duration::from_secs(7)).build_with(&env).unwrap();
        assert_eq!((config.idle_resync_seconds, config.max_message_retries), (7.0, 3));
        assert_eq!(config.max_cycle_seconds, None);
        assert!(!from(&[("ENABLE_WORKING_STATE", "Off")]).unwrap().enable_working_state);
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
                "working_request_timeout_seconds: Input should be a valid integer, got a number with a fractional \
                 part",
            ),
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
            ("MAX_CONTEXT_MESSAGES", "0", "Value error, max_context_messages must be > 0 (got 0)"),
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
            let err = from(&[(name, value)]).unwrap_err();
            assert_eq!(err.to_string(), format!("SessionConfig: {text}"), "{name}={value}");
        }
    }

    #[test]
    fn working_state_checks_rest_while_it_is_off() {
        let off = from(&[("ENABLE_WORKING_STATE", "0"), ("WORKING_KEEP_ALIVE_SECONDS", "50")]);
        assert!(off.is_ok());
    }
}
