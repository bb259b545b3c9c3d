//! How an agent behaves in its rooms.

use std::time::Duration;

use serde::Serialize;

use super::{Env, SessionConfigBuilder};
use crate::error::Result;

/// How an agent behaves in its rooms. Seconds are `f64`, as in the environment.
///
/// Made by [`SessionConfig::builder`]: a value that is set wins over the environment variable of the same name
/// in capitals, and that wins over the default. The variable may be spelt with `BAND_` in front, which wins over
/// the bare name. `SessionConfig::default()` does not look at the environment.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SessionConfig {
    /// Whether a room's past that was read once is kept for `context_cache_ttl_seconds`. Without it the past is
    /// read whenever a turn needs it. Default true.
    pub enable_context_cache: bool,
    /// How long it is kept; zero and less: not at all. Default 300.
    pub context_cache_ttl_seconds: i64,
    /// Entries of a room's past that the first message of a session gets at most. Default 100.
    pub max_context_messages: u32,
    /// Attempts at one message within this process. Default 1.
    pub max_message_retries: u32,
    /// Whether the first message of a session gets the room's past. Default true.
    pub enable_context_hydration: bool,
    /// How long a room is quiet before the platform is asked for missed messages. Default 60.
    pub idle_resync_seconds: f64,
    /// Whether people see that the agent is at work. Default true.
    pub enable_working_state: bool,
    /// How often that is repeated. Default 3.
    pub working_keep_alive_seconds: f64,
    /// How long one such report may take. Default 2.
    pub working_request_timeout_seconds: u32,
    /// After this long the repeating stops. Default none.
    pub max_working_state_seconds: Option<f64>,
    /// How long one turn may take. Default none.
    pub max_cycle_seconds: Option<f64>,
    /// Whether the room is told when a turn fails or ends in silence. Default true.
    pub report_turn_failures_to_room: bool,
    /// How far `idle_resync_seconds` grows while nothing is found. Default 120.
    pub idle_resync_max_seconds: f64,
    /// How often a stopped room is looked at. Default none: `idle_resync_seconds`.
    pub stopped_resync_seconds: Option<f64>,
    /// How often, counted over restarts, a turn may start at one message and end neither with a verdict nor
    /// because it was asked to, before the message is given up; 0: no limit. Default 10.
    pub max_deliveries: u32,
    /// Whether what was handled and what is owed is kept on disk, so that a restart does not repeat it. Default
    /// true.
    pub enable_journal: bool,
}

impl Default for SessionConfig {
    fn default() -> Self {
        Self {
            enable_context_cache: true,
            context_cache_ttl_seconds: 300,
            max_context_messages: 100,
            max_message_retries: 1,
            enable_context_hydration: true,
            idle_resync_seconds: 60.0,
            enable_working_state: true,
            working_keep_alive_seconds: 3.0,
            working_request_timeout_seconds: 2,
            max_working_state_seconds: None,
            max_cycle_seconds: None,
            report_turn_failures_to_room: true,
            idle_resync_max_seconds: 120.0,
            stopped_resync_seconds: None,
            max_deliveries: 10,
            enable_journal: true,
        }
    }
}

impl SessionConfig {
    /// Starts with nothing set.
    pub fn builder() -> SessionConfigBuilder {
        SessionConfigBuilder::default()
    }

    /// From the environment of this process and the defaults.
    ///
    /// # Errors
    /// A variable does not fit; the text names it.
    pub fn from_env() -> Result<Self> {
        Self::builder().build()
    }

    /// The same, from these variables.
    ///
    /// # Errors
    /// As [`from_env`](Self::from_env).
    pub fn from(env: &Env) -> Result<Self> {
        Self::builder().build_with(env)
    }
}

/// As long as any timer needs to be: a clock can't be asked for every later moment.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3_600);

/// Seconds that were checked to be positive; more than a lifetime is as good as never.
pub(crate) fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value).unwrap_or(LONGEST).min(LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_never_exceed_what_a_clock_can_hold() {
        assert_eq!(seconds(1.5), Duration::from_millis(1_500));
        assert_eq!(seconds(1e300), LONGEST);
        assert!(std::time::Instant::now().checked_add(LONGEST).is_some());
    }
}
