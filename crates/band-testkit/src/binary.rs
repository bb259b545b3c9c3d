//! The `band` binary under test.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

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
/// Building the tests of another crate does not build the binary: one that lies there may be older than its sources.
///
/// # Errors
/// [`Error::Missing`] when there is none, [`Error::Stale`] when cargo would build it anew.
pub fn band_path() -> Result<PathBuf> {
    if let Some(path) = env::var_os(BINARY).filter(|path| !path.is_empty()) {
        return Ok(path.into());
    }
    let here = env::current_exe().map_err(Error::io("cannot tell where this test is"))?;
    let found = here.ancestors().skip(1).map(|folder| folder.join("band")).find(|file| file.is_file());
    let found = found.ok_or_else(|| Error::Missing {
        what: "the band binary",
        looked: format!(
            "no {BINARY}, and no `band` beside {}; `cargo build --workspace --bins` makes it",
            here.display()
        ),
    })?;
    match newer_source(&found) {
        Some(source_file) => Err(Error::Stale { binary: found, source_file }),
        None => Ok(found),
    }
}

/// A file that the binary was built from and that was changed since, by the list that cargo leaves beside the binary.
/// Without a list nobody can tell.
fn newer_source(binary: &Path) -> Option<PathBuf> {
    let built = changed(binary)?;
    let list = fs::read_to_string(binary.with_extension("d")).ok()?;
    let mut sources = sources(&list).into_iter();
    sources.find(|source| source.is_file() && changed(source).is_some_and(|changed| changed > built))
}

fn changed(file: &Path) -> Option<SystemTime> {
    fs::metadata(file).and_then(|file| file.modified()).ok()
}

/// The files of a list as make reads it: `target: source source`, with a backslash before a space in a name.
fn sources(list: &str) -> Vec<PathBuf> {
    let Some((_, list)) = list.split_once(": ") else { return Vec::new() };
    let list = list.replace("\\ ", "\0");
    list.split_whitespace().map(|name| name.replace('\0', " ").into()).collect()
}

/// A command of the binary, free of the tests' own settings.
///
/// # Errors
/// As [`band_path`].
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

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_binary_older_than_one_of_its_sources_is_stale() {
        let folder = tempfile::tempdir().unwrap();
        let [binary, old, new] = ["band", "old.rs", "a new.rs"].map(|name| folder.path().join(name));
        for (file, age) in [(&binary, 2), (&old, 3), (&new, 1)] {
            let file = File::create(file).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(10 - age)).unwrap();
        }
        assert_eq!(newer_source(&binary), None, "without a list nobody can tell");
        let listed = |name: &Path| name.display().to_string().replace(' ', "\\ ");
        let list = |sources: &[&Path]| {
            let sources: Vec<String> = sources.iter().map(|source| listed(source)).collect();
            let list = format!("{}: {}\n", listed(&binary), sources.join(" "));
            fs::write(folder.path().join("band.d"), list).unwrap();
        };
        list(&[&old, &folder.path().join("gone.rs")]);
        assert_eq!(newer_source(&binary), None);
        list(&[&old, &new]);
        assert_eq!(newer_source(&binary), Some(new));
    }
}
