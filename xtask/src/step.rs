//! Steps that run one after another, each with its time.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// What ran, and for how long.
#[derive(Debug, Default)]
pub(crate) struct Timings {
    rows: Vec<(String, Duration)>,
}

impl Timings {
    /// Runs one step. Its heading and its time are printed; a failure ends the whole.
    pub(crate) fn step(&mut self, name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        println!("\n== {name}");
        let begun = Instant::now();
        let outcome = work();
        let took = begun.elapsed();
        self.rows.push((name.to_owned(), took));
        println!(
            "== {name}: {} in {:.1} s",
            if outcome.is_ok() { "passed" } else { "FAILED" },
            took.as_secs_f64()
        );
        outcome.with_context(|| format!("step {name} failed"))
    }

    /// The table of all steps so far.
    pub(crate) fn print(&self) {
        println!();
        let total: Duration = self.rows.iter().map(|(_, took)| *took).sum();
        for (name, took) in &self.rows {
            println!("{:>8.1} s  {name}", took.as_secs_f64());
        }
        println!("{:>8.1} s  in all", total.as_secs_f64());
    }
}

/// A command in the workspace's root; its streams are ours.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(crate::workspace::root()).stdin(Stdio::null());
    command
}

/// Runs a command to its end; any status but 0 is an error that names it.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    println!("$ {shown}");
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` ended with {status}");
    }
    Ok(())
}

/// Runs a command and gives its standard output.
pub(crate) fn read(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start `{shown}`"))?;
    if !output.status.success() {
        bail!("`{shown}` ended with {}", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` printed no text"))
}

fn show(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    let args = command.get_args().map(|arg| arg.to_string_lossy().into_owned());
    std::iter::once(name).chain(args).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_fails_is_named_with_its_status() {
        let error = run(command("sh").args(["-c", "exit 7"])).unwrap_err();
        assert!(error.to_string().contains("`sh -c exit 7` ended with exit status: 7"), "{error}");
    }

    #[test]
    fn a_failed_step_is_named_and_counted() {
        let mut timings = Timings::default();
        let error = timings.step("paint", || bail!("no paint")).unwrap_err();
        assert_eq!(format!("{error:#}"), "step paint failed: no paint");
        assert_eq!(timings.rows.len(), 1);
    }
}
