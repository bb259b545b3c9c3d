//! The real counterparts of the interop tests: the Python SDK, the Phoenix client, a browser.
//!
//! Whatever the environment names already is used as it is; the rest is made under `target/peers`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::step::{command, read, run};
use crate::workspace;

/// The Python interpreter that has the SDK.
const PYTHON: &str = "BAND_TEST_PYTHON";
/// The folder with the npm packages.
const NODE_MODULES: &str = "BAND_TEST_NODE_MODULES";
/// The browser.
const CHROMIUM: &str = "BAND_TEST_CHROMIUM";

/// Names under which a Chromium may be installed.
const BROWSERS: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

/// Where each counterpart is, once known.
#[derive(Debug)]
pub(crate) struct Peers {
    python: Option<PathBuf>,
    node_modules: Option<PathBuf>,
    chromium: Option<PathBuf>,
}

impl Peers {
    /// Those that the environment names.
    pub(crate) fn of_environment() -> Self {
        let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self { python: named(PYTHON), node_modules: named(NODE_MODULES), chromium: named(CHROMIUM) }
    }

    /// Makes those that are missing.
    pub(crate) fn set_up(&mut self) -> Result<()> {
        fs::create_dir_all(workspace::peers()).context("cannot make the folder of the peers")?;
        if self.python.is_none() {
            self.python = Some(python()?);
        }
        if self.node_modules.is_none() {
            self.node_modules = Some(node_modules()?);
        }
        if self.chromium.is_none() {
            self.chromium = Some(chromium()?);
        }
        for (name, path) in self.all() {
            println!("{name}={}", path.display());
        }
        Ok(())
    }

    /// Tells a test runner where they are.
    pub(crate) fn announce(&self, runner: &mut Command) {
        runner.envs(self.all());
    }

    fn all(&self) -> impl Iterator<Item = (&'static str, &PathBuf)> {
        let named = [(PYTHON, &self.python), (NODE_MODULES, &self.node_modules), (CHROMIUM, &self.chromium)];
        named.into_iter().filter_map(|(name, path)| path.as_ref().map(|path| (name, path)))
    }
}

/// Runs `work` unless `stamp` says that the same `wanted` is in place already.
fn once(stamp: &Path, wanted: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    if fs::read_to_string(stamp).is_ok_and(|have| have == wanted) {
        return Ok(());
    }
    work()?;
    fs::write(stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))
}

fn read_file(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// A virtual environment with the SDK and exactly the versions it was tested with.
fn python() -> Result<PathBuf> {
    let folder = workspace::peers().join("venv");
    let python = folder.join("bin/python");
    let list = workspace::testkit().join("tests/peers/requirements.txt");
    once(&workspace::peers().join("venv.stamp"), &read_file(&list)?, || {
        let system = workspace::find_program("python3")
            .context("python3 is not installed; Python 3.11 or newer is needed")?;
        let version = read(command(&system).args(["-c", "import sys; print(sys.version_info >= (3, 11))"]))?;
        if version.trim() != "True" {
            bail!("{} is older than 3.11, which band-sdk needs", system.display());
        }
        run(command(&system).args(["-m", "venv", "--clear"]).arg(&folder))
            .context("cannot make a virtual environment; on Debian: apt-get install python3-venv")?;
        run(command(&python)
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
                "--requirement",
            ])
            .arg(&list))
    })?;
    Ok(python)
}

/// The npm packages, exactly as the lock file has them.
fn node_modules() -> Result<PathBuf> {
    let source = workspace::testkit().join("tests/peers");
    let folder = workspace::peers().join("npm");
    let lock = read_file(&source.join("package-lock.json"))?;
    once(&workspace::peers().join("npm.stamp"), &lock, || {
        fs::create_dir_all(&folder).context("cannot make the folder of the npm packages")?;
        for name in ["package.json", "package-lock.json"] {
            fs::copy(source.join(name), folder.join(name)).with_context(|| format!("cannot copy {name}"))?;
        }
        let npm = workspace::find_program("npm")
            .context("npm is not installed; Node.js 20 or newer with npm is needed")?;
        run(command(npm)
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"])
            .current_dir(&folder))
    })?;
    Ok(folder.join("node_modules"))
}

/// Any Chromium that is there, else Debian's.
fn chromium() -> Result<PathBuf> {
    let installed = || BROWSERS.iter().find_map(|name| workspace::find_program(name));
    if let Some(found) = installed() {
        return Ok(found);
    }
    let Some(apt) = workspace::find_program("apt-get") else {
        bail!("no Chromium found; install one, or name it in {CHROMIUM}");
    };
    let user = read(command("id").arg("-u"))?;
    if user.trim() != "0" {
        bail!("no Chromium found; install it as root (apt-get install chromium), or name one in {CHROMIUM}");
    }
    println!("no Chromium found: installing Debian's package chromium with apt-get");
    let quiet = |words: &[&str]| run(command(&apt).args(words).env("DEBIAN_FRONTEND", "noninteractive"));
    quiet(&["update", "--quiet", "--quiet"])?;
    quiet(&["install", "--quiet", "--quiet", "--yes", "--no-install-recommends", "chromium"])?;
    installed().context("apt-get installed chromium, yet no Chromium is on the path")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_repeated_only_when_what_is_wanted_changed() {
        let stamp = env::temp_dir().join(format!("band-xtask-stamp-{}", std::process::id()));
        let mut runs = 0;
        for wanted in ["a", "a", "b"] {
            once(&stamp, wanted, || {
                runs += 1;
                Ok(())
            })
            .unwrap();
        }
        fs::remove_file(&stamp).unwrap();
        assert_eq!(runs, 2);
    }

    #[test]
    fn failed_work_leaves_no_stamp() {
        let stamp = env::temp_dir().join(format!("band-xtask-no-stamp-{}", std::process::id()));
        assert!(once(&stamp, "a", || bail!("broke")).is_err());
        assert!(!stamp.exists());
    }
}
