//! Names that say nothing are not given.

use super::{SourceFile, note};

/// No module is called so.
const FORBIDDEN: &[&str] =
    &["utils", "util", "helpers", "helper", "common", "misc", "manager", "base", "types"];

/// The names of a file and of its folders.
pub(super) fn check(file: &SourceFile, found: &mut Vec<String>) {
    let stem = file.path.strip_suffix(".rs").unwrap_or(&file.path);
    for name in stem.split('/').filter(|name| FORBIDDEN.contains(name)) {
        found.push(note(&file.path, 1, &format!("{name:?} says nothing: name the file after what is in it")));
    }
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    #[test]
    fn a_name_that_says_nothing_is_refused_for_files_and_folders() {
        let mut found = Vec::new();
        for path in ["crates/a/src/utils.rs", "crates/a/src/common/mod.rs", "crates/a/src/mention.rs"] {
            check(&file(path, ""), &mut found);
        }
        assert_eq!(found.len(), 2, "{found:?}");
    }
}
