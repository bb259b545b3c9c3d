//! `cargo xtask test`: all that CI runs, in one order, with one set of flags.

mod lacking;
pub(crate) mod peers;

use std::env;
use std::process::Command;

use anyhow::{Result, bail};

use crate::step::{Timings, command, run as run_command};
use crate::workspace;
use peers::Peers;

/// A named part of the whole.
type Step = (&'static str, fn(&mut Peers) -> Result<()>);

const STEPS: &[Step] = &[
    ("peers", Peers::set_up),
    ("format", |_| run_command(cargo("fmt").args(["--all", "--check"]))),
    ("tidy", |_| crate::tidy::run(&[])),
    ("rules", |_| crate::rules::run(&[])),
    ("traps", |_| crate::traps::check_guards()),
    ("lints", |_| lints()),
    ("build", |_| build()),
    ("tests", |peers| {
        run_command(&mut runner(peers, &["--workspace", "--locked"]))?;
        lacking::tell();
        Ok(())
    }),
    ("simulation", |_| crate::sim::quick()),
    ("doctests", |_| doctests()),
    ("page", |_| page()),
];

/// Runs the steps that the words ask for.
pub(crate) fn run(rest: &[String]) -> Result<()> {
    let steps = choose(rest)?;
    if steps.is_empty() {
        for (name, _) in STEPS {
            println!("{name}");
        }
        return Ok(());
    }
    let mut timings = Timings::default();
    let outcome = run_steps(steps, &mut timings);
    timings.print();
    outcome
}

fn run_steps(steps: &[Step], timings: &mut Timings) -> Result<()> {
    let mut peers = Peers::of_environment();
    for (name, work) in steps {
        timings.step(name, || work(&mut peers))?;
    }
    Ok(())
}

/// None at all when only the names are wanted.
fn choose(rest: &[String]) -> Result<&'static [Step]> {
    let words: Vec<&str> = rest.iter().map(String::as_str).collect();
    let find = |name: &str| match STEPS.iter().position(|(step, _)| *step == name) {
        Some(at) => Ok(at),
        None => bail!("no step {name:?}; `cargo xtask test --list` names them"),
    };
    match words.as_slice() {
        [] => Ok(STEPS),
        ["--list"] => Ok(&[]),
        ["--from", name] => Ok(STEPS.get(find(name)?..).unwrap_or_default()),
        ["--only", name] => {
            let at = find(name)?;
            Ok(STEPS.get(at..=at).unwrap_or_default())
        }
        other => bail!("test takes --from STEP, --only STEP or --list, got {other:?}"),
    }
}

/// Sets up the peers and nothing else.
pub(crate) fn peers_only(rest: &[String]) -> Result<()> {
    if let Some(word) = rest.first() {
        bail!("peers takes no argument, got {word:?}");
    }
    Peers::of_environment().set_up()
}

/// The interop tests alone. The words are passed on to the test runner.
pub(crate) fn interop(rest: &[String]) -> Result<()> {
    let mut peers = Peers::of_environment();
    peers.set_up()?;
    run_command(cargo("build").args(["--workspace", "--bins"]))?;
    run_command(runner(&peers, &["--package", "band-testkit"]).args(rest))
}

fn cargo(subcommand: &str) -> Command {
    let mut command = command("cargo");
    command.arg(subcommand);
    command
}

fn lints() -> Result<()> {
    run_command(cargo("clippy").args([
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "--deny",
        "warnings",
    ]))
}

/// Everything at once, so that features are unified in one way only and the binary is fresh.
fn build() -> Result<()> {
    run_command(cargo("build").args(["--workspace", "--all-targets", "--locked"]))
}

/// nextest where it is installed, else cargo's own runner.
fn runner(peers: &Peers, selection: &[&str]) -> Command {
    let mut command = if workspace::find_program("cargo-nextest").is_some() {
        let mut command = cargo("nextest");
        command.arg("run").args(selection);
        if env::var_os("CI").is_some() {
            command.args(["--profile", "ci"]);
        }
        command
    } else {
        println!("cargo-nextest is not installed: using cargo test");
        let mut command = cargo("test");
        command.args(selection).arg("--all-targets");
        command
    };
    peers.announce(&mut command);
    command
}

fn doctests() -> Result<()> {
    run_command(cargo("test").args(["--workspace", "--doc", "--locked"]))
}

/// The page's own tests, with node's runner.
fn page() -> Result<()> {
    let folder = workspace::root().join("crates/band-server/web");
    let mut files = Vec::new();
    crate::tidy::walk(&folder, &mut files)?;
    files.retain(|file| {
        file.to_string_lossy().ends_with(".test.mjs") || file.to_string_lossy().ends_with(".test.js")
    });
    if files.is_empty() {
        bail!("no test file (*.test.mjs, *.test.js) below {}", folder.display());
    }
    run_command(command("node").arg("--test").args(files))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str]) -> Vec<&'static str> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        choose(&words).unwrap().iter().map(|(name, _)| *name).collect()
    }

    #[test]
    fn without_words_every_step_runs() {
        assert_eq!(names(&[]).len(), STEPS.len());
    }

    #[test]
    fn a_run_starts_where_it_is_told_or_runs_one_step() {
        assert_eq!(names(&["--from", "doctests"]), ["doctests", "page"]);
        assert_eq!(names(&["--only", "tidy"]), ["tidy"]);
        assert!(names(&["--list"]).is_empty());
    }

    #[test]
    fn an_unknown_step_or_word_is_refused_by_name() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let unknown_step = choose(&words("--only paint")).map(<[Step]>::len).unwrap_err();
        assert!(unknown_step.to_string().contains("\"paint\""));
        assert!(choose(&words("--fast")).is_err());
    }
}
