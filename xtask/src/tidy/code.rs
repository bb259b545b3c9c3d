//! No queue without a bound, no task without an owner, no exception without a reason.

use super::{SourceFile, note};

/// Words that must not be in code, each with what to do instead.
const FORBIDDEN: &[(&str, &str)] = &[
    ("unbounded_channel", "every queue is bounded: use `channel` with a named constant"),
    ("UnboundedSender", "every queue is bounded: use `channel` with a named constant"),
    ("futures_util::channel", "use tokio's bounded channels"),
    ("tokio::spawn", "every task has an owner: spawn on a JoinSet or TaskTracker that someone awaits"),
    ("task::spawn(", "every task has an owner: spawn on a JoinSet or TaskTracker that someone awaits"),
    ("mem::forget", "what is forgotten is never released"),
    ("todo!", "finish it or leave it out"),
    ("unimplemented!", "finish it or leave it out"),
    ("async_trait", "declare `fn f(&self) -> impl Future<Output = …> + Send`"),
];

/// Attributes that must say why.
const EXCEPTIONS: &[&str] = &["#[allow(", "#![allow(", "#[expect(", "#![expect(", "#[ignore"];

/// Checks the code of one file.
pub(super) fn check(file: &SourceFile, masked: &str, found: &mut Vec<String>) {
    for (at, line) in masked.lines().enumerate() {
        for (word, advice) in FORBIDDEN.iter().filter(|(word, _)| line.contains(word)) {
            found.push(note(&file.path, at + 1, &format!("`{word}`: {advice}")));
        }
    }
    for opening in EXCEPTIONS {
        for (at, _) in masked.match_indices(opening) {
            let before = masked.get(..at).unwrap_or_default();
            let attribute =
                masked.get(at..).and_then(|rest| rest.split_once(']')).map_or("", |(inside, _)| inside);
            let said = attribute.contains("reason =") || (*opening == "#[ignore" && attribute.contains('='));
            if !said {
                let line = before.matches('\n').count() + 1;
                found.push(note(&file.path, line, &format!("`{opening}…` must give its reason")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{file, mask};
    use super::*;

    fn found_in(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        check(&file("a.rs", text), &mask::mask(text), &mut found);
        found
    }

    #[test]
    fn a_queue_without_a_bound_is_refused() {
        assert_eq!(found_in("let (a, b) = mpsc::unbounded_channel();").len(), 1);
        assert!(found_in("let (a, b) = mpsc::channel(QUEUE);").is_empty());
    }

    #[test]
    fn a_task_without_an_owner_is_refused_but_may_be_spoken_of() {
        assert_eq!(
            found_in("\ntokio::spawn(work());"),
            [
                "a.rs:2: `tokio::spawn`: every task has an owner: spawn on a JoinSet or TaskTracker that someone awaits"
            ]
        );
        assert!(found_in("// tokio::spawn is not used\nset.spawn(work());\nf(\"tokio::spawn\");").is_empty());
    }

    #[test]
    fn an_exception_gives_its_reason() {
        assert_eq!(found_in("#[allow(dead_code)]\nfn f() {}").len(), 1);
        assert!(found_in("#[allow(dead_code, reason = \"drawn in docs\")]\nfn f() {}").is_empty());
        assert!(found_in("#[expect(\n    dead_code,\n    reason = \"x\"\n)]\nfn f() {}").is_empty());
        assert_eq!(found_in("#[ignore]\nfn f() {}").len(), 1);
        assert!(found_in("#[ignore = \"needs a printer\"]\nfn f() {}").is_empty());
    }
}
