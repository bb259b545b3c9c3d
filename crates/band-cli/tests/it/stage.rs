//! What the tests start from: the binary in a clean environment, with folders of its own.

use std::path::{Path, PathBuf};
use std::process::Output;

use band_testkit::{PATIENCE, Process};
use tempfile::TempDir;
use tokio::process::Command;

/// A place to run the binary in.
pub(crate) struct Stage {
    folder: TempDir,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// The data directory. The binary makes it.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn home(&self) -> &Path {
        self.folder.path()
    }

    /// The binary with nothing but these folders in its environment.
    pub(crate) fn bare(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_band"));
        command.args(words).env_clear().env("HOME", self.home()).env("TMPDIR", self.home());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.kill_on_drop(true);
        command
    }

    /// The binary with its data directory named in the environment.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.bare(words);
        command.env("BAND_DATA_DIR", self.data());
        command
    }

    pub(crate) async fn run(&self, words: &[&str]) -> Ended {
        Ended::of(self.command(words).output().await.unwrap())
    }

    /// A long-running command, once it has printed a line with `text`; gives that line too.
    pub(crate) async fn start(&self, words: &[&str], text: &str) -> (Process, String) {
        let mut process = Process::start(&words.join(" "), &mut self.command(words)).unwrap();
        let line = process.line(text, PATIENCE).await.unwrap();
        (process, line)
    }

    /// `band up` without a browser, on any port; gives the sign-in link.
    pub(crate) async fn up(&self) -> (Process, String) {
        let (process, line) = self.start(&["up", "--no-open", "--port", "0"], "#token=").await;
        let link = line.split_whitespace().find(|word| word.contains("#token=")).unwrap().to_owned();
        (process, link)
    }

    /// `band serve` on any port; gives its address.
    pub(crate) async fn serve(&self) -> (Process, String) {
        let (process, line) = self.start(&["serve", "--listen", "127.0.0.1:0"], "http://").await;
        let address = line.split_whitespace().find(|word| word.starts_with("http://")).unwrap();
        (process, address.trim_end_matches(['.', ',']).to_owned())
    }
}

/// How a short command ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ended {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// The result of a command that did what was asked.
    #[track_caller]
    pub(crate) fn done(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.err);
        self.out
    }

    /// The error line of a command that ended with this code, and printed nothing else.
    #[track_caller]
    pub(crate) fn failed(self, code: i32) -> String {
        assert_eq!((self.code, self.out.as_str()), (Some(code), ""), "{}", self.err);
        let mut errors = self.err.lines().filter(|line| line.starts_with("error: "));
        let line = errors.next().unwrap_or_else(|| panic!("no error line in {:?}", self.err)).to_owned();
        assert_eq!(errors.next(), None);
        assert!(!self.err.contains("panicked") && !self.err.contains("RUST_BACKTRACE"), "{}", self.err);
        line
    }
}

/// The value of a variable in shell lines.
pub(crate) fn variable<'a>(lines: &'a str, name: &str) -> &'a str {
    let start = format!("export {name}=");
    lines.lines().find_map(|line| line.strip_prefix(&start)).unwrap_or_else(|| panic!("no {name} in {lines}"))
}
