//! Settings: explicit, or from the environment, or the default.

mod agent;
mod effective;
mod env;
mod file;
mod nearest;
mod session;
mod session_builder;
mod setting;
mod state;
mod urls;

pub use agent::AgentConfig;
pub use effective::{EffectiveConfig, PROXY_MANAGED};
pub use env::Env;
pub use file::{Credentials, DEFAULT_CONFIG_FILE, load_agent_config};
pub use nearest::did_you_mean;
pub use session::SessionConfig;
pub(crate) use session::seconds;
pub use session_builder::SessionConfigBuilder;
pub(crate) use state::lock_dir;
pub use state::{agent_state_dir, state_dir};
pub use urls::Endpoints;
