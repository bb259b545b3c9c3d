//! The table of the docs: which scenario runs on which adapter.

use super::subjects::{SUBJECTS, Subject};
use super::{calls, conversation, failures, loops, outcomes, recorded};

const PAGE: &str = include_str!("../../../../../docs/adapters/README.md");
const START: &str = "<!-- conformance -->\n";
const END: &str = "<!-- end of conformance -->";

fn applies(scenario: &str, subject: &Subject) -> bool {
    match scenario {
        "thoughts_go_back_within_their_turn_and_no_further" => subject.keeps_thoughts,
        "a_stream_that_stands_still_is_given_up" => subject.streams,
        _ => true,
    }
}

fn table() -> String {
    let names: Vec<&str> = SUBJECTS.iter().map(|subject| subject.name).collect();
    let mut table = format!("| scenario | {} |\n|---|{}\n", names.join(" | "), ":-:|".repeat(names.len()));
    let groups = [
        outcomes::SCENARIOS,
        calls::SCENARIOS,
        conversation::SCENARIOS,
        failures::SCENARIOS,
        loops::SCENARIOS,
        recorded::SCENARIOS,
    ];
    for scenario in groups.into_iter().flatten() {
        let marks = SUBJECTS.map(|subject| if applies(scenario, subject) { "✓" } else { "–" });
        table.push_str(&format!("| {} | {} |\n", scenario.replace('_', " "), marks.join(" | ")));
    }
    table
}

/// Of a new scenario or adapter the table has to be made anew: the failure shows it whole.
#[test]
fn the_docs_tell_what_the_suite_runs() {
    let (_, rest) = PAGE.split_once(START).expect("the page has its mark");
    let (shown, _) = rest.split_once(END).expect("the page has its end mark");
    assert_eq!(shown, table(), "put this between the marks of docs/adapters/README.md:\n{}", table());
}
