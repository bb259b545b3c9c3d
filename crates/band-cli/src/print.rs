//! Lines for people and for scripts. Plain text, without colours, whatever reads it.

use std::io::{self, ErrorKind, Write};

use anyhow::{Context, Result};

/// A line about what happens, on standard output. Once nobody reads it any more it is dropped.
pub(crate) fn out(line: &str) {
    let mut stdout = io::stdout().lock();
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}

/// What the command was asked for, on standard output.
///
/// # Errors
/// It could not be written. A reader that has gone has seen what it wanted, so that is none.
pub(crate) fn result(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match writeln!(stdout, "{text}").and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error)
            .context("standard output: the result could not be written there, so what it names is lost"),
        _ => Ok(()),
    }
}

/// A line beside the result, on standard error.
pub(crate) fn err(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
