//! The real counterparts, as `cargo xtask peers` sets them up.
//!
//! Each is named by an environment variable or lies under `target/peers`. A test whose counterpart is
//! missing fails and says what to run; it is never skipped.

use std::env;
use std::path::{Path, PathBuf};

use tokio::process::Command;

use crate::binary::clean;
use crate::{Error, Result};

/// A command of the Python interpreter that has the Python SDK.
///
/// # Errors
/// [`Error::Missing`] when there is none.
pub fn python() -> Result<Command> {
    let python = find("BAND_TEST_PYTHON", "venv/bin/python", "a Python with band-sdk")?;
    let mut command = Command::new(python);
    command.env("PYTHONUNBUFFERED", "1");
    clean(&mut command);
    Ok(command)
}

/// A command of Node.js that finds the npm packages of the tests.
///
/// # Errors
/// [`Error::Missing`] when Node.js or the packages are missing.
pub fn node() -> Result<Command> {
    let modules = find("BAND_TEST_NODE_MODULES", "npm/node_modules", "the folder with the npm packages")?;
    let node = program(&["node"]).ok_or_else(|| missing("Node.js", "no `node` on the path"))?;
    let mut command = Command::new(node);
    command.env("NODE_PATH", modules);
    clean(&mut command);
    Ok(command)
}

/// The browser.
///
/// # Errors
/// [`Error::Missing`] when there is none.
pub fn chromium() -> Result<PathBuf> {
    if let Some(named) = named("BAND_TEST_CHROMIUM") {
        return Ok(named);
    }
    program(&["chromium", "chromium-browser", "google-chrome"])
        .ok_or_else(|| missing("Chromium", "no BAND_TEST_CHROMIUM, and no `chromium` on the path"))
}

/// A script that lies beside the tests.
pub fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers").join(name)
}

fn find(variable: &str, below_peers: &str, what: &'static str) -> Result<PathBuf> {
    if let Some(named) = named(variable) {
        return Ok(named);
    }
    let here = env::current_exe().map_err(Error::io("cannot tell where this test is"))?;
    let found =
        here.ancestors().map(|folder| folder.join("peers").join(below_peers)).find(|path| path.exists());
    found.ok_or_else(|| {
        missing(what, &format!("no {variable}, and no peers/{below_peers} in the target folder"))
    })
}

fn named(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn program(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    names.iter().find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file()))
}

fn missing(what: &'static str, looked: &str) -> Error {
    Error::Missing { what, looked: looked.to_owned() }
}
