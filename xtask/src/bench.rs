//! `cargo xtask bench`: builds in release, runs the end-to-end benchmark, keeps its table.

use std::fs;

use anyhow::{Context, Result};

use crate::step::{command, read, run as run_command};
use crate::test::peers::Peers;
use crate::workspace;

/// The page that keeps the tables.
const PAGE: &str = "docs/performance.md";
/// The benchmarks: each has its words, and its place in the page.
const BENCHES: [(&str, &[&str]); 2] =
    [("end_to_end", &["ours:", "python:"]), ("recovery", &["rooms:", "outage:"])];

/// Runs the benchmarks. `--write` keeps their tables in the documents; other words choose runs.
pub(crate) fn run(rest: &[String]) -> Result<()> {
    let keep = rest.iter().any(|word| word == "--write");
    let words: Vec<&String> = rest.iter().filter(|word| *word != "--write").collect();
    let mut peers = Peers::of_environment();
    peers.set_up()?;
    run_command(command("cargo").args([
        "build",
        "--release",
        "--workspace",
        "--bins",
        "--benches",
        "--locked",
    ]))?;
    for (name, begin) in BENCHES {
        let its: Vec<&&String> =
            words.iter().filter(|word| begin.iter().any(|begin| word.starts_with(begin))).collect();
        if its.is_empty() && !words.is_empty() {
            continue;
        }
        let mut bench = command("cargo");
        bench.args(["bench", "--quiet", "--workspace", "--locked", "--bench", name, "--"]).args(its);
        bench.env("BAND_BIN", workspace::target().join("release/band"));
        peers.announce(&mut bench);
        let table = read(&mut bench)?;
        print!("{table}");
        if keep {
            write(name, &table)?;
        }
    }
    Ok(())
}

fn write(name: &str, table: &str) -> Result<()> {
    let path = workspace::root().join(PAGE);
    let page = fs::read_to_string(&path).with_context(|| format!("cannot read {PAGE}"))?;
    fs::write(&path, replaced(&page, name, table)?).with_context(|| format!("cannot write {PAGE}"))
}

/// The page with this table in the place of the last one of the same benchmark.
fn replaced(page: &str, name: &str, table: &str) -> Result<String> {
    let (begin, end) = (format!("<!-- {name}: begin -->"), format!("<!-- {name}: end -->"));
    let missing = || format!("{PAGE} lacks the lines {begin} and {end}");
    let (head, rest) = page.split_once(&begin).with_context(missing)?;
    let (_, tail) = rest.split_once(&end).with_context(missing)?;
    Ok(format!("{head}{begin}\n\n{}\n\n{end}{tail}", table.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_table_takes_the_place_of_the_old_one() {
        let page = |table: &str| format!("a\n<!-- x: begin -->\n{table}\n<!-- x: end -->\nb\n");
        assert_eq!(replaced(&page("old"), "x", "new\n").unwrap(), page("\nnew\n"));
    }

    #[test]
    fn a_page_without_the_place_is_refused() {
        assert!(replaced("<!-- x: begin -->", "y", "new").is_err());
    }
}
