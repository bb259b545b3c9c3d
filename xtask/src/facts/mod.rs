//! `cargo xtask facts --from DIR`: facts of the interface for tests to compare with.
//!
//! Read from a folder with the public API description and notes on it; written into the repository as names,
//! types, words of closed sets, statuses and numbers. Sentences are left out, whatever they say.

mod additions;
mod openapi;
mod prose;
mod table;
mod tools;
mod websocket;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::workspace;

/// Where the fact files are, from the root of the repository.
const FACTS: &str = "crates/band-wire/facts";

/// Makes every fact file anew.
pub(crate) fn run(rest: &[String]) -> Result<()> {
    let [flag, from] = rest else { bail!("usage: cargo xtask facts --from DIR") };
    if flag != "--from" {
        bail!("unknown option {flag:?}: cargo xtask facts --from DIR");
    }
    let from = PathBuf::from(from);
    let into = workspace::root().join(FACTS);
    let openapi = json(&from, "openapi.json")?;
    let websocket = text(&from, "websocket.md")?;
    write(&into, "schemas.json", openapi::schemas(&openapi)?)?;
    write(&into, "operations.json", openapi::operations(&openapi)?)?;
    write(&into, "additions.json", additions::facts(&text(&from, "openapi-additions.md")?)?)?;
    write(&into, "tools.json", tools::facts(&json(&from, "tools.json")?)?)?;
    write(&into, "events.json", websocket::events(&websocket)?)?;
    write(&into, "socket.json", websocket::socket(&websocket)?)
}

fn text(from: &Path, name: &str) -> Result<String> {
    let path = from.join(name);
    fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))
}

fn json(from: &Path, name: &str) -> Result<Value> {
    serde_json::from_str(&text(from, name)?).with_context(|| format!("{name} is no JSON"))
}

fn write(into: &Path, name: &str, mut facts: Value) -> Result<()> {
    facts.sort_all_objects();
    if let Some(found) = prose::first(&facts) {
        bail!("{name} would hold a sentence: {found:?}");
    }
    let path = into.join(name);
    let text = format!("{facts:#}\n");
    fs::write(&path, text).with_context(|| format!("can't write {}", path.display()))?;
    println!("{}", path.display());
    Ok(())
}
