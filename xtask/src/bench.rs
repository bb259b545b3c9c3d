//! `cargo xtask bench`: builds in release, runs the end-to-end benchmark, keeps its table.

use std::fs;

use anyhow::{Context, Result};

use crate::step::{command, read, run as run_command};
use crate::test::peers::Peers;
use crate::workspace;

/// The page that keeps the table.
const PAGE: &str = "docs/performance.md";
/// Between these two lines of the page stands what the last kept run printed.
const BEGIN: &str = "<!-- bench: begin -->";
const END: &str = "<!-- bench: end -->";

/// Runs the benchmark. `--write` keeps its table in the documents; other words are passed on.
pub(crate) fn run(rest: &[String]) -> Result<()> {
    let keep = rest.iter().any(|word| word == "--write");
    let cases: Vec<&String> = rest.iter().filter(|word| *word != "--write").collect();
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
    let mut bench = command("cargo");
    bench.args(["bench", "--quiet", "--workspace", "--locked", "--bench", "end_to_end", "--"]).args(cases);
    bench.env("BAND_BIN", workspace::target().join("release/band"));
    peers.announce(&mut bench);
    let table = read(&mut bench)?;
    print!("{table}");
    if keep {
        write(&table)?;
    }
    Ok(())
}

fn write(table: &str) -> Result<()> {
    let path = workspace::root().join(PAGE);
    let page = fs::read_to_string(&path).with_context(|| format!("cannot read {PAGE}"))?;
    fs::write(&path, replaced(&page, table)?).with_context(|| format!("cannot write {PAGE}"))
}

/// The page with this table in the place of the last one.
fn replaced(page: &str, table: &str) -> Result<String> {
    let missing = || format!("{PAGE} lacks the lines {BEGIN} and {END}");
    let (head, rest) = page.split_once(BEGIN).with_context(missing)?;
    let (_, tail) = rest.split_once(END).with_context(missing)?;
    Ok(format!("{head}{BEGIN}\n\n{}\n\n{END}{tail}", table.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_table_takes_the_place_of_the_old_one() {
        let page = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        assert_eq!(replaced(&page, "new\n").unwrap(), format!("a\n{BEGIN}\n\nnew\n\n{END}\nb\n"));
    }

    #[test]
    fn a_page_without_the_place_is_refused() {
        assert!(replaced("a page", "new").is_err());
    }
}
