//! `cargo xtask shuttle`: what threads share, in many orders of their steps.

use anyhow::{Result, bail};

use crate::step::{command, run as run_command};

/// Runs every module `interleavings` of the SDK. A failure prints the order that led to it.
pub(crate) fn run(rest: &[String]) -> Result<()> {
    let mut tests = command("cargo");
    tests.args([
        "test",
        "--package",
        "band",
        "--lib",
        "--features",
        "shuttle",
        "--locked",
        "interleavings::",
    ]);
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        let name = match word.as_str() {
            "--seed" => "BAND_SHUTTLE_SEED",
            "--runs" => "BAND_SHUTTLE_RUNS",
            other => bail!("shuttle takes --seed N and --runs N, got {other:?}"),
        };
        let number: u64 = match words.next().map(|word| word.parse()) {
            Some(Ok(number)) => number,
            Some(Err(_)) | None => bail!("{word} takes a number"),
        };
        tests.env(name, number.to_string());
    }
    run_command(&mut tests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_or_number_it_does_not_know_is_refused_before_anything_runs() {
        for (words, said) in
            [("--fast", "got \"--fast\""), ("--seed", "--seed takes a number"), ("--runs x", "--runs takes")]
        {
            let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            let error = run(&words).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
