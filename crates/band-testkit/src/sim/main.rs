//! `band-sim`: runs simulations from the command line. `cargo xtask sim` builds and calls it.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool speaks on its streams")]

use std::process::ExitCode;
use std::time::Instant;

use band_testkit::sim::{Choice, Report, replay, shrink, sweep};

const USAGE: &str = "\
band-sim --seed N [--only 1,2,3] [--calm]   one seed, with its trace
band-sim --seeds A..B [--most N]            many seeds, and the smallest form of each that fails
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
    let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{text:?} is no number"));
    if let Some(seed) = after("--seed") {
        let only = after("--only").map(|list| list.split(',').filter_map(|n| n.parse().ok()).collect());
        let calm = words.iter().any(|word| word == "--calm");
        let report = replay(&Choice { seed: number(seed)?, only, calm }, true);
        report.trace.iter().for_each(|line| println!("{line}"));
        show(&report);
        return Ok(report.violations.is_empty());
    }
    let Some(range) = after("--seeds") else { return Err("name --seed or --seeds".to_owned()) };
    let (from, to) = range.split_once("..").unwrap_or(("0", range));
    let seeds = number(from)?..number(to)?;
    let most = after("--most").map_or(Ok(5), number)?;
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let begun = Instant::now();
    let found = sweep(seeds.clone(), threads, usize::try_from(most).unwrap_or(usize::MAX));
    let took = begun.elapsed();
    for finding in &found {
        show(&finding.report);
        let small = shrink(&finding.report);
        println!("  smallest: cargo xtask sim {}", small.choice);
    }
    println!("seeds {}..{}: {} failed, {:.1} s", seeds.start, seeds.end, found.len(), took.as_secs_f64());
    Ok(found.is_empty())
}

fn show(report: &Report) {
    println!("seed {}: {} violation(s)", report.choice.seed, report.violations.len());
    for (checker, text) in &report.violations {
        println!("  {checker}: {text}");
    }
}
