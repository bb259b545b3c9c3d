//! The pages that say which test shows what name tests that exist.

use std::collections::BTreeSet;

use super::{SourceFile, note};

/// The pages that name tests.
const PAGES: &[&str] = &["docs/parity.md", "docs/differences.md", "docs/platform.md", "docs/traps.md"];

/// A name with fewer underscores is a field or a setting, not a sentence.
const UNDERSCORES: usize = 3;

/// Checks every name in code style that reads like a test.
pub(super) fn check(files: &[SourceFile], found: &mut Vec<String>) {
    let tests: BTreeSet<&str> = files
        .iter()
        .filter(|file| file.path.ends_with(".rs"))
        .flat_map(|file| functions(&file.text))
        .collect();
    for page in files.iter().filter(|file| PAGES.contains(&file.path.as_str())) {
        for (at, line) in page.text.lines().enumerate() {
            let named = line.split('`').skip(1).step_by(2);
            // With or without the path that leads to it.
            let named = named.filter_map(|name| name.rsplit("::").next());
            for name in named.filter(|name| reads_like_a_test(name)) {
                if !tests.contains(name) {
                    found.push(note(&page.path, at + 1, &format!("there is no test `{name}`")));
                }
            }
        }
    }
}

fn reads_like_a_test(name: &str) -> bool {
    let word = name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    word && name.matches('_').count() >= UNDERSCORES
}

/// The name of every function; which of them are tests, the test runner knows.
fn functions(text: &str) -> impl Iterator<Item = &str> {
    text.split("fn ")
        .skip(1)
        .map(|rest| rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or(""))
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    #[test]
    fn a_page_that_names_a_test_that_is_gone_is_told() {
        let code = file("crates/a/tests/it/x.rs", "#[test]\nfn the_lamp_is_lit() {}\n");
        let page = file("docs/parity.md", "| 1 | `the_lamp_is_lit` |\n| 2 | `the_lamp_is_red` |\n");
        let mut found = Vec::new();
        check(&[code, page], &mut found);
        assert_eq!(found, ["docs/parity.md:2: there is no test `the_lamp_is_red`"]);
    }

    #[test]
    fn settings_and_other_pages_are_left_alone() {
        let page = file("docs/parity.md", "`idle_resync_seconds` `BAND_REST_URL` `a b_c_d_e`");
        let other = file("docs/cli.md", "`the_lamp_is_red`");
        let mut found = Vec::new();
        check(&[page, other], &mut found);
        assert!(found.is_empty(), "{found:?}");
    }
}
