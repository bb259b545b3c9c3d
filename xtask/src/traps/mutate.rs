//! Taking the guards away, one at a time, in a copy of the tree.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::table::{Guard, Outcome, TABLES, Test, Trap};
use super::{OUTCOMES, edit, outcomes, tables, write, write_page};
use crate::step::{command, read as read_output};
use crate::test::peers::Peers;
use crate::workspace;

/// A test that hangs without its guard has failed; nobody waits minutes for that.
const PATIENCE: &str = "[profile.default]\nslow-timeout = { period = \"30s\", terminate-after = 2 }\n";
/// What the test runner ends with when a test failed.
const TESTS_FAILED: i32 = 100;

/// A guard to take away.
struct Job<'a> {
    /// `runtime 7.1`.
    name: String,
    guard: &'a Guard,
    test: Test<'a>,
}

/// Takes away the guards of these traps, or of all; keeps what came of it.
pub(super) fn run(numbers: &[&str]) -> Result<()> {
    let tables = tables()?;
    let mut jobs = Vec::new();
    for ((name, _), traps) in TABLES.iter().zip(&tables) {
        jobs.extend(traps.iter().flat_map(|trap| jobs_of(name, trap)));
    }
    let wanted: BTreeSet<&str> = numbers.iter().copied().collect();
    let is_wanted = |job: &Job<'_>| {
        let number = job.name.split(' ').nth(1).unwrap_or_default();
        wanted.is_empty()
            || wanted.contains(number)
            || wanted.contains(number.split('.').next().unwrap_or(number))
    };
    jobs.retain(is_wanted);
    if jobs.is_empty() {
        bail!("no guard has such a number: {numbers:?}");
    }
    // Neighbours need the same crates built.
    jobs.sort_by_key(|job| job.test);
    let tree = Tree::copy()?;
    let commit = commit()?;
    let mut odd = Vec::new();
    for job in &jobs {
        let word = tree.without(job)?;
        println!("{:>14}  {word}  {}", job.name, job.guard.idea);
        if word == "fails" || word == "passes" {
            keep(job, word, &commit)?;
        }
        if word != "fails" {
            odd.push(format!("{}: {word}", job.name));
        }
    }
    write_page()?;
    if !odd.is_empty() {
        bail!("{} of {} guards are not missed:\n{}", odd.len(), jobs.len(), odd.join("\n"));
    }
    println!("{} guards are each missed by their test", jobs.len());
    Ok(())
}

fn jobs_of<'a>(table: &str, trap: &'a Trap) -> Vec<Job<'a>> {
    let named = (1..).zip(&trap.guards).filter_map(|(place, guard)| {
        Some(Job { name: format!("{table} {}.{place}", trap.number), guard, test: trap.witness(guard)? })
    });
    named.collect()
}

fn commit() -> Result<String> {
    Ok(read_output(command("git").args(["rev-parse", "--short=7", "HEAD"]))?.trim().to_owned())
}

/// Keeps an outcome in the place of the last one.
fn keep(job: &Job<'_>, word: &str, commit: &str) -> Result<()> {
    let mut known = outcomes()?;
    known.retain(|outcome| outcome.guard != job.name);
    let outcome = Outcome {
        guard: job.name.clone(),
        mark: job.guard.mark(),
        word: word.to_owned(),
        commit: commit.to_owned(),
    };
    known.push(outcome);
    known.sort_by(|one, other| one.guard.cmp(&other.guard));
    let lines =
        known.iter().map(|Outcome { guard, mark, word, commit }| format!("{guard} {mark} {word} {commit}\n"));
    write(OUTCOMES, &lines.collect::<String>())
}

/// A copy of the repository, with a target directory of its own.
struct Tree {
    root: PathBuf,
    build: PathBuf,
    peers: Peers,
}

impl Tree {
    fn copy() -> Result<Self> {
        let home = workspace::target().join("traps");
        let root = home.join("tree");
        let listed =
            read_output(command("git").args(["ls-files", "--cached", "--others", "--exclude-standard"]))?;
        let wanted: BTreeSet<PathBuf> = listed.lines().map(PathBuf::from).collect();
        for path in &wanted {
            let from = workspace::root().join(path);
            if let Ok(bytes) = fs::read(&from) {
                put(&root.join(path), &bytes)?;
            }
        }
        let mut there = Vec::new();
        crate::tidy::walk(&root, &mut there)?;
        for path in there {
            let is_wanted = path.strip_prefix(&root).is_ok_and(|path| wanted.contains(path));
            if !is_wanted {
                fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
            }
        }
        put(&root.join(".config/nextest.toml"), PATIENCE.as_bytes())?;
        Ok(Self { root, build: home.join("build"), peers: Peers::of_environment() })
    }

    /// What the test does without the guard, in a word.
    fn without(&self, job: &Job<'_>) -> Result<&'static str> {
        let path = self.root.join(&job.guard.file);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let places = edit::places(&text, &job.guard.old);
        let [place] = places.as_slice() else { return Ok("is stale") };
        put(&path, edit::replaced(&text, place, &job.guard.new).as_bytes())?;
        let word = self.try_test(job.test);
        put(&path, text.as_bytes())?;
        word
    }

    fn try_test(&self, test: Test<'_>) -> Result<&'static str> {
        if !self.cargo(test, &["--no-run"]).status()?.success() {
            return Ok("does not build");
        }
        let filter = test.filter();
        let status = self.cargo(test, &["-E", &filter, "--no-tests", "fail"]).status()?;
        Ok(match status.code() {
            Some(0) => "passes",
            Some(TESTS_FAILED) => "fails",
            _ => "can't be run",
        })
    }

    fn cargo(&self, test: Test<'_>, words: &[&str]) -> Command {
        let mut cargo = Command::new("nice");
        cargo.args(["cargo", "nextest", "run", "--locked", "--hide-progress-bar", "--package", test.package]);
        match (test.outside, test.package) {
            (true, _) => cargo.args(["--test", "it"]),
            (false, "band-cli" | "xtask") => cargo.arg("--bins"),
            (false, _) => cargo.arg("--lib"),
        };
        cargo.args(words).current_dir(&self.root);
        cargo
            .env("CARGO_TARGET_DIR", &self.build)
            .env("CARGO_INCREMENTAL", "1")
            .env("CARGO_TERM_QUIET", "true");
        cargo.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.peers.announce(&mut cargo);
        cargo
    }
}

/// Writes a file, unless it has this content: what did not change is not built again.
fn put(path: &Path, bytes: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|known| known == bytes) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
