//! The tables of traps: what each is about, the tests that show it, and the guards without which they fail.

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::tidy::SourceFile;

/// The two tables, each with its heading on the page.
pub(super) const TABLES: [(&str, &str); 2] =
    [("runtime", "Traps of the runtime"), ("pains", "Pains of others")];

/// One trap.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Trap {
    /// `7`, or `A15`.
    pub(super) number: String,
    /// In a few words.
    pub(super) about: String,
    /// The tests that show it, as `crate::module::name`, or `crate::it::module::name`.
    #[serde(default)]
    pub(super) shown: Vec<String>,
    /// What is needed for it.
    #[serde(default)]
    pub(super) guards: Vec<Guard>,
    /// Why there is no test.
    #[serde(default)]
    pub(super) untested: Option<String>,
}

/// A line of code without which a test fails.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Guard {
    /// What it does.
    pub(super) idea: String,
    /// The file.
    pub(super) file: String,
    /// The text, which stands in the file once.
    pub(super) old: String,
    /// What to put there to be without it.
    #[serde(default)]
    pub(super) new: String,
    /// The test that fails; the first one shown when it is not said.
    #[serde(default)]
    pub(super) fails: Option<String>,
}

impl Trap {
    /// The test that fails without a guard.
    pub(super) fn witness<'a>(&'a self, guard: &'a Guard) -> Option<Test<'a>> {
        Test::read(guard.fails.as_deref().or(self.shown.first().map(String::as_str))?)
    }
}

impl Guard {
    /// Tells whether this is still the guard that a result speaks of.
    pub(super) fn mark(&self) -> String {
        let parts = [&self.file, &self.old, &self.new].into_iter().chain(&self.fails);
        let bytes = parts.flat_map(|part| part.bytes().chain([0]));
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        format!("{:08x}", hash >> 32)
    }
}

/// A test by its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Test<'a> {
    /// The crate.
    pub(super) package: &'a str,
    /// Whether it is one of the crate's integration tests.
    pub(super) outside: bool,
    /// Its path in there.
    pub(super) path: &'a str,
}

impl<'a> Test<'a> {
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let (package, path) = text.split_once("::")?;
        let outside = path.strip_prefix("it::");
        Some(Self { package, outside: outside.is_some(), path: outside.unwrap_or(path) })
    }

    /// As the test runner selects it.
    pub(super) fn filter(self) -> String {
        let Self { package, path, .. } = self;
        let binary = if self.outside { "binary(=it)" } else { "not binary(=it)" };
        format!("(package(={package}) and {binary} and test(={path}))")
    }

    /// Whether one of the files has it.
    pub(super) fn is_in(self, files: &[SourceFile]) -> bool {
        let root =
            if self.package == "xtask" { "xtask".to_owned() } else { format!("crates/{}", self.package) };
        let root = if self.outside { format!("{root}/tests/it") } else { format!("{root}/src") };
        let mut modules: Vec<&str> = self.path.split("::").collect();
        let Some(name) = modules.pop() else { return false };
        let head = format!("fn {name}(");
        let mut may_be = vec![format!("{root}/lib.rs"), format!("{root}/main.rs")];
        while !modules.is_empty() {
            let module = modules.join("/");
            may_be.extend([format!("{root}/{module}.rs"), format!("{root}/{module}/mod.rs")]);
            modules.pop();
        }
        files.iter().any(|file| may_be.contains(&file.path) && file.text.contains(&head))
    }
}

/// What became of a guard's removal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Table, number and place among the guards of the trap: `runtime 7.1`.
    pub(super) guard: String,
    /// See [`Guard::mark`].
    pub(super) mark: String,
    /// `fails`, or `passes`.
    pub(super) word: String,
    /// The commit that it was tried on.
    pub(super) commit: String,
}

/// Reads the outcomes, one a line.
pub(super) fn outcomes(text: &str) -> Result<Vec<Outcome>> {
    text.lines().map(|line| outcome(line).with_context(|| format!("no outcome: {line:?}"))).collect()
}

fn outcome(line: &str) -> Option<Outcome> {
    let words: Vec<&str> = line.split(' ').collect();
    let [table, number, mark, word, commit] = words.as_slice() else { return None };
    Some(Outcome {
        guard: format!("{table} {number}"),
        mark: (*mark).to_owned(),
        word: (*word).to_owned(),
        commit: (*commit).to_owned(),
    })
}

/// Reads a table.
pub(super) fn read(name: &str, text: &str) -> Result<Vec<Trap>> {
    let traps: Vec<Trap> =
        serde_saphyr::from_str(text).with_context(|| format!("the table {name} can't be read"))?;
    for trap in &traps {
        let is_shown = !trap.shown.is_empty();
        if is_shown == trap.untested.is_some() {
            bail!("{name} {}: it is either shown by tests or says why there is none", trap.number);
        }
    }
    Ok(traps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> SourceFile {
        SourceFile { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn a_test_is_found_by_its_path_and_nowhere_else() {
        let files = [
            file("crates/a/src/room/pass.rs", "mod tests {\n#[test]\nfn it_works() {}\n}\n"),
            file("crates/a/tests/it/rooms.rs", "fn they_work() {}\n"),
        ];
        for (name, is_there) in [
            ("a::room::pass::tests::it_works", true),
            ("a::room::pass::tests::it_fails", false),
            ("a::link::tests::it_works", false),
            ("a::it::rooms::they_work", true),
            ("a::rooms::they_work", false),
        ] {
            assert_eq!(Test::read(name).unwrap().is_in(&files), is_there, "{name}");
        }
        let filter = Test::read("a::it::rooms::they_work").unwrap().filter();
        assert_eq!(filter, "(package(=a) and binary(=it) and test(=rooms::they_work))");
    }

    #[test]
    fn a_trap_has_tests_or_a_reason_to_have_none() {
        let row = |rest: &str| read("x", &format!("- number: \"1\"\n  about: a\n{rest}"));
        assert!(row("  untested: no network here\n").is_ok());
        assert!(row("  shown:\n    - a::b::c\n").is_ok());
        assert!(row("").is_err());
        assert!(row("  shown:\n    - a::b::c\n  untested: why\n").is_err());
    }

    #[test]
    fn an_outcome_speaks_of_the_guard_as_it_was() {
        let guard = |old: &str| Guard {
            idea: "a".to_owned(),
            file: "b.rs".to_owned(),
            old: old.to_owned(),
            new: String::new(),
            fails: None,
        };
        assert_eq!(guard("x").mark(), guard("x").mark());
        assert_ne!(guard("x").mark(), guard("y").mark());
        let known = outcomes("runtime 7.1 0a1b2c3d fails 1234567\n").unwrap();
        assert_eq!((known[0].guard.as_str(), known[0].word.as_str()), ("runtime 7.1", "fails"));
        assert!(outcomes("runtime 7.1\n").is_err());
    }
}
