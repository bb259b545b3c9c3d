//! How an agent takes its place on the platform and on this host.

use serde::Serialize;

use crate::link::ConflictPolicy;

/// How an agent takes its place on the platform and on this host.
///
/// ```
/// use band::config::AgentConfig;
/// use band::link::ConflictPolicy;
///
/// let config = AgentConfig::default().single_instance(false).conflict_policy(ConflictPolicy::Reject);
/// assert!(config.auto_subscribe_existing_rooms && !config.single_instance);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AgentConfig {
    /// Whether the rooms that the agent is in already are joined at the start. Without it, only rooms that it is
    /// added to while it runs. Default true.
    pub auto_subscribe_existing_rooms: bool,
    /// Whether a second process on this host is refused. Default true.
    pub single_instance: bool,
    /// What to do when the agent is connected already. Default: take over.
    pub conflict_policy: ConflictPolicy,
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self {
            auto_subscribe_existing_rooms: true,
            single_instance: true,
            conflict_policy: ConflictPolicy::Supersede,
        }
    }
}

impl AgentConfig {
    /// Sets `auto_subscribe_existing_rooms`.
    #[must_use]
    pub const fn auto_subscribe_existing_rooms(mut self, on: bool) -> Self {
        self.auto_subscribe_existing_rooms = on;
        self
    }

    /// Sets `single_instance`.
    #[must_use]
    pub const fn single_instance(mut self, on: bool) -> Self {
        self.single_instance = on;
        self
    }

    /// Sets `conflict_policy`.
    #[must_use]
    pub const fn conflict_policy(mut self, policy: ConflictPolicy) -> Self {
        self.conflict_policy = policy;
        self
    }
}
