//! `band-sim`: runs simulations from the command line. `cargo xtask sim` builds and calls it.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool speaks on its streams")]

use std::process::ExitCode;
use std::time::Instant;

use band_testkit::sim::{Choice, Fault, Report, replay, shrink, sweep};

const USAGE: &str = "\
band-sim --seed N [--only 1,2,3] [--calm]   one seed, with its trace
band-sim --seeds A..B [--most N]            many seeds, and the smallest form of each that fails
band-sim --plants A..B                      for each fault the first seed that finds it

--plant FAULT goes with the first two
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(text) => {
            eprintln!("band-sim: {text}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Whether nothing was found.
fn run(words: &[String]) -> Result<bool, String> {
    let after = |name: &str| {
        words.iter().position(|word| word == name).and_then(|at| words.get(at + 1)).map(String::as_str)
    };
    let planted =
        after("--plant").map(|name| fault(name).ok_or_else(|| format!("no fault {name:?}"))).transpose()?;
    if let Some(range) = after("--plants") {
        return Ok(plants(seeds(range)?));
    }
    if let Some(seed) = after("--seed") {
        let only = after("--only").map(|list| list.split(',').filter_map(|n| n.parse().ok()).collect());
        let calm = words.iter().any(|word| word == "--calm");
        let report = replay(&Choice { seed: number(seed)?, only, calm, planted }, true);
        report.trace.iter().for_each(|line| println!("{line}"));
        show(&report);
        return Ok(report.violations.is_empty());
    }
    let Some(range) = after("--seeds") else { return Err("name --seed or --seeds".to_owned()) };
    let seeds = seeds(range)?;
    let most = after("--most").map_or(Ok(5), number)?;
    let begun = Instant::now();
    let found = sweep(seeds.clone(), planted, threads(), usize::try_from(most).unwrap_or(usize::MAX));
    let took = begun.elapsed();
    for finding in &found {
        show(&finding.report);
        let small = shrink(&finding.report);
        println!("  smallest: cargo xtask sim {}", small.choice);
    }
    println!("seeds {}..{}: {} failed, {:.1} s", seeds.start, seeds.end, found.len(), took.as_secs_f64());
    Ok(found.is_empty())
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{text:?} is no number"))
}

fn seeds(range: &str) -> Result<std::ops::Range<u64>, String> {
    let (from, to) = range.split_once("..").unwrap_or(("0", range));
    Ok(number(from)?..number(to)?)
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn fault(name: &str) -> Option<Fault> {
    Fault::ALL.iter().copied().find(|fault| format!("{fault:?}") == name)
}

/// For each fault the smallest run that finds it, as rows of a table.
fn plants(seeds: std::ops::Range<u64>) -> bool {
    let mut all = true;
    for fault in Fault::ALL {
        let found = sweep(seeds.clone(), Some(*fault), threads(), 1);
        let Some(finding) = found.first() else {
            println!("{fault:?}: NOT FOUND");
            all = false;
            continue;
        };
        let small = shrink(&finding.report);
        let checkers: Vec<&str> = small.violations.iter().map(|(checker, _)| *checker).collect();
        println!("{}: {}", small.choice, checkers.join(", "));
    }
    all
}

fn show(report: &Report) {
    println!("seed {}: {} violation(s)", report.choice.seed, report.violations.len());
    for (checker, text) in &report.violations {
        println!("  {checker}: {text}");
    }
}
