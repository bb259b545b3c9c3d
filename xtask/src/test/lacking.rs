//! What a machine may lack: few tests need it, and each of them has a sister that does not.

use std::process::{Command, Stdio};

/// What is tried, and what is not run where that fails.
const TRIES: &[(&[&str], &str)] = &[
    (&["systemd-analyze", "--version"], "systemd's own look at the units: systemd-analyze is not installed"),
    (
        &["unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"],
        "a journal on a small disk: nobody may mount one here (unshare --user)",
    ),
];

/// Prints a line for each test that passed without having shown anything.
pub(super) fn tell() {
    for (words, what) in TRIES {
        if !works(words) {
            println!("not run: {what}");
        }
    }
}

fn works(words: &[&str]) -> bool {
    let Some((program, words)) = words.split_first() else { return false };
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_or_fails_is_lacking() {
        assert!(works(&["true"]));
        assert!(!works(&["false"]) && !works(&["no-such-program-of-ours"]) && !works(&[]));
    }
}
