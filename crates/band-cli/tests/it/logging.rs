//! What the log holds, and what it never does.

use std::collections::BTreeSet;

use band_testkit::{PATIENCE, Process};
use serde_json::Value;

use crate::agent::{registered, variables_of};
use crate::end_to_end::person_of;
use crate::stage::{Stage, variable};

#[tokio::test]
async fn a_variable_that_does_not_fit_ends_with_two_and_is_named() {
    let stage = Stage::new();
    for (name, value) in [
        ("BAND_LOG_LEVEL", "loud"),
        ("BAND_LOG_FILE", "/dev/null/x"),
        ("BAND_LOG", "band=["),
        ("BAND_LOG_BACKUPS", "-1"),
    ] {
        let mut command = stage.command(&["env"]);
        let line = crate::stage::Ended::of(command.env(name, value).output().await.unwrap()).failed(2);
        assert!(line.contains(name), "{line}");
    }
}

#[tokio::test]
async fn at_the_lowest_level_the_key_is_nowhere_and_the_records_of_a_turn_share_their_trace() {
    let stage = Stage::new();
    let (_serve, _) = stage.serve().await;
    let (user, lines) = registered(&stage).await;
    let file = stage.home().join("logs/agent.log");
    let mut command = stage.command(&["agent", "run", "--adapter", "echo"]);
    command.envs(variables_of(&lines)).env("BAND_LOG", "trace").env("BAND_LOG_FILE", &file);
    command.env("BAND_LOG_FILE_STYLE", "json");
    let mut process = Process::start("agent", &mut command).unwrap();
    process.line("Agent started: Gardener", PATIENCE).await.unwrap();

    let person = person_of(&lines, &user).await;
    let agent = person.agents().await.unwrap().remove(0);
    let room = person.create_room("Garden").await.unwrap();
    person.add(room, agent.id).await.unwrap();
    person.say(room, agent.id, "hello").await.unwrap();
    process.line("Turn phase=ack state=returned", PATIENCE).await.unwrap();
    process.terminate().await.unwrap();
    process.ended(PATIENCE).await.unwrap();

    let text = std::fs::read_to_string(&file).unwrap();
    for secret in [variable(&lines, "BAND_API_KEY"), variable(&user, "BAND_USER_KEY")] {
        assert!(!text.contains(secret) && !process.tail().contains(secret), "a key is in the log");
    }
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let of_turn = records.filter(|record| {
        let message = record["message"].as_str().unwrap();
        message.contains("phase=handler") || message.contains("/messages")
    });
    let traces: BTreeSet<String> =
        of_turn.filter_map(|record| record["trace_context"].as_str().map(str::to_owned)).collect();
    assert_eq!(traces.len(), 1, "{traces:?}");
    assert!(
        traces.iter().all(|trace| trace.len() == 32 && trace.bytes().all(|byte| byte.is_ascii_hexdigit()))
    );
}
