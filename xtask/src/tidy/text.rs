//! Nothing of one machine, and no registry, is named in the repository.

use super::{SourceFile, note};

/// Paths of one machine, in two parts so that this file does not name them.
const MACHINE_PATHS: &[(&str, &str)] = &[("/wo", "rk/"), ("/ro", "ot/"), ("/tm", "p/w/")];

/// Hosts of package registries, in two parts for the same reason.
const REGISTRIES: &[(&str, &str)] = &[
    ("registry.", "npmjs.org"),
    ("pypi.", "org"),
    ("files.pytho", "nhosted.org"),
    ("index.crates", ".io"),
    ("static.crates", ".io"),
    ("deb.debi", "an.org"),
    ("proxy.gola", "ng.org"),
];

/// Marks of work that was left.
const LEFT: &[(&str, &str)] = &[("TO", "DO"), ("FIX", "ME"), ("XX", "X:")];

/// Cargo writes this one; it names the registry's index as every lock file does.
const WRITTEN_BY_CARGO: &str = "Cargo.lock";

/// Checks every line of a text file.
pub(super) fn check(file: &SourceFile, found: &mut Vec<String>) {
    if file.path == WRITTEN_BY_CARGO {
        return;
    }
    for (at, line) in file.text.lines().enumerate() {
        let mut complain = |parts: &[(&str, &str)], what: &str| {
            for (head, tail) in parts {
                let word = format!("{head}{tail}");
                if line.contains(&word) {
                    found.push(note(&file.path, at + 1, &format!("`{word}` {what}")));
                }
            }
        };
        complain(MACHINE_PATHS, "is a path of one machine");
        complain(REGISTRIES, "is the host of a package registry");
        complain(LEFT, "marks work that was left: do it, or write it down as an issue");
    }
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    fn found_in(path: &str, text: &str) -> usize {
        let mut found = Vec::new();
        check(&file(path, text), &mut found);
        found.len()
    }

    #[test]
    fn machine_paths_registries_and_left_work_are_refused() {
        for (head, tail) in MACHINE_PATHS.iter().chain(REGISTRIES).chain(LEFT) {
            assert_eq!(found_in("docs/a.md", &format!("see {head}{tail}x")), 1, "{head}{tail}");
        }
    }

    #[test]
    fn ordinary_text_and_cargos_lock_file_pass() {
        assert_eq!(found_in("docs/a.md", "state lives in ~/.local/state/band, else in /var/lib/band"), 0);
        let (head, tail) = REGISTRIES[3];
        assert_eq!(found_in("Cargo.lock", &format!("{head}{tail}")), 0);
    }
}
