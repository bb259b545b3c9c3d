//! What can go wrong around a test.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// The result of everything here.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Says what was wanted and what came instead. `Debug` is for the eyes of whoever reads a failed test: it
/// shows the same text, with its causes.
#[derive(thiserror::Error)]
pub enum Error {
    /// A counterpart is not installed.
    #[error(
        "{what} is missing ({looked}): run `cargo xtask test`, or `cargo xtask peers` to set up the peers alone"
    )]
    Missing {
        /// The counterpart.
        what: &'static str,
        /// Where it was looked for.
        looked: String,
    },
    /// The binary under test was built from other sources than those beside it now.
    #[error(
        "{} is older than {}: run `cargo build --workspace --bins`, or name a binary in BAND_BIN",
        .binary.display(), .source_file.display()
    )]
    Stale {
        /// The binary.
        binary: PathBuf,
        /// A file that it was built from and that was changed since.
        source_file: PathBuf,
    },
    /// A program could not be started.
    #[error("cannot start {program}")]
    Start {
        /// The program.
        program: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Something did not come in time.
    #[error("{who}: waited {waited:?} for {what}; seen until then:\n{seen}")]
    Late {
        /// Who was listened to.
        who: String,
        /// What was wanted.
        what: String,
        /// How long.
        waited: Duration,
        /// What came instead.
        seen: String,
    },
    /// A stream or a connection ended before the wanted thing came.
    #[error("{who} ended before {what}; seen until then:\n{seen}")]
    Ended {
        /// Who was listened to.
        who: String,
        /// What was wanted.
        what: String,
        /// What came instead.
        seen: String,
    },
    /// The platform refused a request.
    #[error("{method} {path} answered {status}: {body}")]
    Refused {
        /// The method.
        method: &'static str,
        /// The path.
        path: String,
        /// The status.
        status: u16,
        /// The body.
        body: String,
    },
    /// A request did not get through.
    #[error("{method} {path} did not get through")]
    Http {
        /// The method.
        method: &'static str,
        /// The path.
        path: String,
        /// Why.
        source: reqwest::Error,
    },
    /// The socket failed.
    #[error("the user's socket failed")]
    Socket(#[from] Box<tokio_tungstenite::tungstenite::Error>),
    /// Something came in a shape that was not agreed on.
    #[error("{what} is not what was agreed on: {got}")]
    Shape {
        /// Which thing.
        what: String,
        /// What it is.
        got: String,
    },
    /// Files, streams, processes.
    #[error("{what}")]
    Io {
        /// What was being done.
        what: String,
        /// Why it failed.
        source: std::io::Error,
    },
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

impl Error {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }

    pub(crate) fn shape(what: impl Into<String>, got: impl fmt::Display) -> Self {
        Self::Shape { what: what.into(), got: got.to_string() }
    }
}
