//! The pages that must be there, their links, and the one page that shows the house.

use std::collections::{BTreeMap, BTreeSet};

use super::{SourceFile, note};

/// Pages that a reader is sent to.
const PAGES: &[&str] = &[
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "LICENSE",
    "docs/cli.md",
    "docs/differences.md",
    "docs/guarantees.md",
    "docs/interface.md",
    "docs/names.md",
    "docs/parity.md",
    "docs/performance.md",
    "docs/platform.md",
    "docs/traps.md",
];

/// The page of the house has at most this many lines.
const ARCHITECTURE_LINES: usize = 120;

/// Checks the pages as a whole.
pub(super) fn check(files: &[SourceFile], found: &mut Vec<String>) {
    let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    for page in PAGES.iter().filter(|page| !paths.contains(*page)) {
        found.push(note(page, 1, "this page is missing"));
    }
    for file in files.iter().filter(|file| file.path.ends_with(".md")) {
        check_links(file, &paths, found);
    }
    if let Some(page) = files.iter().find(|file| file.path == "ARCHITECTURE.md") {
        check_architecture(page, &rooms(&paths), found);
    }
}

/// A link to a file of the repository leads to one.
fn check_links(file: &SourceFile, paths: &BTreeSet<&str>, found: &mut Vec<String>) {
    for (at, line) in file.text.lines().enumerate() {
        for target in links(line) {
            let path = resolve(&file.path, target);
            let folder = format!("{path}/");
            let known = path.is_empty()
                || paths.contains(path.as_str())
                || paths.iter().any(|p| p.starts_with(&folder));
            let picture = path.starts_with("docs/pictures/");
            if !known && !picture {
                found.push(note(&file.path, at + 1, &format!("the link {target:?} leads nowhere")));
            }
        }
    }
}

/// Targets inside the repository of the links in one line.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    targets.filter(|target| {
        !target.contains("://") && !target.starts_with('#') && !target.starts_with("mailto:")
    })
}

/// The path that `target` means on the page `from`.
fn resolve(from: &str, target: &str) -> String {
    let target = target.split('#').next().unwrap_or_default();
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// Each crate with the folders at the top of its source.
fn rooms<'a>(paths: &BTreeSet<&'a str>) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let mut rooms: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for path in paths {
        let parts: Vec<&str> = path.split('/').collect();
        match parts.as_slice() {
            ["crates", name, "src", _] => {
                rooms.entry(name).or_default();
            }
            ["crates", name, "src", folder, ..] => {
                rooms.entry(name).or_default().insert(folder);
            }
            _ => {}
        }
    }
    rooms
}

/// The page stays one page, and the row of each crate names its folders.
fn check_architecture(page: &SourceFile, rooms: &BTreeMap<&str, BTreeSet<&str>>, found: &mut Vec<String>) {
    let lines = page.text.lines().count();
    if lines > ARCHITECTURE_LINES {
        found.push(note(
            &page.path,
            1,
            &format!("{lines} lines, at most {ARCHITECTURE_LINES}: it is one page"),
        ));
    }
    for (name, folders) in rooms {
        let head = format!("| `{name}` |");
        let Some((at, row)) = page.text.lines().enumerate().find(|(_, line)| line.starts_with(&head)) else {
            found.push(note(&page.path, 1, &format!("no table row for crate {name}")));
            continue;
        };
        for folder in folders.iter().filter(|folder| !row.contains(&format!("`{folder}/`"))) {
            found.push(note(&page.path, at + 1, &format!("the row of {name} does not name `{folder}/`")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    #[test]
    fn a_missing_page_is_named() {
        let mut found = Vec::new();
        check(&[file("README.md", "")], &mut found);
        assert!(found.contains(&"docs/parity.md:1: this page is missing".to_owned()));
        assert_eq!(found.len(), PAGES.len() - 1);
    }

    #[test]
    fn a_link_leads_to_a_file_a_folder_or_out_of_the_house() {
        let paths = BTreeSet::from(["README.md", "docs/a.md", "crates/x/src/lib.rs"]);
        let mut found = Vec::new();
        let page = "[a](a.md) [b](../README.md#top) [c](../crates/x) [d](https://example.org) [e](#here)";
        check_links(&file("docs/b.md", page), &paths, &mut found);
        assert!(found.is_empty(), "{found:?}");
        check_links(&file("docs/b.md", "one\n[a](gone.md)"), &paths, &mut found);
        assert_eq!(found, ["docs/b.md:2: the link \"gone.md\" leads nowhere"]);
    }

    #[test]
    fn the_page_of_the_house_names_every_folder() {
        let paths =
            BTreeSet::from(["crates/x/src/lib.rs", "crates/x/src/link/mod.rs", "crates/x/src/rest/a.rs"]);
        let mut found = Vec::new();
        let page = file("ARCHITECTURE.md", "# House\n\n| `x` | joins | `link/` |\n");
        check_architecture(&page, &rooms(&paths), &mut found);
        assert_eq!(found, ["ARCHITECTURE.md:3: the row of x does not name `rest/`"]);
    }

    #[test]
    fn the_page_of_the_house_stays_one_page_and_knows_every_crate() {
        let mut found = Vec::new();
        let paths = BTreeSet::from(["crates/x/src/lib.rs"]);
        check_architecture(&file("ARCHITECTURE.md", &"\n".repeat(121)), &rooms(&paths), &mut found);
        assert_eq!(found.len(), 2, "{found:?}");
    }
}
