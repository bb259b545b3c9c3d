//! `cargo xtask new-adapter NAME`: a new adapter that compiles, with the outcomes of every adapter held over it.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::workspace;

/// The adapter, with `NAME` for the folder and `Name` for the type.
const ADAPTER: &str = include_str!("new_adapter/adapter.txt");
/// Before this line of `lib.rs` the module is named.
const BEFORE: &str = "#[cfg(feature = \"openai\")]\npub mod openai;\n";

/// Makes the adapter of the one name given.
pub(crate) fn run(rest: &[String]) -> Result<()> {
    let [name] = rest else { bail!("new-adapter takes one name, in small letters") };
    check(name)?;
    let folder = workspace::root().join("crates/band-adapters/src");
    let file = folder.join(name).join("mod.rs");
    if file.exists() {
        bail!("{} is there already", file.display());
    }
    let lib = folder.join("lib.rs");
    let text = fs::read_to_string(&lib).with_context(|| format!("cannot read {}", lib.display()))?;
    let named = name_in(&text, name)?;
    fs::create_dir_all(folder.join(name)).context("cannot make the folder")?;
    fs::write(&file, adapter(name)).with_context(|| format!("cannot write {}", file.display()))?;
    fs::write(&lib, named).with_context(|| format!("cannot write {}", lib.display()))?;
    println!("made {}", file.display());
    println!("1. cargo fmt --all && cargo nextest run -p band-adapters {name}");
    println!("2. ask the provider in `next`, and read its answer into a `Step`");
    println!("3. name it in registry.rs, in ARCHITECTURE.md and in docs/adapters/README.md");
    println!("4. add it to crates/band-testkit/tests/it/models/subjects.rs: the whole suite then runs on it");
    Ok(())
}

fn check(name: &str) -> Result<()> {
    let fits = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    if !name.starts_with(|letter: char| letter.is_ascii_lowercase()) || !name.chars().all(fits) {
        bail!("{name:?} is no name of a module: small letters, digits and _");
    }
    Ok(())
}

fn name_in(lib: &str, name: &str) -> Result<String> {
    if !lib.contains(BEFORE) {
        bail!("lib.rs of band-adapters has changed: name the module there by hand");
    }
    Ok(lib.replacen(BEFORE, &format!("pub mod {name};\n{BEFORE}"), 1))
}

fn adapter(name: &str) -> String {
    let kind: String = name.split('_').map(capital).collect();
    ADAPTER.replace("NAME", name).replace("Name", &kind)
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_adapter_is_named_after_its_folder() {
        let made = adapter("my_lab");
        assert!(made.contains("pub struct MyLabModel") && made.contains("\"MyLab\""), "{made}");
        assert!(!made.contains("NAME") && !made.contains("NameModel"), "{made}");
    }

    #[test]
    fn the_module_is_named_in_the_crate_as_it_is() {
        let lib = fs::read_to_string(workspace::root().join("crates/band-adapters/src/lib.rs")).unwrap();
        assert!(name_in(&lib, "my_lab").unwrap().contains("pub mod my_lab;\n"));
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for name in ["", "My", "a-b", "1a", "a b", "../x"] {
            assert!(check(name).is_err(), "{name}");
        }
        assert!(check("my_lab2").is_ok());
    }
}
