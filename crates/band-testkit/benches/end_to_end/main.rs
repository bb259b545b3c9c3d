//! Messages end to end: a person's post, the agent's reply stored, the message settled. Ours next to the
//! Python SDK, each as the agent of a platform of its own. `cargo xtask bench` builds and runs it.
//!
//! Words: `SDK:ROOMS:MESSAGES` each, such as `ours:100:2000`; without any, the table of the documents.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark is run by hand and ends with the first surprise"
)]

mod case;
mod load;
mod table;

use case::Case;

/// What the table of the documents has.
const TABLE: &[&str] = &["ours:1:1000", "python:1:200", "ours:100:2000", "python:100:1000"];

#[tokio::main]
async fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let words: Vec<&str> =
        if words.is_empty() { TABLE.to_vec() } else { words.iter().map(String::as_str).collect() };
    let mut rows = Vec::new();
    for word in words {
        let case = Case::parse(word).expect("SDK:ROOMS:MESSAGES, SDK is ours or python");
        eprintln!("{case:?} …");
        let measured = load::measure(case).await;
        eprintln!("{measured:?}");
        rows.push((case, measured));
    }
    print!("{}", table::render(&rows));
}
