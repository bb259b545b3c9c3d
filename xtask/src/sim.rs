//! `cargo xtask sim`: simulations, by the seed, by the range, by the million.

use std::fmt::Write as _;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::step::{command, read, run as run_command};
use crate::workspace;

/// Where long runs are written down.
const LEDGER: &str = "docs/simulation.md";
/// The end of the table that they are written into.
const LEDGER_END: &str = "<!-- the ledger ends here -->";
/// Seeds of one row of the ledger.
const SLICE: u64 = 50_000;
/// Seeds that every change is tested with.
const QUICK: u64 = 3_000;

/// From so many seeds on it pays to build the simulator with optimisation first.
const WORTH_BUILDING: u64 = 20_000;

/// Runs what the words ask for.
pub(crate) fn run(rest: &[String]) -> Result<()> {
    let words: Vec<&str> = rest.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--seed", ..] => simulate(&words),
        ["--seeds", range, more @ ..] if range.contains("..") => {
            let words = [&["--seeds", *range], more].concat();
            if length(range) < WORTH_BUILDING { simulate(&words) } else { simulate_quickly(&words) }
        }
        ["--seeds", count] => {
            long(count.parse().with_context(|| format!("--seeds takes A..B or a number, got {count:?}"))?)
        }
        other => bail!("sim takes --seed N, --seeds A..B or --seeds COUNT, got {other:?}"),
    }
}

/// As many as fit into the tests of every change.
pub(crate) fn quick() -> Result<()> {
    simulate(&["--seeds", &format!("0..{QUICK}")])
}

fn simulate(words: &[&str]) -> Result<()> {
    run_command(command("cargo").args(CARGO).arg("--").args(words))
}

/// The same with optimisation: several times as fast, after a build of its own.
fn simulate_quickly(words: &[&str]) -> Result<()> {
    run_command(command("cargo").args(CARGO).args(["--profile", "sim", "--"]).args(words))
}

const CARGO: &[&str] = &["run", "--quiet", "--locked", "--package", "band-testkit", "--bin", "band-sim"];

/// How many seeds a range holds; none that can't be read.
fn length(range: &str) -> u64 {
    let ends = range.split_once("..").and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    ends.map_or(0, |(from, to): (u64, u64)| to.saturating_sub(from))
}

/// Goes on where the ledger ends, a slice at a time, and writes each slice down.
fn long(count: u64) -> Result<()> {
    let path = workspace::root().join(LEDGER);
    let mut left = count;
    while left > 0 {
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {LEDGER}"))?;
        let from = next_seed(&text);
        let to = from + left.min(SLICE);
        let commit = read(command("git").args(["rev-parse", "--short", "HEAD"]))?;
        let begun = Instant::now();
        let outcome = simulate_quickly(&["--seeds", &format!("{from}..{to}")]);
        let found = if outcome.is_ok() { "none" } else { "see the run" };
        let row = row(from, to, commit.trim(), begun.elapsed().as_secs(), found);
        let Some((before, after)) = text.split_once(LEDGER_END) else {
            bail!("{LEDGER} has no line {LEDGER_END:?}");
        };
        std::fs::write(&path, format!("{before}{row}{LEDGER_END}{after}"))
            .with_context(|| format!("cannot write {LEDGER}"))?;
        outcome?;
        left -= to - from;
    }
    Ok(())
}

fn row(from: u64, to: u64, commit: &str, seconds: u64, found: &str) -> String {
    let mut row = String::new();
    // Writing into a text can't fail.
    let _ = writeln!(row, "| {from}..{to} | {commit} | {seconds} s | {found} |");
    row
}

/// The seed after the last one of the ledger.
fn next_seed(ledger: &str) -> u64 {
    let ends = ledger.lines().filter_map(|line| {
        let (_, end) = line.strip_prefix("| ")?.split('|').next()?.trim().split_once("..")?;
        end.parse::<u64>().ok()
    });
    ends.max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_says_how_many_seeds_it_holds() {
        assert_eq!(length("3000..23000"), 20_000);
        assert_eq!(["9..3", "9..", "x..y", "7"].map(length), [0; 4]);
    }

    #[test]
    fn a_long_run_goes_on_where_the_ledger_ends() {
        let ledger = format!(
            "| seeds | commit |\n{}{}",
            row(0, 500, "abc", 3, "none"),
            row(500, 900, "abd", 4, "none")
        );
        assert_eq!(next_seed(&ledger), 900);
        assert_eq!(next_seed("| seeds | commit | took | findings |\n"), 0);
    }
}
