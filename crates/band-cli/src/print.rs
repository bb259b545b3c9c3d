//! Lines for people and for scripts. Plain text, without colours, whatever reads it.

use std::io::{self, Write};

/// A line of the command's result, on standard output. Once nobody reads it any more it is dropped.
pub(crate) fn out(line: &str) {
    let mut stdout = io::stdout().lock();
    let _ = writeln!(stdout, "{line}").and_then(|()| stdout.flush());
}

/// A line beside the result, on standard error.
pub(crate) fn err(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
