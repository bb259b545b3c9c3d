//! `cargo xtask tidy`: the rules of the house that no compiler holds.

mod code;
mod docs;
mod mask;
mod named_tests;
mod names;
mod reference_names;
mod size;
mod text;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::workspace;

/// A file of the repository.
#[derive(Debug)]
pub(crate) struct SourceFile {
    /// Relative to the root, with forward slashes.
    pub(crate) path: String,
    /// Its text.
    pub(crate) text: String,
}

/// Runs every rule over the repository.
pub(crate) fn run(rest: &[String]) -> Result<()> {
    if let Some(word) = rest.first() {
        bail!("tidy takes no argument, got {word:?}");
    }
    let files = load(&workspace::root())?;
    let found = check(&files);
    for line in &found {
        eprintln!("{line}");
    }
    if !found.is_empty() {
        bail!("tidy found {} thing(s) to mend", found.len());
    }
    println!("{} files are tidy", files.len());
    Ok(())
}

/// Everything that is off, one line each: `path:line: what, and what to do`.
fn check(files: &[SourceFile]) -> Vec<String> {
    let mut found = Vec::new();
    let rust: Vec<&SourceFile> = files.iter().filter(|file| file.path.ends_with(".rs")).collect();
    for file in &rust {
        let masked = mask::mask(&file.text);
        size::check_file(file, &masked, &mut found);
        names::check(file, &mut found);
        code::check(file, &masked, &mut found);
    }
    size::check_median(&rust, &mut found);
    for file in files {
        text::check(file, &mut found);
    }
    docs::check(files, &mut found);
    named_tests::check(files, &mut found);
    reference_names::check(files, &mut found);
    crate::traps::check(files, &mut found);
    found
}

/// All text files of the repository that a person wrote.
fn load(root: &Path) -> Result<Vec<SourceFile>> {
    let mut paths = Vec::new();
    walk(root, &mut paths)?;
    let mut files = Vec::new();
    for path in paths {
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let Ok(text) = String::from_utf8(bytes) else { continue };
        let relative = path.strip_prefix(root).unwrap_or(&path);
        files.push(SourceFile { path: relative.to_string_lossy().replace('\\', "/"), text });
    }
    Ok(files)
}

/// Folders that are made, not written.
const NOT_OURS: &[&str] = &["target", ".git", "node_modules", ".venv", "tests-cache", "__pycache__"];

/// All files below a folder, in order of their paths.
pub(crate) fn walk(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_symlink() || NOT_OURS.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            walk(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// One line of the report.
fn note(path: &str, line: usize, what: &str) -> String {
    format!("{path}:{line}: {what}")
}

#[cfg(test)]
fn file(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.to_owned(), text: text.to_owned() }
}
