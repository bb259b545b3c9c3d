//! The Band platform under test, and all that a test needs around it.
//!
//! - [`Platform`] is the real platform in this process, on a free port, in a folder of its own.
//! - [`Served`] is the same platform as a process of its own, which a test may kill.
//! - [`Person`] is somebody who writes, over the public API, and [`Watcher`] what they see live.
//! - [`Api`] is the public API with any key.
//! - [`Tap`] stands in front of a platform, notes what is asked of it, and may refuse it.
//! - [`ModelServer`] is a provider of models that follows a script and refuses what the real ones refuse.
//! - [`Process`] runs any program, waits for its lines, and kills it.
//! - [`weather`] is a network that goes wrong, [`soak`] a long run over it.
//! - [`sim`] runs agents and platform on a simulated network, clock and disk, a seed at a time.
//! - [`peers`] finds the real counterparts: the Python SDK, Node.js with its packages, a browser.
//!
//! Everything that waits has a deadline, and says what it saw when the deadline has passed.

mod api;
mod binary;
pub mod contender;
mod error;
mod model_server;
pub mod peers;
mod person;
mod platform;
mod process;
mod served;
pub mod sim;
pub mod soak;
pub mod tap;
pub mod usage;
mod watcher;
pub mod weather;

pub use api::Api;
pub use binary::{band, band_path};
pub use error::{Error, Result};
pub use model_server::{Dialect, Exchange, ModelServer, ModelStep, Recording, SeenRequest, check_request};
pub use person::{NewAgent, Person};
pub use platform::Platform;
pub use process::Process;
pub use served::Served;
pub use tap::Tap;
pub use watcher::{Seen, Watcher};

/// How long a test waits for something that should come soon, in the worst of weathers.
pub const PATIENCE: std::time::Duration = std::time::Duration::from_secs(30);
