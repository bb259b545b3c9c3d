//! How a command ends: stable exit codes, and errors that say the thing, the value, the reason and the fix.

use std::fmt;
use std::process::ExitCode;

/// How a command ends. The numbers are part of the command line's contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It did what was asked.
    Done = 0,
    /// It failed.
    Error = 1,
    /// What was asked makes no sense: an argument, a variable, a file.
    Usage = 2,
    /// Another process already does it.
    AlreadyRunning = 3,
    /// The platform refused: the key, a permission.
    Refused = 4,
    /// Ended by SIGHUP: the terminal is gone. Everything was stopped in good order before.
    HungUp = 129,
    /// Ended by SIGINT, as with Ctrl+C. Everything was stopped in good order before.
    Interrupted = 130,
    /// Ended by SIGTERM. Everything was stopped in good order before.
    Terminated = 143,
}

/// A code of the caller's own choice, or one of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    Ours(Exit),
    Chosen(u8),
}

impl From<Exit> for Code {
    fn from(exit: Exit) -> Self {
        Self::Ours(exit)
    }
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        match code {
            Code::Ours(exit) => Self::from(exit as u8),
            Code::Chosen(code) => Self::from(code),
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Code::from(exit).into()
    }
}

/// What every `--help` says about exit codes.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    done
  1    error
  2    usage or configuration
  3    already running
  4    refused by the platform (key, permission)
  129  ended by a closed terminal (SIGHUP), after an orderly stop
  130  ended by Ctrl+C (SIGINT), after an orderly stop
  143  ended by SIGTERM, after an orderly stop";

/// An error with an exit code of its own. Every other error ends with [`Exit::Error`].
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    text: String,
}

impl Failure {
    pub(crate) fn with(exit: Exit, text: impl Into<String>) -> anyhow::Error {
        Self { exit, text: text.into() }.into()
    }

    /// [`Exit::Usage`].
    pub(crate) fn usage(text: impl Into<String>) -> anyhow::Error {
        Self::with(Exit::Usage, text)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Failure {}

/// The exit code that an error asks for, from the first link of its chain that has an opinion.
pub(crate) fn exit_of(error: &anyhow::Error) -> Exit {
    error.chain().find_map(opinion).unwrap_or(Exit::Error)
}

fn opinion(link: &(dyn std::error::Error + 'static)) -> Option<Exit> {
    if let Some(failure) = link.downcast_ref::<Failure>() {
        return Some(failure.exit);
    }
    match link.downcast_ref::<band::Error>()? {
        band::Error::Config(_) => Some(Exit::Usage),
        band::Error::AlreadyRunning(_) => Some(Exit::AlreadyRunning),
        band::Error::Unauthorized(_) | band::Error::Ended(_) => Some(Exit::Refused),
        other => (other.status() == Some(403)).then_some(Exit::Refused),
    }
}

/// The whole error on one line: each link of the chain that the one before does not already say.
pub(crate) fn line_of(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for link in error.chain() {
        let text = link.to_string();
        if line.is_empty() {
            line = text;
        } else if !line.contains(&text) {
            line.push_str(": ");
            line.push_str(&text);
        }
    }
    line.replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn an_error_without_an_opinion_ends_with_one() {
        assert_eq!(exit_of(&anyhow::anyhow!("disk full")), Exit::Error);
    }

    #[test]
    fn context_does_not_hide_the_code() {
        let error = Err::<(), _>(Failure::usage("port x: not a number")).context("starting").unwrap_err();
        assert_eq!(exit_of(&error), Exit::Usage);
        assert_eq!(line_of(&error), "starting: port x: not a number");
    }

    #[test]
    fn the_platforms_refusals_have_their_code() {
        let api = |status| band::Error::from(band::ApiError::new(status, "no"));
        for (error, exit) in [
            (api(401), Exit::Refused),
            (api(403), Exit::Refused),
            (api(404), Exit::Error),
            (band::Error::Config("x".into()), Exit::Usage),
            (band::Error::AlreadyRunning("x".into()), Exit::AlreadyRunning),
        ] {
            assert_eq!(exit_of(&error.into()), exit);
        }
    }

    #[test]
    fn a_cause_is_said_once_and_on_one_line() {
        let error = anyhow::anyhow!("no\nspace").context("cannot write x: no\nspace");
        assert_eq!(line_of(&error), "cannot write x: no space");
    }
}
