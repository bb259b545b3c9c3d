//! The `band` binary under test.

use std::env;
use std::path::PathBuf;

use tokio::process::Command;

use crate::{Error, Result};

/// Names the binary to test instead of the one beside the tests.
const BINARY: &str = "BAND_BIN";

/// What the tests' own environment must not leak into a program under test.
const NOT_INHERITED: &[&str] = &[
    "BAND_AGENT_ID",
    "BAND_API_KEY",
    "BAND_DATA_DIR",
    "BAND_REST_URL",
    "BAND_STATE_DIR",
    "BAND_USER_KEY",
    "BAND_WS_URL",
    "RUST_LOG",
];

/// Where the binary is: `BAND_BIN`, else the one that cargo built beside the tests.
///
/// # Errors
/// [`Error::Missing`] when there is none.
pub fn band_path() -> Result<PathBuf> {
    if let Some(path) = env::var_os(BINARY).filter(|path| !path.is_empty()) {
        return Ok(path.into());
    }
    let here = env::current_exe().map_err(Error::io("cannot tell where this test is"))?;
    let found = here.ancestors().skip(1).map(|folder| folder.join("band")).find(|file| file.is_file());
    found.ok_or_else(|| Error::Missing {
        what: "the band binary",
        looked: format!(
            "no {BINARY}, and no `band` beside {}; `cargo build --workspace` makes it",
            here.display()
        ),
    })
}

/// A command of the binary, free of the tests' own settings.
///
/// # Errors
/// [`Error::Missing`] when there is no binary.
pub fn band<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Command> {
    let mut command = Command::new(band_path()?);
    command.args(words);
    clean(&mut command);
    Ok(command)
}

/// Takes the tests' own settings out of a program's environment.
pub(crate) fn clean(command: &mut Command) {
    for name in NOT_INHERITED {
        command.env_remove(name);
    }
}
