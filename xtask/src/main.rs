//! The one entry point for tests, tidy checks, facts and benchmarks.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool speaks on its streams")]

mod bench;
mod facts;
mod metadata;
mod new_adapter;
mod rules;
mod shuttle;
mod sim;
mod soak;
mod step;
mod test;
mod tidy;
mod traps;
mod workspace;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
cargo xtask COMMAND

  test           everything that CI runs: peers, format, lints, tidy, rules, tests, doctests, page
                   --from STEP   start at this step
                   --only STEP   run this step alone
                   --list        name the steps
  it [FILTER…]   the interop tests alone, with their peers and a fresh binary
  peers          set up the Python, Node and browser peers under target/peers
  bench          messages end to end in a release build, ours next to the Python SDK
                   --write       keep the tables in docs/performance.md
                   WORDS…        other runs than those of the tables: ours:ROOMS:MESSAGES, python:ROOMS:MESSAGES,
                                 rooms:SDK:ROOMS, outage:SECONDS:AGENTS
  soak           an hour of steady traffic over a faulty network, and rooms that come and go, in a release build
                   --minutes N  --rate PER_SECOND  --cycles ROOMS  --seed N
  sim            simulations: agents and platform on a simulated network, clock and disk
                   --seed N        one seed with its trace; --only 1,2 and --calm run a part of it
                   --seeds A..B    a range; what fails is made as small as it gets
                   --seeds COUNT   so many more than docs/simulation.md tells of, written down there
  shuttle        what threads share, in many orders of their steps
                   --seed N        other orders
                   --runs N        so many for each test and scheduler
  traps          the tests of docs/traps.md
                   --mutate [NUMBER…]  take the guards away, one at a time, and see the tests fail
                   --check       each guard stands where the table says
                   --page        make the page anew
  tidy           size, naming and text rules
  rules          the dependency rules, over cargo metadata
  facts          --from DIR: the fact files that tests compare with, made anew
  new-adapter    NAME: a new adapter that compiles, with the outcomes of every adapter held over it
";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let command = words.next().unwrap_or_default();
    let rest: Vec<String> = words.collect();
    match run(&command, &rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: &str, rest: &[String]) -> Result<()> {
    match command {
        "test" => test::run(rest),
        "it" => test::interop(rest),
        "peers" => test::peers_only(rest),
        "tidy" => tidy::run(rest),
        "traps" => traps::run(rest),
        "bench" => bench::run(rest),
        "rules" => rules::run(rest),
        "shuttle" => shuttle::run(rest),
        "sim" => sim::run(rest),
        "soak" => soak::run(rest),
        "facts" => facts::run(rest),
        "new-adapter" => new_adapter::run(rest),
        "" | "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(())
        }
        other => bail!("unknown command {other:?}\n\n{USAGE}"),
    }
}
