//! Every public name that the documentation of the Python SDK speaks of has its row in `docs/names.md`.

use std::collections::BTreeSet;

use super::{SourceFile, note};

/// The names, one a line: classes, functions, settings, fields, errors, tools, topics and modules.
const NAMES: &str = "docs/names.txt";
/// The page with a row for each.
const PAGE: &str = "docs/names.md";

/// Checks that no name lacks its row.
pub(super) fn check(files: &[SourceFile], found: &mut Vec<String>) {
    let text = |path: &str| files.iter().find(|file| file.path == path).map(|file| file.text.as_str());
    let Some(names) = text(NAMES) else { return };
    let told: BTreeSet<&str> = text(PAGE).unwrap_or_default().lines().flat_map(first_cell).collect();
    for (at, name) in names.lines().enumerate() {
        if !told.contains(name) {
            found.push(note(NAMES, at + 1, &format!("{name:?} has no row in {PAGE}")));
        }
    }
}

/// The words in the first cell of a row, which is where the names of the Python SDK stand.
fn first_cell(line: &str) -> impl Iterator<Item = &str> {
    let cell = line.strip_prefix('|').and_then(|row| row.split(" | ").next()).unwrap_or_default();
    cell.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    #[test]
    fn a_name_without_a_row_is_told() {
        let names = file(NAMES, "AgentTools\nsend_event\nsend\n");
        let page = file(PAGE, "`send_event` in prose\n| `AgentTools`, its methods | `send_event` |\n");
        let mut found = Vec::new();
        check(&[names, page], &mut found);
        assert_eq!(
            found,
            [
                "docs/names.txt:2: \"send_event\" has no row in docs/names.md",
                "docs/names.txt:3: \"send\" has no row in docs/names.md",
            ]
        );
    }
}
