//! Where the platform's data lives.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::exit::Failure;

/// The option that commands on a platform's data share.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct DataDir {
    /// The platform's data directory [default: $BAND_DATA_DIR, else $XDG_DATA_HOME/band, else ~/.local/share/band]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
}

impl DataDir {
    /// The directory, made absolute, so that messages name it wherever they are read. It need not exist.
    pub(crate) fn resolve(&self) -> Result<PathBuf> {
        let found = find(self.data.clone(), |name| std::env::var_os(name))?;
        std::path::absolute(&found).map_err(|err| {
            Failure::usage(format!("data directory {}: {err}; give another with --data", found.display()))
        })
    }

    /// What has to be added to another command so that it finds the same directory: nothing, or ` --data DIR`.
    pub(crate) fn as_option(&self) -> String {
        match &self.data {
            Some(dir) => {
                // The other command may be typed elsewhere.
                let dir = std::path::absolute(dir).unwrap_or_else(|_| dir.clone());
                format!(" --data {}", crate::shell::quoted(&dir.to_string_lossy()))
            }
            None => String::new(),
        }
    }
}

/// The flag, else the variable, else the place that the desktop's convention names. Empty is unset, and so is
/// a relative `XDG_DATA_HOME`, as that convention says.
fn find(flag: Option<PathBuf>, var: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf> {
    let set = |name| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(dir) = flag.filter(|dir| !dir.as_os_str().is_empty()).or_else(|| set("BAND_DATA_DIR")) {
        return Ok(dir);
    }
    if let Some(home) = set("XDG_DATA_HOME").filter(|home| home.is_absolute()) {
        return Ok(home.join("band"));
    }
    match set("HOME") {
        Some(home) => Ok(home.join(".local/share/band")),
        None => Err(Failure::usage(
            "data directory: none of BAND_DATA_DIR, XDG_DATA_HOME and HOME is set; give one with --data DIR",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(flag: Option<&str>, vars: &[(&str, &str)]) -> Option<String> {
        let var = |name: &str| vars.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
        find(flag.map(PathBuf::from), var).ok().map(|dir| dir.to_string_lossy().into_owned())
    }

    #[test]
    fn the_flag_wins_then_the_variable_then_the_convention_then_home() {
        let all = [("BAND_DATA_DIR", "/var/band"), ("XDG_DATA_HOME", "/xdg"), ("HOME", "/home/ann")];
        assert_eq!(found(Some("here"), &all).as_deref(), Some("here"));
        assert_eq!(found(None, &all).as_deref(), Some("/var/band"));
        assert_eq!(found(None, &all[1..]).as_deref(), Some("/xdg/band"));
        assert_eq!(found(None, &all[2..]).as_deref(), Some("/home/ann/.local/share/band"));
        assert_eq!(found(None, &[]), None);
    }

    #[test]
    fn empty_is_unset_and_a_relative_convention_is_passed_over() {
        let vars = [("BAND_DATA_DIR", ""), ("XDG_DATA_HOME", "rel"), ("HOME", "/home/ann")];
        assert_eq!(found(Some(""), &vars).as_deref(), Some("/home/ann/.local/share/band"));
    }

    #[test]
    fn another_command_is_told_of_the_directory_only_when_it_was_given() {
        assert_eq!(DataDir::default().as_option(), "");
        assert_eq!(DataDir { data: Some("/tmp/my band".into()) }.as_option(), " --data '/tmp/my band'");
        let here = std::env::current_dir().unwrap().join("here");
        let shown = DataDir { data: Some("here".into()) }.as_option();
        assert_eq!(shown, format!(" --data {}", crate::shell::quoted(here.to_str().unwrap())));
    }
}
