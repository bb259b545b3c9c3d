//! Log lines on the console and in a file, for programs that do not set up their own.
//!
//! Nothing is logged before it is asked for. [`init`] follows the environment; [`LogSettings`] is for programs that
//! have their own mind; [`LogSettings::layers`] for those that have their own subscriber.
//!
//! ```
//! # fn main() -> band::Result<()> {
//! let mut settings = band::logging::LogSettings::from_env()?;
//! settings.log_console_style = band::logging::ConsoleStyle::Json;
//! settings.static_fields.insert("service".into(), "helpdesk".into());
//! settings.configure()
//! # }
//! ```

mod env;
mod levels;
mod line;
mod lines;
mod rolling;
mod settings;
pub(crate) mod trace;

#[cfg(test)]
mod tests;

pub use levels::LogLevel;
pub use settings::{ConsoleStyle, FileStyle, LogSettings, LogStream};

use crate::error::Result;

/// The loggers of what is below this SDK: HTTP and WebSocket. They say much at DEBUG; name them in
/// [`LogSettings::log_overrides`] to hear it, or to hear less.
pub const CHATTY_LOGGERS: [&str; 5] = ["hyper_util", "reqwest", "rustls", "tokio_tungstenite", "tungstenite"];

/// Logs as the environment says: `BAND_LOG_LEVEL` and its siblings, see [`LogSettings`]. A variable that does not fit
/// is told as the first line, and the defaults are used.
///
/// Does nothing when the program has set up its own logging before.
pub fn init() {
    let Err(err) = try_init() else { return };
    if LogSettings::default().configure().is_ok() {
        tracing::error!(target: "band.logging", %err, "the log settings do not fit; the defaults are used");
    }
}

/// The same, for programs that would rather not start.
///
/// # Errors
/// The first variable that does not fit, by name; a log file that can't be one.
pub fn try_init() -> Result<()> {
    LogSettings::from_env()?.configure()
}
