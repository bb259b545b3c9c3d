//! `cargo xtask traps`: what went wrong elsewhere, the tests that show that it does not here, and the guards
//! without which those tests fail.

mod edit;
mod mutate;
mod page;
mod table;

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, bail};

use self::table::{Outcome, TABLES, Test, Trap};
use crate::step::{command, run as run_command};
use crate::test::peers::Peers;
use crate::tidy::SourceFile;
use crate::workspace;

/// Where the tables are.
const FOLDER: &str = "xtask/traps";
/// What became of each guard's removal, one a line.
const OUTCOMES: &str = "xtask/traps/outcomes.txt";

/// Runs the tests of the tables, or what the words say.
pub(crate) fn run(rest: &[String]) -> Result<()> {
    let words: Vec<&str> = rest.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => tests(),
        ["--page"] => write_page(),
        ["--check"] => check_guards(),
        ["--mutate", numbers @ ..] => mutate::run(numbers),
        other => bail!("traps takes --page, --check or --mutate [NUMBER…], got {other:?}"),
    }
}

/// Every table in the order of [`TABLES`].
fn tables() -> Result<Vec<Vec<Trap>>> {
    TABLES.iter().map(|(name, _)| table::read(name, &read(&format!("{FOLDER}/{name}.yaml"))?)).collect()
}

fn outcomes() -> Result<Vec<Outcome>> {
    table::outcomes(&read(OUTCOMES)?)
}

fn read(path: &str) -> Result<String> {
    fs::read_to_string(workspace::root().join(path)).with_context(|| format!("cannot read {path}"))
}

fn write(path: &str, text: &str) -> Result<()> {
    fs::write(workspace::root().join(path), text).with_context(|| format!("cannot write {path}"))
}

fn write_page() -> Result<()> {
    write(page::PAGE, &page::render(&tables()?, &outcomes()?))
}

/// Runs every test that the tables name.
fn tests() -> Result<()> {
    let tables = tables()?;
    let tests: BTreeSet<Test<'_>> =
        tables.iter().flatten().flat_map(|trap| &trap.shown).filter_map(|test| Test::read(test)).collect();
    let filters: Vec<String> = tests.iter().map(|test| test.filter()).collect();
    run_command(command("cargo").args(["build", "--workspace", "--bins", "--locked"]))?;
    let mut runner = command("cargo");
    runner.args(["nextest", "run", "--workspace", "--locked", "-E"]).arg(filters.join(" or "));
    let mut peers = Peers::of_environment();
    peers.set_up()?;
    peers.announce(&mut runner);
    run_command(&mut runner)
}

/// Each guard still stands in its file, once.
pub(crate) fn check_guards() -> Result<()> {
    let tables = tables()?;
    let mut stale = Vec::new();
    let mut guards = 0;
    for ((name, _), traps) in TABLES.iter().zip(&tables) {
        for (trap, guard) in traps.iter().flat_map(|trap| trap.guards.iter().map(move |guard| (trap, guard)))
        {
            guards += 1;
            if let Some(why) = stale_because(trap, guard, &read(&guard.file).unwrap_or_default()) {
                stale.push(format!("{name} {}: {why}", trap.number));
            }
        }
    }
    if !stale.is_empty() {
        bail!("{}\nbring {FOLDER} up to date with the code", stale.join("\n"));
    }
    println!("{guards} guards stand where the tables say");
    Ok(())
}

fn stale_because(trap: &Trap, guard: &table::Guard, text: &str) -> Option<String> {
    if trap.witness(guard).is_none() {
        return Some(format!("no test fails without {:?}", guard.idea));
    }
    match edit::places(text, &guard.old).len() {
        1 => None,
        many => Some(format!("the guard {:?} stands in {} {many} times, not once", guard.idea, guard.file)),
    }
}

/// For `cargo xtask tidy`: the tests named are there, and the page is what the tables say.
pub(crate) fn check(files: &[SourceFile], found: &mut Vec<String>) {
    if let Err(error) = check_page(files, found) {
        found.push(format!("{FOLDER}:1: {error:#}"));
    }
}

fn check_page(files: &[SourceFile], found: &mut Vec<String>) -> Result<()> {
    let text = |path: &str| {
        let file = files.iter().find(|file| file.path == path);
        file.map(|file| file.text.as_str()).with_context(|| format!("{path} is missing"))
    };
    let mut tables = Vec::new();
    for (name, _) in TABLES {
        let path = format!("{FOLDER}/{name}.yaml");
        let traps = table::read(name, text(&path)?)?;
        for trap in &traps {
            let tests = trap.shown.iter().chain(trap.guards.iter().filter_map(|guard| guard.fails.as_ref()));
            for test in tests {
                if !Test::read(test).is_some_and(|test| test.is_in(files)) {
                    found.push(format!("{path}:1: {}: there is no test `{test}`", trap.number));
                }
            }
        }
        tables.push(traps);
    }
    if page::render(&tables, &table::outcomes(text(OUTCOMES)?)?) != text(page::PAGE)? {
        found.push(format!("{}:1: it is out of date: run `cargo xtask traps --page`", page::PAGE));
    }
    Ok(())
}
