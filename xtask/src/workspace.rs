//! Where things are.

use std::env;
use std::path::{Path, PathBuf};

/// The root of the workspace: the folder above this crate.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Cargo's target directory, which the environment may have moved.
pub(crate) fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(dir) if !dir.is_empty() => root().join(dir),
        _ => root().join("target"),
    }
}

/// Where the peers of the interop tests live.
pub(crate) fn peers() -> PathBuf {
    target().join("peers")
}

/// The crate that holds the interop tests.
pub(crate) fn testkit() -> PathBuf {
    root().join("crates/band-testkit")
}

/// The first program of this name on the path.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|dir| dir.join(name)).find(|file| file.is_file())
}
