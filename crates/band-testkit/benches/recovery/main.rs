//! Many rooms, and outages: ours next to the Python SDK on the same platform. `cargo xtask bench` builds and
//! runs it.
//!
//! Words: `rooms:SDK:ROOMS` and `outage:SECONDS:AGENTS`; without any, the tables of the documents.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark is run by hand and ends with the first surprise"
)]

mod outage;
mod rooms;

use std::time::Duration;

use band_testkit::contender::Contender;

/// What the tables of the documents have.
const TABLES: &[&str] = &[
    "rooms:ours:1",
    "rooms:python:1",
    "rooms:ours:1000",
    "rooms:python:1000",
    "rooms:ours:10000",
    "rooms:python:10000",
    "outage:1:10",
    "outage:5:10",
    "outage:30:10",
    "outage:300:10",
];
/// How long anything may take.
const LIMIT: Duration = Duration::from_secs(900);

#[tokio::main]
async fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let words: Vec<&str> =
        if words.is_empty() { TABLES.to_vec() } else { words.iter().map(String::as_str).collect() };
    let (mut many, mut outages) = (rooms::HEAD.to_owned(), outage::HEAD.to_owned());
    for word in words {
        eprintln!("{word} …");
        let parts: Vec<&str> = word.split(':').collect();
        match parts[..] {
            ["rooms", sdk, count] => {
                let sdk = Contender::parse(sdk).expect("SDK is ours or python");
                let count = count.parse().expect("a number of rooms");
                many.push_str(&rooms::measure(sdk, count).await);
            }
            ["outage", seconds, agents] => {
                let seconds = seconds.parse().expect("a number of seconds");
                outages
                    .push_str(&outage::measure(seconds, agents.parse().expect("a number of agents")).await);
            }
            _ => panic!("{word:?}: rooms:SDK:ROOMS or outage:SECONDS:AGENTS"),
        }
        eprintln!("{many}\n{outages}");
    }
    print!("{many}\n{outages}");
}

/// The `part`-th hundredth of some times.
fn percentile(times: &[Duration], part: usize) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times[(times.len() * part / 100).min(times.len() - 1)]
}
